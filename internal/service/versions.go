package service

import (
	"bufio"
	"context"
	"hash/maphash"
	"io"
	"time"

	"lore"
	"lore/internal/archive"
)

// EvidenceVersion is an evidence as it was at one time, and what was different from the version before.
type EvidenceVersion struct {
	Version    int       `json:"version"`     // from 1 for the oldest
	At         lore.Time `json:"at"`          // when it was read from the source
	ModifiedAt lore.Time `json:"modified_at"` // the file's own time then
	Bytes      int64     `json:"bytes"`
	Appended   bool      `json:"appended"` // it begins with all bytes of the version before

	// Compared is false for the oldest version, and where comparing would take long and was not asked for. What follows
	// is then absent.
	Compared        bool `json:"compared"`
	Lines           int  `json:"lines,omitempty"` // of a file of lines
	LinesAdded      int  `json:"lines_added,omitempty"`
	LinesRemoved    int  `json:"lines_removed,omitempty"`
	Messages        int  `json:"messages,omitempty"`
	MessagesAdded   int  `json:"messages_added,omitempty"`
	MessagesChanged int  `json:"messages_changed,omitempty"` // the same id says something else, or has become active or inactive
	MessagesRemoved int  `json:"messages_removed,omitempty"`

	Differences []MessageDifference `json:"differences,omitempty"` // when they were asked for
}

// MessageDifference is a message that two versions of an evidence tell differently.
type MessageDifference struct {
	Change  string    `json:"change"` // "added", "changed" or "removed"
	ID      lore.ID   `json:"id"`
	ShortID string    `json:"short_id"`
	Role    lore.Role `json:"role"`
	Before  string    `json:"before,omitempty"` // its text in the version before; of a long one the head
	After   string    `json:"after,omitempty"`
}

const (
	// comparedBytes bounds what inspect reads to compare versions when nobody asked for it: a fraction of a second.
	comparedBytes = 32 << 20
	// differenceText bounds the text that a difference shows of each side, in bytes.
	differenceText = 4 << 10
)

// versions compares the versions of evidences, the newest first, as far as the budget goes.
type versions struct {
	*library
	ctx    context.Context
	diff   bool
	budget int64 // bytes that may still be read
	seed   maphash.Seed
}

func newVersions(ctx context.Context, l *library, diff bool) *versions {
	return &versions{library: l, ctx: ctx, diff: diff, budget: comparedBytes, seed: maphash.MakeSeed()}
}

// version is what is remembered of one: not its texts, which are read again where they differ.
type version struct {
	snapshot archive.Snapshot
	lines    map[uint64]int // how often each line stands there
	count    int            // of lines
	messages map[lore.ID]statement
	order    []lore.ID
}

// statement is what a version says under the id of a message.
type statement struct {
	content lore.ID
	active  bool
	role    lore.Role
}

// of returns the versions of a file, the oldest first. The snapshots come newest first.
func (v *versions) of(snapshots []archive.Snapshot) ([]EvidenceVersion, error) {
	out := make([]EvidenceVersion, len(snapshots))
	for i, s := range snapshots {
		e := EvidenceVersion{Version: len(snapshots) - i, At: milliseconds(s.At), Bytes: s.Size}
		if !s.ModTime.IsZero() {
			e.ModifiedAt = milliseconds(s.ModTime)
		}
		e.Appended = i+1 < len(snapshots) && s.Extends == snapshots[i+1].ID
		out[len(out)-1-i] = e
	}
	var newer *version
	for i := 0; len(snapshots) > 1 && i < len(snapshots); i++ {
		if v.budget -= snapshots[i].Size; v.budget < 0 && !v.diff {
			break
		}
		older, err := v.read(snapshots[i])
		if err != nil {
			return nil, err
		}
		if newer != nil {
			if err := v.compare(older, newer, &out[len(out)-i]); err != nil {
				return nil, err
			}
		}
		newer = older
	}
	return out, nil
}

func milliseconds(t time.Time) lore.Time {
	return lore.NewTime(t.Truncate(time.Millisecond).UnixNano(), 3, false)
}

