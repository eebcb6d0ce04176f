package claudecode

import (
	"path"
	"strings"

	"lore"
)

// place is what the path of a transcript says about it.
type place struct {
	home    string // folder of the session: what belongs to it lies there
	stem    string // name without its ending
	session string // of a sub-agent's file: the session it stands under; empty when the path does not say
	agent   string // of a sub-agent's file: its agent id
	export  bool   // a document of the web product: the name says nothing
}

// placeOf reads a path: projects/DIR/SESSION.jsonl, projects/DIR/agent-ID.jsonl (2.0) or
// projects/DIR/SESSION/subagents/.../agent-ID.jsonl (2.1).
func placeOf(p string) place {
	stem := strings.TrimSuffix(strings.TrimSuffix(path.Base(p), ".zst"), ".jsonl")
	pl := place{home: path.Join(path.Dir(p), stem), stem: stem}
	id, ok := strings.CutPrefix(stem, "agent-")
	if !ok {
		return pl
	}
	pl.agent = id
	for dir := path.Dir(p); dir != "." && dir != "/"; dir = path.Dir(dir) {
		if path.Base(dir) == "subagents" {
			pl.home = path.Dir(dir)
			if pl.session = path.Base(pl.home); pl.session == "." || pl.session == "/" {
				pl.session = ""
			}
			break
		}
	}
	return pl
}

// conv is one conversation that the file speaks of.
type conv struct {
	session string // the session it belongs to
	native  string
	kind    lore.Kind
	parent  *lore.Parent
	lineage *lore.Lineage
	foreign bool
	speaks  bool  // holds a prompt or an answer: without one there is no conversation
	hang    int32 // of an inline sidechain: where its root hung; else -1
	first   int32 // in f.byConv: where its lines begin
	count   int32

	title string
	named int32 // the line that gives the title; -1: none
	rank  int8
}

func (f *file) newConv(session, native string) int32 {
	f.convs = append(f.convs, &conv{session: session, native: native, kind: lore.Main, hang: -1, named: -1, rank: -1})
	return int32(len(f.convs) - 1)
}

// bySession turns the sessions in line.conv into conversations. In a file that has records of its own session, those of
// another go to that one; in one that has none, all are the file's.
func (f *file) bySession() {
	switch {
	case f.place.agent == "" && f.onlyAgent != 0 && !f.carries(f.place.stem):
		f.place.agent = f.names.text[f.onlyAgent]
		fallthrough
	case f.place.agent != "":
		f.agentFile()
	case f.place.export:
		f.newConv(f.names.text[f.session], f.names.text[f.session])
	default:
		f.newConv(f.place.stem, f.place.stem)
		if f.carries(f.place.stem) {
			f.split()
			return
		}
		f.renamed()
	}
	for i := range f.lines {
		f.lines[i].conv = 0
	}
}

// carries reports whether a record names the session.
func (f *file) carries(session string) bool {
	n, ok := f.names.number[session]
	return ok && n != 0 && f.sessions[n] > 0
}

// agentFile makes the one conversation of a sub-agent's file.
func (f *file) agentFile() {
	session := f.place.session
	if session == "" {
		session = f.names.text[f.session]
	}
	native := "agent-" + f.place.agent
	if session != "" && session != native {
		native = session + "/" + native
	}
	c := f.convs[f.newConv(session, native)]
	c.kind = lore.Subagent
	if session != "" && session != native {
		c.parent = &lore.Parent{Native: session}
	}
}

// renamed says that the file goes on another session's conversation, under a name of its own.
func (f *file) renamed() {
	if f.session == 0 {
		return
	}
	f.convs[0].lineage = &lore.Lineage{Kind: lore.Continuation, OfNative: f.names.text[f.session]}
}

// mismatched says so, where the file has words of its own at all.
func (f *file) mismatched() {
	if c := f.convs[0]; c.lineage != nil && c.speaks {
		f.losses.add(lore.IDMismatch, lore.Info, 0, "its records say session "+c.lineage.OfNative)
	}
}

