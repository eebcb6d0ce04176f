package pi

import (
	"context"
	"fmt"
	"strings"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// topKeys are the keys that stand first in an entry: where reading goes on after damage.
var topKeys = []string{"type", "id", "parentId", "timestamp"}

// sniffed is how many entries of a file are looked at to tell whether it is a session.
const sniffed = 64

// kind is what sort of entry a line is.
type kind uint8

const (
	kindUnknown kind = iota
	kindHeader
	kindMessage
	kindCompaction
	kindBranch
	kindCustom // a message that an extension injected
	kindName
	kindTitle
	kindSkipped
)

var kinds = map[string]kind{
	"session": kindHeader, "message": kindMessage, "compaction": kindCompaction, "branch_summary": kindBranch,
	"custom_message": kindCustom, "session_info": kindName, "title": kindTitle,
	"model_change": kindSkipped, "thinking_level_change": kindSkipped, "label": kindSkipped, "custom": kindSkipped,
}

// entry is a line, without its words.
type entry struct {
	offset, length int64
	line           int32
	node           int32 // in the tree; -1 for what stands outside of it
	again          int32 // the next line that repeats this one; -1: none
	kind           kind
	repeat         bool // it repeats an earlier line
	copied         bool // it was written before this session began: taken over from the session that it was forked from
}

// scan is the first pass over a file.
type scan struct {
	in      adapter.Input
	name    fileName
	header  header
	entries []entry
	tree    kit.Tree
	leaf    int // the node added last
	missing struct{ line, count int }
	seen    map[uint64]int32 // lines with an id, by the hash of their bytes

	ledger lore.Ledger
	losses *kit.Tally

	good int
	mine bool // some entry has a form that only this format has
}

// header is what the first record of a file says.
type header struct {
	found   bool
	offset  int64
	id, dir string
	from    string // id of the session that this one was forked from
	at      lore.Time
}

// read reads one session; a trusted one stands where only pi writes.
func read(ctx context.Context, in adapter.Input, trusted bool, yield func(*lore.Conversation, error) bool) error {
	lines, err := kit.OpenLines(in, in.Source.Path, kit.Options{TopKeys: topKeys})
	if err != nil {
		return err
	}
	defer lines.Close()
	s := &scan{in: in, name: nameOf(in.Source.Path), leaf: kit.Root, losses: kit.NewTally(in, in.Source.Path), seen: map[uint64]int32{}}
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
	if lines.Damaged() == 0 {
		s.losses.Many(lore.MissingParent, lore.Info, s.missing.line, s.missing.count, "entries whose parent is not in the file")
	}
	s.settle(lines.Damaged())
	w := &writer{scan: s, lines: lines, on: s.tree.Path(s.leaf)}
	if err := w.write(ctx, yield); err != nil {
		return err
	}
	if s.good == 0 && lines.Damaged() > 0 {
		return fmt.Errorf("none of %d lines decodes: %w", lines.Damaged(), adapter.ErrMalformed)
	}
	return nil
}

// take takes one line in.
func (s *scan) take(r *kit.Record, trusted bool) {
	s.good++
	v := r.Value
	k := kinds[v.Get("type").String()]
	s.mine = s.mine || s.recognises(v, k, trusted)
	e := entry{offset: r.Offset, length: r.Length, line: int32(r.Line), node: -1, again: -1, kind: k}
	switch k {
	case kindHeader:
		s.head(v, r.Offset)
	case kindTitle:
	default:
		s.link(v, r, &e)
	}
	s.entries = append(s.entries, e)
}

// recognises reports whether an entry shows that the file is a session.
func (s *scan) recognises(v kit.Value, k kind, trusted bool) bool {
	switch k {
	case kindHeader:
		return v.Get("id").IsString() && v.Get("timestamp").Exists() && v.Get("cwd").IsString()
	case kindMessage:
		return (trusted || s.name.session) && v.Get("message", "role").IsString() && v.Get("timestamp").Exists()
	}
	return false
}

func (s *scan) head(v kit.Value, at int64) {
	if s.header.found {
		return
	}
	h := header{found: true, offset: at, id: v.Get("id").String(), dir: v.Get("cwd").String()}
	h.at, _ = kit.ParseTime(v.Get("timestamp"))
	for _, key := range []string{"parentSession", "branchedFrom"} {
		if from := v.Get(key).String(); from != "" && h.from == "" {
			h.from = originOf(from)
		}
	}
	s.header = h
}

// originOf returns the id of a session that a header names by its id or by the path of its file.
func originOf(from string) string {
	base := kit.Base(from)
	if n := nameOf(base); n.session {
		return n.id
	}
	return strings.TrimSuffix(base, ".jsonl")
}

// link puts an entry into the tree. Entries without ids, of versions before 2, follow each other; so does one whose parent
// is nowhere.
func (s *scan) link(v kit.Value, r *kit.Record, e *entry) {
	id, parent := v.Get("id").String(), v.Get("parentId")
	if id != "" {
		if first, ok := s.seen[r.Hash]; ok {
			s.repeat(first, e)
			return
		}
		s.seen[r.Hash] = int32(len(s.entries))
	}
	up := s.leaf
	switch name := parent.String(); {
	case parent.IsNull():
		up = kit.Root
	case name != "":
		node, ok := s.tree.Node(name)
		if ok {
			up = node
			break
		}
		if s.missing.count++; s.missing.count == 1 {
			s.missing.line = r.Line
		}
	}
	s.leaf = s.tree.Add(id, up)
	e.node = int32(s.leaf)
	if at, ok := kit.ParseTime(v.Get("timestamp")); ok {
		e.copied = s.header.from != "" && at.Before(s.header.at)
	}
}

// repeat notes a line that says, byte for byte, what an earlier one does.
func (s *scan) repeat(first int32, e *entry) {
	e.repeat = true
	at := first
	for s.entries[at].again >= 0 {
		at = s.entries[at].again
	}
	s.entries[at].again = int32(len(s.entries))
	s.losses.More(lore.DuplicateLine, lore.Info, int(e.line), "identical lines")
}

// settle says what is odd about the file as a whole.
func (s *scan) settle(damaged int) {
	switch {
	case s.good == 0:
	case !s.header.found && damaged == 0:
		s.losses.One(lore.MissingHeader, lore.Info, 0, "no session record; the id is that of the file's name")
	case s.header.id != "" && s.name.id != "" && s.header.id != s.name.id:
		s.losses.One(lore.IDMismatch, lore.Info, 0, "the file's name says session "+kit.Clip(s.name.id))
	}
}

// native returns the id of the session: by its header, else by the file's name.
func (s *scan) native() string {
	if s.header.id != "" {
		return s.header.id
	}
	return s.name.id
}
