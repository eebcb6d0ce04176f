package codex

import (
	"context"
	"fmt"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// readLines reads a rollout of generation 2 or 3.
func readLines(ctx context.Context, in adapter.Input, trusted bool, yield yielder) error {
	lines, err := kit.OpenLines(in, in.Source.Path, kit.Options{TopKeys: topKeys})
	if err != nil {
		return err
	}
	defer lines.Close()
	s := newScan(in.Source.Path)
	s.trusted, s.losses.make = trusted, lines.Loss
	for r := range lines.All() {
		s.take(r.Value, spot{r.Offset, r.Length, int32(r.Line)})
		if !s.mine && s.good >= sniffed || ctx.Err() != nil {
			break
		}
	}
	if err := firstError(ctx.Err(), lines.Err()); err != nil {
		return err
	}
	if s.good > 0 && !s.mine {
		return adapter.ErrNotMine
	}
	s.freeze(in, lines)
	s.damage(lines)
	if s.good == 0 && lines.Damaged() > 0 {
		return damagedOnly(in, lines, yield)
	}
	s.finish()
	mates := &lazyLines{in: in}
	defer mates.close()
	return newEmitter(s, in, lines, mates, yield).run(ctx, 0)
}

// damage accounts for what could not be decoded. Where the first line is whole but no head, that is one loss more.
func (s *scan) damage(lines *kit.Lines) {
	s.ledger.Damage(lines.Damaged())
	s.losses.list = append(lines.Losses(), s.losses.list...)
	if !s.head.found && lines.Damaged() == 0 && s.good > 0 {
		s.losses.one(lore.MissingHeader, lore.Info, 0, "no session_meta; id and time are those of the file's name")
	}
	clear(s.losses.kind) // their places in the list have moved; the losses to come are of other sorts
}

// damagedOnly yields the account of a file of which nothing decodes, and fails.
func damagedOnly(in adapter.Input, lines *kit.Lines, yield yielder) error {
	c := &lore.Conversation{Source: in.Source.Product, Store: in.Source.Store, Partial: true, Losses: lines.Losses()}
	c.Ledger.Damage(lines.Damaged())
	if !yield(c, nil) {
		return errStopped
	}
	return fmt.Errorf("none of %d lines decodes: %w", lines.Damaged(), adapter.ErrMalformed)
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// lazyLines reads single records of a file beside the main reading, so that a compressed file is never decoded from its
// start again for them.
type lazyLines struct {
	in    adapter.Input
	lines *kit.Lines
}

func (l *lazyLines) at(offset, length int64) (kit.Value, error) {
	if l.lines == nil {
		lines, err := kit.OpenLines(l.in, l.in.Source.Path, kit.Options{TopKeys: topKeys})
		if err != nil {
			return kit.Value{}, err
		}
		l.lines = lines
	}
	return l.lines.At(offset, length)
}

func (l *lazyLines) close() {
	if l.lines != nil {
		l.lines.Close()
	}
}
