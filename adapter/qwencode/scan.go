package qwencode

import (
	"context"
	"fmt"
	"path"
	"strings"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// topKeys are the keys that stand first in a record: where reading goes on after damage.
var topKeys = []string{"uuid", "parentUuid", "sessionId", "timestamp", "type"}

// sniffed is how many records of a file are looked at to tell whether it is a chat.
const sniffed = 64

// entry is a record, without its words.
type entry struct {
	offset, length int64
	line           int32
	conv           int32
	node           int32 // in the conversation's tree
	next           int32 // the next record of the same answer, or the next line that repeats this one; -1: none
	kind           kind
	part           bool // a further record of an answer, or a repeated line: the first one takes it in
	repeat         bool // a repeated line
}

// conv is one conversation that a file holds.
type conv struct {
	session, agent string
	first          int32 // its first line
	records        int
	tree           kit.Tree
	leaf           int
	missing        struct{ line, count int }
	rewinds        struct{ line, count int } // to records that are not there
	from           string                    // the session that its records were copied from
	begun          lore.Time                 // the first time that a record has
	starter        string                    // the session that started it
	last           map[string]int32          // by uuid: the last record of an answer, so that the next one is found
}

func (c *conv) native() string {
	if c.agent == "" {
		return c.session
	}
	return c.session + "/" + c.agent
}

// scan is the first pass over a file.
type scan struct {
	in      adapter.Input
	entries []entry
	convs   []*conv
	seen    map[uint64]int32 // first of identical lines, by hash
	ledger  lore.Ledger
	losses  *kit.Tally
	good    int
	mine    bool
}

// read reads one file; a trusted one stands where only Qwen Code writes.
func read(ctx context.Context, in adapter.Input, trusted bool, yield func(*lore.Conversation, error) bool) error {
	lines, err := kit.OpenLines(in, in.Source.Path, kit.Options{TopKeys: topKeys})
	if err != nil {
		return err
	}
	defer lines.Close()
	s := &scan{in: in, losses: kit.NewTally(in, in.Source.Path), seen: map[uint64]int32{}}
	for r := range lines.All() {
		s.take(r, trusted)
		if ctx.Err() != nil || !s.mine && s.good >= sniffed {
			break
		}
	}
	switch err := lines.Err(); {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return err
	case s.good > 0 && !s.mine, s.good == 0 && !trusted:
		return adapter.ErrNotMine
	}
	s.ledger.Damage(lines.Damaged())
	s.settle(lines.Damaged() > 0)
	if err := s.write(ctx, lines, yield); err != nil {
		return err
	}
	if s.good == 0 && lines.Damaged() > 0 {
		return fmt.Errorf("none of %d lines decodes: %w", lines.Damaged(), adapter.ErrMalformed)
	}
	return nil
}

// take takes one record in.
func (s *scan) take(r *kit.Record, trusted bool) {
	s.good++
	v := r.Value
	k, _ := kindOf(v)
	s.mine = s.mine || recognises(v, k, trusted)
	at := int32(len(s.entries))
	e := entry{offset: r.Offset, length: r.Length, line: int32(r.Line), next: -1, kind: k, conv: s.convOf(v, r.Line)}
	c := s.convs[e.conv]
	c.records++
	uuid := v.Get("uuid").String()
	first, again := s.seen[r.Hash]
	switch {
	case again && uuid != "":
		e.part, e.repeat = true, true
		s.chain(first, at)
		s.losses.More(lore.DuplicateLine, lore.Info, r.Line, "identical lines")
	default:
		s.seen[r.Hash] = at
		s.link(c, v, &e, uuid)
		s.facts(c, v)
	}
	s.entries = append(s.entries, e)
}

// recognises reports whether a record shows that the file is a chat of this tool.
func recognises(v kit.Value, k kind, trusted bool) bool {
	if !v.Get("uuid").IsString() || !v.Get("sessionId").IsString() || !v.Get("type").IsString() {
		return false
	}
	return v.Get("message", "parts").IsArray() || v.Get("systemPayload").IsObject() || trusted && k != kindUnknown
}

// convOf returns the conversation that a record belongs to. One that names no session belongs to that of the record
// before.
func (s *scan) convOf(v kit.Value, line int) int32 {
	session, agent := v.Get("sessionId").String(), ""
	if v.Get("isSidechain").Bool() {
		agent = v.Get("agentId").String()
	}
	if session == "" && len(s.convs) > 0 {
		return int32(len(s.convs) - 1)
	}
	for i, c := range s.convs {
		if c.session == session && c.agent == agent {
			return int32(i)
		}
	}
	s.convs = append(s.convs, &conv{session: session, agent: agent, first: int32(line), leaf: kit.Root, last: map[string]int32{}})
	return int32(len(s.convs) - 1)
}

// link puts a record into the tree of its conversation. Records of one uuid are one node; a further record of an answer
// joins the first.
func (s *scan) link(c *conv, v kit.Value, e *entry, uuid string) {
	at := int32(len(s.entries))
	if node, ok := c.tree.Node(uuid); ok && uuid != "" {
		e.node = int32(node)
		if last, ok := c.last[uuid]; ok && e.kind == kindAnswer {
			e.part = true
			s.chain(last, at)
			c.last[uuid] = at
		}
	} else {
		e.node = int32(c.tree.Add(uuid, s.parent(c, v, e)))
	}
	if _, ok := c.last[uuid]; !ok && e.kind == kindAnswer && uuid != "" {
		c.last[uuid] = at
	}
	if e.kind != kindSide {
		c.leaf = int(e.node)
	}
}

// parent returns the node that a record hangs on: the target of a rewind, its parent, or, where that is nowhere, the
// record before.
func (s *scan) parent(c *conv, v kit.Value, e *entry) int {
	if target := v.Get("systemPayload", "targetUuid").String(); e.kind == kindRewind && target != "" {
		if node, ok := c.tree.Node(target); ok {
			return node
		}
		if c.rewinds.count++; c.rewinds.count == 1 {
			c.rewinds.line = int(e.line)
		}
	}
	name := v.Get("parentUuid")
	if name.IsNull() {
		return kit.Root
	}
	if node, ok := c.tree.Node(name.String()); ok {
		return node
	}
	if name.Exists() {
		if c.missing.count++; c.missing.count == 1 {
			c.missing.line = int(e.line)
		}
	}
	return c.leaf
}

// facts takes what a record says about when and from where its conversation comes.
func (s *scan) facts(c *conv, v kit.Value) {
	if c.begun.IsZero() {
		c.begun, _ = kit.ParseTime(v.Get("timestamp"))
	}
	if from := v.Get("forkedFrom", "sessionId").String(); from != "" && c.from == "" {
		c.from = from
	}
	if parent := v.Get("systemPayload", "parentSessionId").String(); parent != "" && c.starter == "" {
		c.starter = parent
	}
}

// chain puts a line at the end of those that repeat the first.
func (s *scan) chain(first, at int32) {
	for s.entries[first].next >= 0 {
		first = s.entries[first].next
	}
	s.entries[first].next = at
}

// settle puts the file's own conversation in front and says what is odd.
func (s *scan) settle(damaged bool) {
	own := s.own()
	for i, c := range s.convs {
		if !damaged {
			s.losses.Many(lore.MissingParent, lore.Info, c.missing.line, c.missing.count, "records whose parent is not in the file")
		}
		s.losses.Many(lore.UnknownRewind, lore.Info, c.rewinds.line, c.rewinds.count, "rewinds to a record that is not in the file")
		if i != own && c.session != s.convs[own].session {
			s.losses.Many(lore.ForeignRecord, lore.Info, int(c.first), c.records, "records of session "+kit.Clip(c.session))
		}
	}
	if len(s.convs) == 0 {
		return
	}
	c := s.convs[own]
	switch id := s.nameID(); {
	case id == "":
	case c.session == "":
		c.session = id
	case undashed(c.session) != undashed(id):
		s.losses.One(lore.IDMismatch, lore.Info, 0, "its records say session "+kit.Clip(c.session))
	}
	if own != 0 {
		s.convs[0], s.convs[own] = s.convs[own], s.convs[0]
		for i := range s.entries {
			switch e := &s.entries[i]; e.conv {
			case 0:
				e.conv = int32(own)
			case int32(own):
				e.conv = 0
			}
		}
	}
}

// own returns the conversation that the file's name speaks of, else the first.
func (s *scan) own() int {
	id := s.nameID()
	for i, c := range s.convs {
		if undashed(c.session) == undashed(id) && (c.agent != "") == inAgents(s.in.Source.Path) {
			return i
		}
	}
	return 0
}

// nameID returns the session that the file's path speaks of; "" when it does not.
func (s *scan) nameID() string {
	p := s.in.Source.Path
	if inAgents(p) {
		return path.Base(path.Dir(p))
	}
	if stem := stemOf(p); isSessionID(stem) {
		return stem
	}
	return ""
}

// agentID returns the agent that a transcript's name speaks of; "" for other files.
func (s *scan) agentID() string {
	if !inAgents(s.in.Source.Path) {
		return ""
	}
	return strings.TrimPrefix(stemOf(s.in.Source.Path), agentPrefix)
}
