package claudecode

import (
	"slices"

	"lore"
	"lore/adapter/kit"
)

// run is a row of blocks of one role.
type run struct {
	role  lore.Role
	parts []lore.Part
}

// split makes a run of each row of blocks of one role; own is the role of the blocks that name none. A record without
// blocks is one run without parts: an empty answer is an answer.
func split(blocks []block, own lore.Role) []run {
	runs := make([]run, 0, 1)
	for i := range blocks {
		role := blocks[i].role
		if role == "" {
			role = own
		}
		if n := len(runs); n == 0 || runs[n-1].role != role {
			runs = append(runs, run{role: role, parts: make([]lore.Part, 0, len(blocks)-i)})
		}
		r := &runs[len(runs)-1]
		r.parts = append(r.parts, blocks[i].part)
	}
	if len(runs) == 0 {
		runs = append(runs, run{role: own})
	}
	return runs
}

// owner returns the role whose first run carries the record's bare id: the one that says the record's words, else the
// one that gives results, else the first.
func owner(runs []run, own lore.Role) lore.Role {
	for _, role := range []lore.Role{own, lore.Tool} {
		if slices.ContainsFunc(runs, func(r run) bool { return r.role == role }) {
			return role
		}
	}
	return runs[0].role
}

// put yields the blocks of a record as messages, one for each run of one role. m is the message of the record's words.
// Beside it the first run of another role has the id with the role before it; later runs of a role have none.
func (w *writer) put(i int32, b *body, m lore.Message, blocks []block) {
	l := &w.f.lines[i]
	own, bare := m.Role, w.f.bare(i)
	m.Active = !l.is(inactive)
	m.At, m.AtFrom = w.time(i, b)
	m.Origins = slices.Clone(w.origins[:min(len(w.origins), maxOrigins)])
	parent := w.f.nativeOf(l.near)
	runs := split(blocks, own)
	words := owner(runs, own)
	seen := make([]lore.Role, 0, len(runs))
	for _, r := range runs {
		one := m
		if r.role != words || slices.Contains(seen, r.role) {
			one = aside(m, r.role)
		}
		if r.role != own && r.role == lore.Tool {
			one.Subtype = ""
		}
		one.Role, one.Parts, one.ParentNative = r.role, r.parts, parent
		if bare != "" && !slices.Contains(seen, r.role) {
			one.Native = bare
			l.tag = 0
			if r.role != words {
				one.Native = kit.SplitNative(r.role, bare)
				l.tag = tagOf(r.role)
			}
			parent = one.Native
		}
		seen = append(seen, r.role)
		w.emit(one)
	}
	if bare != "" {
		l.flags |= shown
		l.near = i
	}
}

// aside is what a record's further messages share with the one of its words: time, place and branch. What is counted
// once, units and tokens, stays with the words.
func aside(m lore.Message, role lore.Role) lore.Message {
	one := lore.Message{At: m.At, AtFrom: m.AtFrom, Active: m.Active, Origins: m.Origins}
	switch role {
	case lore.System:
		one.Subtype = "context"
	case m.Role:
		one.Model, one.Subtype = m.Model, m.Subtype
	}
	return one
}

// emit adds a message to the piece.
func (w *writer) emit(m lore.Message) {
	if m.Parts == nil {
		m.Parts = []lore.Part{}
	}
	for i := range m.Parts {
		w.size += int64(len(m.Parts[i].Text))
	}
	w.size += 256 // a message without words takes memory too
	w.piece = append(w.piece, m)
}

