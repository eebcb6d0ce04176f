package archive

// partBytes is about how much content a part of a scan covers: enough to be worth a goroutine's turn, and little enough
// that two of them end at about the same time.
const partBytes = 4 << 20

// byteRange is bytes from..to-1 of a chain.
type byteRange struct{ from, to int64 }

// ranges returns what has to be searched of a chain: the blocks that no filter rules out, with what else their lines
// take, in order and apart from each other.
func (t *target) ranges() []byteRange {
	var all []byteRange
	may := t.mayHold()
	for i := 0; i < len(may); i++ {
		if !may[i] {
			continue
		}
		j := i + 1
		for j < len(may) && may[j] {
			j++
		}
		from, to := t.widen(i, j)
		if n := len(all); n > 0 && from <= all[n-1].to {
			all[n-1].to = max(to, all[n-1].to)
		} else {
			all = append(all, byteRange{from, to})
		}
		i = j
	}
	return t.split(all)
}

// mayHold says of each block whether the last byte of a match can be in it.
func (t *target) mayHold() []bool {
	may := make([]bool, len(t.list.entries))
	for i := range may {
		may[i] = true
	}
	for _, g := range t.groups {
		for i := g.first; i < min(g.first+g.n, len(may)); i++ {
			may[i] = g.may
		}
	}
	return may
}

// widen returns the bytes to search for the matches that end in blocks i..j-1: from the start of the line that the first
// of them stands in to the end of the line of the last. Where there are no lines, or one is above MaxLine, it is the
// blocks themselves and as much of those before as a match can begin in.
func (t *target) widen(i, j int) (from, to int64) {
	e := t.list.entries
	from, to = e[i].off, e[j-1].end()
	if t.lines {
		first, last := i, j
		for first > 0 && !e[first-1].eol && from-e[first].off <= MaxLine {
			first--
		}
		for last < len(e) && !e[last-1].eol && e[last-1].end()-to <= MaxLine {
			last++
		}
		if from-e[first].off <= MaxLine && e[last-1].end()-to <= MaxLine {
			return e[first].off, e[last-1].end()
		}
	}
	return max(0, from-t.reach), to
}

// split cuts long ranges where a block ends with a line, or anywhere where there are no lines.
func (t *target) split(all []byteRange) []byteRange {
	var parts []byteRange
	for _, r := range all {
		from := r.from
		for i := t.list.at(r.from); i < len(t.list.entries); i++ {
			e := t.list.entries[i]
			if e.end() >= r.to {
				break
			}
			if e.eol && t.lines && e.end()-from >= partBytes {
				parts = append(parts, byteRange{from, e.end()})
				from = e.end()
			}
		}
		parts = append(parts, byteRange{from, r.to})
	}
	return parts
}
