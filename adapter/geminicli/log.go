package geminicli

import (
	"context"
	"fmt"

	"github.com/cespare/xxhash/v2"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// readLog replays a log of records; trusted: it stands where only the tool writes.
func (c *chat) readLog(ctx context.Context, trusted bool) error {
	lines, err := kit.OpenLines(c.in, c.main.path, kit.Options{TopKeys: topKeys})
	if err != nil {
		return err
	}
	defer lines.Close()
	mine := 0
	for r := range lines.All() {
		known, err := c.step(r)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		if known {
			mine++
		}
		if mine == 0 && lines.Good() >= sniffed {
			break
		}
	}
	switch {
	case lines.Err() != nil:
		return lines.Err()
	case lines.Good() > 0 && mine == 0:
		c.ledger = lore.Ledger{}
		return adapter.ErrNotMine
	}
	c.ledger.Damage(lines.Damaged())
	c.losses.list = append(c.losses.list, lines.Losses()...)
	if lines.Good() == 0 && lines.Damaged() > 0 && c.found == 0 {
		return fmt.Errorf("none of %d lines decodes: %w", lines.Damaged(), adapter.ErrMalformed)
	}
	return nil
}

// step applies one record, in the order in which the tool itself looks at what it is. It reports whether the record is of
// a sort that is known.
func (c *chat) step(r *kit.Record) (bool, error) {
	v := r.Value
	at := ref{off: r.Offset, len: r.Length, line: int32(r.Line), hash: r.Hash}
	switch {
	case v.Get("$rewindTo").IsString():
		if !c.rewind(v.Get("$rewindTo").String()) {
			c.losses.one(c.main, lore.UnknownRewind, lore.Warning, r.Line, "no message "+clip(v.Get("$rewindTo").String())+": all before it is withdrawn")
		}
		c.ledger.Keep(1)
	case v.Get("id").IsString():
		if !c.message(c.main, v, &at) {
			return v.Get("timestamp").Exists() && v.Get("content").Exists(), nil
		}
		c.put(v.Get("id").String(), at)
	case v.Get("$set").IsObject():
		return true, c.set(v.Get("$set"), r, "$set")
	case isHead(v):
		return true, c.set(v, r, "")
	default:
		c.unknown(c.main, at, recordName(v))
		return false, nil
	}
	return true, nil
}

// recordName names a record of an unknown sort: by its type, else by its first member.
func recordName(v kit.Value) string {
	if typ := v.Get("type"); typ.IsString() {
		return clip(typ.String()) + " without id"
	}
	for key := range v.Fields() {
		return "record with " + clip(key)
	}
	return "empty record"
}

// isHead reports whether a record names the session. Early versions left out the digest of the project's path.
func isHead(v kit.Value) bool {
	return v.Get("sessionId").IsString() && !v.Get("uuid").Exists() && !v.Get("message").Exists() &&
		(v.Get("projectHash").IsString() || v.Get("startTime").Exists() || v.Get("messages").IsArray())
}

// set takes in members of the session. Where a list of messages is among them, it is what stands from here on, and its
// elements are the units.
func (c *chat) set(members kit.Value, r *kit.Record, under string) error {
	fresh := false
	for key, v := range members.Fields() {
		fresh = c.head.take(key, v) || fresh
	}
	if members.Get("messages").Len() > 0 {
		return c.rewrite(r, under)
	}
	switch {
	case fresh:
		c.ledger.Keep(1)
	case under == "":
		c.ledger.Merge(1)
	default:
		c.ledger.Skip(under)
	}
	return nil
}

// rewrite takes in a whole list of messages. They are found by their places, so that each can be read for itself.
func (c *chat) rewrite(r *kit.Record, under string) error {
	var list []element
	w := newWalker(c.main.at, r.Offset, r.Offset+r.Length, r.Line)
	elements := func() error {
		list = list[:0] // of equal keys the last one counts
		return w.array(func(s span) error {
			list = append(list, element{at: ref{off: s.off, len: s.len, line: s.line}})
			return nil
		})
	}
	var members func(deep bool) error
	members = func(deep bool) error {
		return w.object(func(key string) error {
			switch {
			case deep && key == "messages" && w.peek() == '[':
				return elements()
			case !deep && key == under && w.peek() == '{':
				return members(true)
			}
			_, err := w.skip()
			return err
		})
	}
	if err := members(under == ""); err != nil {
		return err
	}
	kept := list[:0]
	for _, e := range list {
		v, err := c.main.value(e.at.off, e.at.len)
		if err != nil {
			return err
		}
		if e.at.hash = xxhash.Sum64(v.Raw()); c.message(c.main, v, &e.at) {
			e.id = v.Get("id").String()
			kept = append(kept, e)
		}
	}
	c.rebase(kept)
	return nil
}