// take returns what was emitted since the last piece, under the conversation's header as far as it is known.
func (w *writer) take(more bool) *lore.Conversation {
	c := &lore.Conversation{
		Source: source, Store: storeProjects, Native: w.c.native,
		Title: w.c.title, Kind: w.c.kind, Parent: w.c.parent, Lineage: w.c.lineage,
		Project:  lore.Project{Dir: w.dir, Name: kit.ProjectName(w.dir), Branch: w.branch},
		Messages: w.piece, More: more,
	}
	if c.Title != "" {
		c.TitleFrom = lore.TitleFromSource
	}
	if c.Kind == lore.Main && w.automation {
		c.Kind = lore.Automation
	}
	if c.Lineage == nil && w.shared > 0 && w.f.forked != 0 {
		c.Lineage = &lore.Lineage{Kind: lore.Fork, OfNative: w.f.names.text[w.f.forked], Shared: w.shared}
	}
	w.piece, w.size = nil, 0
	return c
}

func (w *writer) locator(l *line) lore.Locator {
	return lore.Locator{File: w.f.losses.file, Line: int(l.no), Offset: l.offset, Length: l.length}
}

// time returns the time of a record. One without its own has that of the record before it, else of the next one.
func (w *writer) time(i int32, b *body) (lore.Time, lore.TimeFrom) {
	if !b.at.IsZero() {
		w.last = b.at
		return b.at, kit.TimeFrom(b.at)
	}
	if w.last.IsZero() && !w.looked {
		w.last, w.looked = w.f.timeAfter(w.c, i), true
	}
	if w.last.IsZero() {
		return lore.Time{}, lore.FromNone
	}
	return w.last, lore.FromInherited
}

// farthest is how many records timeAfter looks at.
const farthest = 200

// timeAfter returns the first time that a record of the conversation after this one has.
func (f *file) timeAfter(c *conv, i int32) lore.Time {
	lines := f.linesOf(c)
	at := slices.Index(lines, i) + 1
	for _, j := range lines[at:min(len(lines), at+farthest)] {
		if l := &f.lines[j]; l.when == 0 || l.kind > kindQueue {
			continue
		}
		if b, err := f.peek(j); err == nil && !b.at.IsZero() {
			return b.at
		}
	}
	return lore.Time{}
}

// body returns the body of a line, for the one time that it is needed.
func (f *file) body(i int32) (*body, error) {
	b, err := f.peek(i)
	if f.bodies != nil {
		f.bodies[i] = nil
	}
	return b, err
}

func (f *file) peek(i int32) (*body, error) {
	if f.bodies != nil && f.bodies[i] != nil {
		return f.bodies[i], nil
	}
	l := &f.lines[i]
	v, err := f.src.At(l.offset, l.length)
	if err != nil {
		return nil, err
	}
	return decode(l.kind, v), nil
}

// nearest returns the line of the message that a line hangs on; -1 when there is none.
func (f *file) nearest(i int32) int32 {
	at := f.parentOf(i)
	if at < 0 {
		if at, _ = f.above(i); at < 0 { // a compact boundary goes on from its logical parent
			return -1
		}
	}
	rep := f.lines[at].rep
	if f.lines[rep].is(shown) {
		return rep
	}
	return f.lines[rep].near
}

// bare returns the native id of a record: of an answer its message.id, else its uuid.
func (f *file) bare(i int32) string {
	l := &f.lines[i]
	if l.kind == kindAssistant && l.msg != 0 && !l.is(sharedID) {
		return f.names.text[l.msg]
	}
	return f.names.string(l.uuid)
}

// nativeOf returns the native id of the last message that a line has become; "" for none.
func (f *file) nativeOf(i int32) string {
	if i < 0 {
		return ""
	}
	l := &f.lines[i]
	if l.tag == 0 {
		return f.bare(i)
	}
	return kit.SplitNative(roleTags[l.tag], f.bare(i))
}

// said reports whether a last-prompt says again what the file says: by the leaf that it names, or by its words.
func (f *file) said(l *line) bool {
	if l.parent != (key{}) && f.known(l.parent) {
		return true
	}
	if f.prompts == nil {
		f.prompts = map[uint64]struct{}{}
		for i := range f.lines {
			if p := &f.lines[i]; p.is(human) && p.text != 0 {
				f.prompts[p.text] = struct{}{}
			}
		}
	}
	_, ok := f.prompts[l.text]
	return ok && l.text != 0
}
