package claudecode

import (
	"container/heap"

	"lore"
)

// resolve finds the line of each parent, and gives every line its place: conversations by session first, then the
// chain, then the sidechains.
func (f *file) resolve() {
	f.bySession()
	f.chain()
	f.breakCycles()
	f.sort()
}

// chain sets up for every line. A parent counts in its own session only.
func (f *file) chain() {
	hash := func(i int32) uint64 { return f.lines[i].uuid.hash() }
	for i := range f.lines {
		l := &f.lines[i]
		if l.is(noUUID) {
			continue
		}
		first, slot := f.lookup(l.uuid, l.conv)
		if first < 0 {
			f.byUUID.add(int32(i), slot, l.uuid.hash(), hash)
		}
	}
	for i := range f.lines {
		l := &f.lines[i]
		if l.parent == (key{}) || l.kind == kindLastPrompt {
			continue
		}
		if l.up, _ = f.lookup(l.parent, l.conv); l.up < 0 && !f.known(l.parent) {
			l.flags |= missing
		}
	}
}

// lookup finds the first line of a session that carries a uuid.
func (f *file) lookup(k key, conv int32) (line int32, slot int) {
	return f.byUUID.find(k.hash(), func(i int32) bool { return f.lines[i].uuid == k && f.lines[i].conv == conv })
}

// known reports whether any line of the file carries a uuid.
func (f *file) known(k key) bool { return f.holder(k) >= 0 }

// holder returns the first line of the file that carries a uuid, whatever its session; -1 when none does.
func (f *file) holder(k key) int32 {
	i, _ := f.byUUID.find(k.hash(), func(i int32) bool { return f.lines[i].uuid == k })
	return i
}

// breakCycles makes roots of the lines that name each other as parent.
func (f *file) breakCycles() {
	const fresh, open, done = 0, 1, 2
	state := make([]byte, len(f.lines))
	var path []int32
	for i := range f.lines {
		path = path[:0]
		at := int32(i)
		for at >= 0 && state[at] == fresh {
			state[at] = open
			path = append(path, at)
			at = f.lines[at].up
		}
		if at >= 0 && state[at] == open {
			f.cut(at)
		}
		for _, p := range path {
			state[p] = done
		}
	}
}

// cut makes every line of one cycle a root.
func (f *file) cut(at int32) {
	n, first := 0, at
	for f.lines[at].up >= 0 {
		next := f.lines[at].up
		f.lines[at].up = -1
		first = min(first, at)
		at = next
		n++
	}
	f.losses.add(lore.ParentCycle, lore.Warning, int(f.lines[first].no), plural(n, "record names itself as its parent", "records name each other as parent"))
}

// sort finds the order of the record: of the lines whose parent is placed, the first in the file comes next. Where
// every parent stands before its children, that is the order of the file.
func (f *file) sort() {
	sorted := true
	for i := range f.lines {
		if f.lines[i].up >= int32(i) {
			sorted = false
			break
		}
	}
	if sorted {
		return
	}
	child, sibling := make([]int32, len(f.lines)), make([]int32, len(f.lines))
	for i := range child {
		child[i] = -1
	}
	ready := make(smallest, 0, len(f.lines))
	for i := len(f.lines) - 1; i >= 0; i-- {
		if up := f.lines[i].up; up >= 0 {
			sibling[i], child[up] = child[up], int32(i)
		} else {
			ready = append(ready, int32(i))
		}
	}
	heap.Init(&ready)
	f.order = make([]int32, 0, len(f.lines))
	for len(ready) > 0 {
		i := heap.Pop(&ready).(int32)
		f.order = append(f.order, i)
		for c := child[i]; c >= 0; c = sibling[c] {
			heap.Push(&ready, c)
		}
	}
}

// at returns the line at a place of the record's order.
func (f *file) at(place int) int32 {
	if f.order == nil {
		return int32(place)
	}
	return f.order[place]
}

// smallest is a heap of lines.
type smallest []int32

func (h smallest) Len() int           { return len(h) }
func (h smallest) Less(a, b int) bool { return h[a] < h[b] }
func (h smallest) Swap(a, b int)      { h[a], h[b] = h[b], h[a] }
func (h *smallest) Push(x any)        { *h = append(*h, x.(int32)) }
func (h *smallest) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}
