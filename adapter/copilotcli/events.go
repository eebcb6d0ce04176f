package copilotcli

import (
	"context"
	"fmt"
	"path"
	"strings"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// topKeys are the keys that stand first in an event: where reading goes on after damage.
var topKeys = []string{"type", "data", "id", "timestamp", "parentId", "agentId", "ephemeral"}

// sniffed is how many records of a file that a user named are looked at to tell whether it is a log.
const sniffed = 64

// readEvents reads the log of a session; trusted: it stands where only the tool writes.
func readEvents(ctx context.Context, in adapter.Input, trusted bool, yield yielder) error {
	if !trusted && strings.Contains(in.Name(in.Source.Path), "/GitHub.copilot-chat/transcripts/") {
		return adapter.ErrNotMine // the editor's transcripts have the same events
	}
	lines, err := kit.OpenLines(in, in.Source.Path, kit.Options{TopKeys: topKeys})
	if err != nil {
		return err
	}
	defer lines.Close()
	s := newScan()
	s.losses.in = in
	for r := range lines.All() {
		s.take(r)
		if ctx.Err() != nil || s.mine == 0 && s.good >= sniffed && !trusted {
			break
		}
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case lines.Err() != nil:
		return lines.Err()
	case s.mine == 0 && (!trusted || s.good > 0 && s.strange()):
		return adapter.ErrNotMine
	}
	return s.finish(ctx, in, lines, yield)
}

// strange reports whether no event is of a type that is known.
func (s *scan) strange() bool {
	for i := range s.events {
		if s.events[i].kind != kindUnknown {
			return false
		}
	}
	return true
}

// finish ends the first pass, and begins the second for each conversation.
func (s *scan) finish(ctx context.Context, in adapter.Input, lines *kit.Lines, yield yielder) error {
	s.convs[0].ledger.Damage(lines.Damaged())
	s.losses.list = append(lines.Losses(), s.losses.list...)
	clear(s.losses.kind)
	s.losses.more(lore.DuplicateLine, lore.Info, s.againAt, "events written again byte for byte", s.again)
	if s.good == 0 && lines.Damaged() > 0 {
		if err := put(yield, account(in, s.convs[0].ledger, s.losses.list)); err != nil {
			return err
		}
		return fmt.Errorf("none of %d lines decodes: %w", lines.Damaged(), adapter.ErrMalformed)
	}
	s.settle()
	s.place(in)
	e := &emitter{scan: s, ctx: ctx, in: in, lines: lines, yield: yield, file: in.Name(in.Source.Path), beside: besideOf(in)}
	for i, c := range s.convs {
		var err error
		switch {
		case c.speaks:
			err = e.conversation(int32(i))
		case i == 0:
			err = e.silent()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// place takes from the file's path what the file does not say itself, and says where the two differ.
func (s *scan) place(in adapter.Input) {
	id := placeOf(in)
	switch {
	case s.native == "":
		s.native = id
		if s.good > 0 && s.convs[0].ledger.Damaged == 0 {
			s.losses.one(lore.MissingHeader, lore.Info, 0, "no session.start; the id is that of the file's place")
		}
	case id != "" && id != s.native:
		s.losses.one(lore.IDMismatch, lore.Info, 0, "the place says "+id+", the session "+s.native)
	}
	if s.other != "" {
		s.losses.one(lore.IDMismatch, lore.Info, 0, "begins as session "+s.native+" and as "+s.other+" later")
	}
}

// placeOf returns the session's id by the place of its log: the name of its folder, in the older layout its own name.
func placeOf(in adapter.Input) string {
	parts := strings.Split(in.Name(in.Source.Path), "/")
	n := len(parts) - 1
	switch {
	case n >= 2 && parts[n] == eventsName && parts[n-2] == sessionsDir:
		return parts[n-1]
	case n >= 1 && parts[n-1] == sessionsDir:
		return strings.TrimSuffix(parts[n], path.Ext(parts[n]))
	}
	return ""
}