// read remembers what a version holds.
func (v *versions) read(s archive.Snapshot) (*version, error) {
	x := &version{snapshot: s, messages: map[lore.ID]statement{}}
	if s.Lines {
		if err := v.readLines(x); err != nil {
			return nil, err
		}
	}
	err := v.sealed(s, func(m *lore.Message) {
		if _, again := x.messages[m.ID]; !again {
			x.order = append(x.order, m.ID)
		}
		x.messages[m.ID] = statement{m.ContentID, m.Active, m.Role}
	})
	return x, err
}

func (v *versions) readLines(x *version) error {
	r, err := v.archive.OpenPlain(x.snapshot.ID)
	if err != nil {
		return err
	}
	x.lines = map[uint64]int{}
	in := bufio.NewReaderSize(r, 64<<10)
	var h maphash.Hash
	h.SetSeed(v.seed)
	for {
		piece, err := in.ReadSlice('\n')
		h.Write(piece)
		if err == bufio.ErrBufferFull {
			continue
		}
		if err != nil && err != io.EOF {
			return err
		}
		if len(piece) > 0 {
			x.lines[h.Sum64()]++
			x.count++
			h.Reset()
		}
		if err == io.EOF {
			return nil
		}
	}
}

// sealed yields the messages of a version with their ids.
func (v *versions) sealed(s archive.Snapshot, yield func(*lore.Message)) error {
	var sealer *lore.Sealer
	return v.assembler.Snapshot(v.ctx, s, func(_ lore.ID, c *lore.Conversation) error {
		if sealer == nil {
			sealer = lore.NewSealer()
		}
		sealer.Piece(c)
		if !c.More {
			sealer = nil
		}
		for i := range c.Messages {
			yield(&c.Messages[i])
		}
		return nil
	})
}

// compare says what a version has that the one before has not.
func (v *versions) compare(older, newer *version, e *EvidenceVersion) error {
	e.Compared, e.Lines, e.Messages = true, newer.count, len(newer.messages)
	for line, n := range newer.lines {
		e.LinesAdded += max(0, n-older.lines[line])
	}
	for line, n := range older.lines {
		e.LinesRemoved += max(0, n-newer.lines[line])
	}
	var found []MessageDifference
	at := map[lore.ID]int{}
	note := func(change string, id lore.ID, role lore.Role) {
		if v.diff {
			at[id] = len(found)
			found = append(found, MessageDifference{Change: change, ID: id, ShortID: id.Short(), Role: role})
		}
	}
	for _, id := range older.order {
		if _, still := newer.messages[id]; !still {
			e.MessagesRemoved++
			note("removed", id, older.messages[id].role)
		}
	}
	for _, id := range newer.order {
		now := newer.messages[id]
		switch before, was := older.messages[id]; {
		case !was:
			e.MessagesAdded++
			note("added", id, now.role)
		case before != now:
			e.MessagesChanged++
			note("changed", id, now.role)
		}
	}
	if len(found) == 0 {
		return nil
	}
	err := v.sealed(older.snapshot, func(m *lore.Message) {
		if i, ok := at[m.ID]; ok && found[i].Change != "added" {
			found[i].Before = differing(m)
		}
	})
	if err != nil {
		return err
	}
	err = v.sealed(newer.snapshot, func(m *lore.Message) {
		if i, ok := at[m.ID]; ok {
			found[i].After = differing(m)
		}
	})
	e.Differences = found
	return err
}

// differing returns the text of a message that differs, of a long one the head.
func differing(m *lore.Message) string {
	var b []byte
	for i := range m.Parts {
		p := &m.Parts[i]
		if p.Text == "" {
			continue
		}
		if len(b) > 0 {
			b = append(b, '\n')
		}
		room := differenceText - len(b)
		if len(p.Text) <= room {
			b = append(b, p.Text...)
			continue
		}
		for room > 0 && p.Text[room]&0xc0 == 0x80 {
			room--
		}
		return string(append(b, p.Text[:max(room, 0)]...)) + "…"
	}
	if !m.Active {
		b = append(b, " (not active)"...)
	}
	return string(b)
}