// split gives each record to its session.
func (f *file) split() {
	own := f.names.number[f.place.stem]
	others := map[int32]int32{}
	for i := range f.lines {
		l := &f.lines[i]
		if l.conv == 0 || l.conv == own {
			l.conv = 0
			continue
		}
		c, ok := others[l.conv]
		if !ok {
			name := f.names.text[l.conv]
			c = f.newConv(name, name)
			f.convs[c].foreign = true
			others[l.conv] = c
			f.convs[c].first = l.no
		}
		f.convs[c].count++
		l.conv = c
	}
	for _, c := range f.convs[1:] {
		f.given(c)
	}
}

// given says that records went to another session; first and count still tell its first line and how many they are.
func (f *file) given(c *conv) {
	n := int(c.count)
	loss := f.losses.make(lore.ForeignRecord, lore.Info, int(c.first), plural(n, "record", "records")+" of session "+c.native)
	loss.Count = n
	f.losses.list = append(f.losses.list, loss)
	c.first, c.count = 0, 0
}

// sidechains gives the sub-agents that older versions wrote into the session's own file a conversation each, one for
// each root.
func (f *file) sidechains() {
	if f.convs[0].kind == lore.Subagent {
		return
	}
	root := make(map[int32]int32)  // line of a sidechain → its root
	speaks := make(map[int32]bool) // roots below which somebody speaks
	for k := range f.lines {
		i := f.at(k)
		l := &f.lines[i]
		if !l.is(sidechain) {
			continue
		}
		r := i
		if l.is(copied) {
			r = root[l.rep]
		} else if up, ok := root[l.up]; l.up >= 0 && ok {
			r = up
		}
		root[i] = r
		if l.kind == kindUser || l.kind == kindAssistant {
			speaks[r] = true
		}
	}
	if len(speaks) > 0 {
		f.settle(root, speaks)
	}
}

// settle makes the conversations of sidechains, and hangs what the session said after one on where it branched off.
func (f *file) settle(root map[int32]int32, speaks map[int32]bool) {
	made := map[int32]int32{}
	for k := range f.lines {
		i := f.at(k)
		l := &f.lines[i]
		r, side := root[i]
		if side && speaks[r] && !f.lines[r].is(noUUID) {
			c, ok := made[r]
			if !ok {
				c = f.child(r)
				made[r] = c
			}
			l.conv = c
			if i == r {
				l.up = -1
			}
			continue
		}
		if l.up >= 0 && f.lines[l.up].conv != l.conv {
			l.up = f.convs[f.lines[l.up].conv].hang
		}
	}
}

// child makes the conversation of one sidechain.
func (f *file) child(root int32) int32 {
	l := &f.lines[root]
	of := f.convs[l.conv]
	n := f.newConv(of.session, of.native+"/"+f.names.string(l.uuid))
	c := f.convs[n]
	c.kind, c.hang, c.foreign = lore.Subagent, l.up, of.foreign
	c.parent = &lore.Parent{Native: of.native, Call: f.caller(root)}
	return n
}

// caller finds the call that started a sidechain: the last one before it, else the first one, with the same prompt.
func (f *file) caller(root int32) string {
	text, found := f.lines[root].text, -1
	if text == 0 {
		return ""
	}
	for k := range f.tasks {
		t := &f.tasks[k]
		if t.taken || t.prompt != text || t.line > root && found >= 0 {
			continue
		}
		found = k
	}
	if found < 0 {
		return ""
	}
	f.tasks[found].taken = true
	return f.tasks[found].call
}

// bucket sorts the lines by conversation, each in record order.
func (f *file) bucket() {
	for i := range f.lines {
		l := &f.lines[i]
		if l.is(elsewhere) {
			continue
		}
		c := f.convs[l.conv]
		c.count++
		if l.kind == kindUser || l.kind == kindAssistant || l.kind == kindQueued || l.kind == kindQueue && l.op == opEnqueue {
			c.speaks = true
		}
	}
	at := int32(0)
	for _, c := range f.convs {
		c.first, at = at, at+c.count
		c.count = 0
	}
	f.byConv = make([]int32, len(f.lines))
	for k := range f.lines {
		i := f.at(k)
		if f.lines[i].is(elsewhere) {
			continue
		}
		c := f.convs[f.lines[i].conv]
		f.byConv[c.first+c.count] = i
		c.count++
	}
}

// linesOf returns the lines of a conversation in record order.
func (f *file) linesOf(c *conv) []int32 { return f.byConv[c.first : c.first+c.count] }
