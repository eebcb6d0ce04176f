package claudecode

import "lore"

// fold finds the lines that say one message together: copies, and the lines of one answer.
func (f *file) fold() {
	tail := make([]int32, len(f.lines))
	for i := range tail {
		tail[i] = int32(i)
	}
	f.tail = tail
	f.copies()
	f.sidechains()
	f.answers()
	f.attachCopies()
}

// copies marks the lines that say again, at the same time, what a line before them said: with stream-json input the tool
// writes the earlier history again and again, each time under new uuids. A line with the uuid of another that says the
// same is one too, whatever its time. The first in record order stands.
func (f *file) copies() {
	var seen table
	hash := func(i int32) uint64 { return f.lines[i].said ^ mix(f.lines[i].when) }
	placed := make([]bool, len(f.lines))
	for k := range f.lines {
		i := f.at(k)
		placed[i] = true
		l := &f.lines[i]
		if l.said == 0 {
			continue
		}
		if l.when != 0 {
			twin, slot := seen.find(hash(i), func(j int32) bool {
				o := &f.lines[j]
				return o.said == l.said && o.when == l.when && f.together(l, o)
			})
			if twin >= 0 {
				f.copyOf(i, twin)
				continue
			}
			seen.add(i, slot, hash(i), hash)
		}
		if l.is(noUUID) {
			continue
		}
		if first, _ := f.lookup(l.uuid, l.conv); first >= 0 && first != i && placed[first] {
			if o := &f.lines[first]; o.said == l.said && f.together(l, o) {
				f.copyOf(i, o.rep)
			}
		}
	}
}

// together reports whether two lines belong to the same side of one session.
func (f *file) together(a, b *line) bool {
	return a.conv == b.conv && a.kind == b.kind && (a.flags^b.flags)&sidechain == 0
}

func (f *file) copyOf(i, original int32) {
	f.lines[i].rep = f.lines[original].rep
	f.lines[i].flags |= copied
}

// answers joins the lines of one message.id. What a person said in between ends it: a gateway that gives every answer
// the same id must not melt a session into one message.
func (f *file) answers() {
	type answer struct{ first, turn int32 }
	open := map[int32]answer{} // by message id
	turn := make([]int32, len(f.convs))
	for k := range f.lines {
		i := f.at(k)
		l := &f.lines[i]
		switch {
		case l.is(copied):
		case l.is(human) && (l.kind == kindUser || l.kind == kindQueued):
			turn[l.conv]++
		case l.kind == kindAssistant && l.msg != 0:
			a, ok := open[l.msg]
			if ok && a.turn == turn[l.conv] && f.lines[a.first].conv == l.conv {
				f.append(a.first, i)
				continue
			}
			if ok && f.lines[a.first].conv == l.conv {
				l.flags |= sharedID
			}
			open[l.msg] = answer{i, turn[l.conv]}
		}
	}
}

// append adds a line to the message of another.
func (f *file) append(rep, i int32) {
	f.lines[i].rep = rep
	f.lines[f.tail[rep]].next = i
	f.tail[rep] = i
}

// attachCopies adds the copies to the messages that they say again; they are evidence of them.
func (f *file) attachCopies() {
	for k := range f.lines {
		i := f.at(k)
		if l := &f.lines[i]; l.is(copied) {
			rep := f.lines[l.rep].rep
			f.append(rep, i)
			l.conv = f.lines[rep].conv
		}
	}
}

// supersede makes the messages inactive that a later answer says it replaces.
func (f *file) supersede() {
	for _, k := range f.gone {
		if i := f.holder(k); i >= 0 {
			f.lines[f.lines[i].rep].flags |= inactive
		}
	}
}

// missed reports the parents that exist nowhere. What the first record of a renamed file hangs on stands in the file it
// goes on; what a foreign record hangs on stands in its own session's.
func (f *file) missed() {
	first := true
	for i := range f.lines {
		l := &f.lines[i]
		if l.uuid == (key{}) && l.parent == (key{}) {
			continue
		}
		begins := first
		first = false
		c := f.convs[l.conv]
		if !l.is(missing) || c.foreign || begins && c.lineage != nil {
			continue
		}
		f.losses.add(lore.MissingParent, lore.Warning, int(l.no), "parent "+f.names.string(l.parent)+" is not in the file")
	}
}
