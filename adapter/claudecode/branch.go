package claudecode

// branches finds what the tool would not show any more. A fork is a message with several children that each lead to
// answers or human words; the child that holds the last record of the file is the way that was taken, the others and all
// below them are inactive. Parallel results and attachments are no forks, and neither is what follows a compact boundary.
func (f *file) branches() {
	f.afterBoundaries()
	ways := make([]int32, len(f.lines)) // how many children lead on
	best := make([]int32, len(f.lines)) // the last line that one of them holds
	leads := make([]bool, len(f.lines))
	for k := len(f.lines) - 1; k >= 0; k-- {
		i := f.at(k)
		l := &f.lines[i]
		if l.rep != i {
			if !l.is(copied | twinned) {
				r := &f.lines[l.rep]
				r.last = max(r.last, l.last)
			}
			continue
		}
		leads[i] = leads[i] || l.is(leading)
		up, branch := f.above(i)
		if up < 0 {
			continue
		}
		p := &f.lines[up]
		p.last = max(p.last, l.last)
		leads[up] = leads[up] || leads[i]
		if branch && leads[i] {
			ways[up]++
			best[up] = max(best[up], l.last)
		}
	}
	for k := range f.lines {
		i := f.at(k)
		l := &f.lines[i]
		if l.rep != i {
			continue
		}
		up, branch := f.above(i)
		if up < 0 {
			continue
		}
		if f.lines[up].is(lost) || branch && leads[i] && ways[up] > 1 && l.last != best[up] {
			l.flags |= lost | inactive
		}
	}
}

// above returns the message that a message hangs on, and whether that makes it a branch of it.
func (f *file) above(i int32) (up int32, branch bool) {
	l := &f.lines[i]
	if at := f.parentOf(i); at >= 0 {
		return f.lines[at].rep, !l.is(afterBound)
	}
	if k, ok := f.logical[i]; ok && l.is(boundary) {
		if at, _ := f.lookup(k, l.conv); at >= 0 {
			if rep := f.lines[at].rep; rep < i { // it stands above, or it is damage
				return rep, false
			}
		}
	}
	return -1, false
}

// parentOf returns the line that a line hangs on; -1 when there is none. A queued command that a later record says is
// passed over: that record hangs on what followed it.
func (f *file) parentOf(i int32) int32 {
	at := f.lines[i].up
	for at >= 0 && f.lines[at].is(twinned) {
		at = f.lines[at].up
	}
	return at
}

// afterBoundaries marks the first words after a compact boundary. They may hang on a record from before it; that is how
// the tool goes on after a second compaction, not a rewind.
func (f *file) afterBoundaries() {
	open := map[int32]int32{} // conversation → its boundary, while nothing was said after it
	for i := range f.lines {
		l := &f.lines[i]
		switch {
		case l.is(boundary):
			open[l.conv] = int32(i)
		case l.is(leading) && !l.is(copied):
			if at, ok := open[l.conv]; ok {
				f.loosen(int32(i), at)
				delete(open, l.conv)
			}
		}
	}
}

// loosen finds, at or above the first words after a boundary, the line that hangs on a record from before it.
func (f *file) loosen(i, boundary int32) {
	for up := f.lines[i].up; up > boundary && up < i; up = f.lines[i].up {
		i = up
	}
	if up := f.lines[i].up; up >= 0 && up < boundary {
		f.lines[i].flags |= afterBound
	}
}
