package goose

import (
	"context"
	"path"
	"strings"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// topKeys are the keys that stand first in a record: where reading goes on after damage.
var topKeys = []string{"id", "role", "created", "content", "metadata", "description", "working_dir", "schedule_id", "message_count"}

// readLines reads a session's file: a line with facts, then a line for each message.
func readLines(ctx context.Context, in adapter.Input, trusted bool, yield yielder) error {
	lines, err := kit.OpenLines(in, in.Source.Path, kit.Options{TopKeys: topKeys})
	if err != nil {
		return err
	}
	defer lines.Close()
	t := begin(in, session{id: idOf(in.Source.Path)}, yield)
	for r := range lines.All() {
		if err := ctx.Err(); err != nil {
			return err
		}
		switch v := r.Value; {
		case isMessage(v):
			m := messageOf(v, lines.Locator(r))
			if err := t.say(&m); err != nil {
				return err
			}
		case isHead(v):
			t.heads++
			t.head(v)
		case !trusted && t.heads+t.ledger.Units == 0:
			return adapter.ErrNotMine
		default:
			t.ledger.Meet("record")
			t.lost.more(lore.UnknownRecord, lore.Info, lines.Locator(r), "a record that is neither facts nor a message")
		}
	}
	switch {
	case lines.Err() != nil:
		return lines.Err()
	case lines.Good() == 0 && lines.Damaged() > 0:
		if !trusted {
			return adapter.ErrNotMine
		}
		return adapter.ErrMalformed
	case lines.Good() == 0 && !trusted:
		return adapter.ErrNotMine
	}
	if t.heads == 0 && t.count > 0 {
		t.lost.one(lore.MissingHeader, lore.Info, t.place(), "no facts about the session")
	}
	t.ledger.Damage(lines.Damaged())
	t.lost.list = append(lines.Losses(), t.lost.list...)
	return t.end()
}

// idOf returns the id of a session by its file's name.
func idOf(name string) string {
	return strings.TrimSuffix(path.Base(strings.TrimSuffix(name, ".zst")), ".jsonl")
}

func isMessage(v kit.Value) bool {
	return (v.Get("role").Is("user") || v.Get("role").Is("assistant")) && v.Get("content").IsArray() && !v.Get("type").Exists()
}

func isHead(v kit.Value) bool {
	return !v.Get("role").Exists() && !v.Get("type").Exists() && v.Get("working_dir").IsString() &&
		(v.Get("description").Exists() || v.Get("message_count").Exists())
}

// head takes the facts about the session.
func (t *talk) head(v kit.Value) {
	s := &t.session
	if id := v.Get("id").String(); id != "" {
		s.id = id
	}
	s.title, s.dir = v.Get("description").String(), v.Get("working_dir").String()
	s.created, _ = kit.ParseTime(v.Get("created_at"))
	s.updated, _ = kit.ParseTime(v.Get("updated_at"))
	if v.Get("schedule_id").String() != "" {
		s.kind = lore.Automation
	}
	s.usage = sums(func(name string) int64 { n, _ := v.Get(name).Int(); return n })
}

// sums are the tokens of a whole session; nil when it does not count them.
func sums(count func(name string) int64) *lore.Usage {
	u := lore.Usage{Input: max(count("accumulated_input_tokens"), 0), Output: max(count("accumulated_output_tokens"), 0)}
	if u == (lore.Usage{}) {
		return nil
	}
	return &u
}

// messageOf reads a message's line.
func messageOf(v kit.Value, unit lore.Locator) message {
	m := message{id: v.Get("id").String(), role: v.Get("role").String(), content: v.Get("content"), unit: unit}
	m.at = timeOf(v.Get("created"))
	m.sight(v.Get("metadata"))
	return m
}

// timeOf reads a time in seconds; 0 is none.
func timeOf(v kit.Value) lore.Time {
	if n, ok := v.Int(); ok && n == 0 {
		return lore.Time{}
	}
	t, _ := kit.ParseTime(v)
	return t
}

// sight takes who sees a message.
func (m *message) sight(v kit.Value) {
	no := func(key string) bool { return v.Get(key).Exists() && v.Get(key).Raw()[0] == 'f' }
	m.hidden, m.dropped = no("userVisible"), no("userVisible") && no("agentVisible")
	m.hidden = m.hidden && !m.dropped
}
