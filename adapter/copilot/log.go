package copilot

import (
	"context"
	"fmt"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// logKeys begin a record of an operation log.
var logKeys = []string{"kind"}

// sniffed is how many records a file may have before it has to look like one of this source.
const sniffed = 8

// replayLog replays an operation log. trusted: the file stands where only the editor writes.
func (s *state) replayLog(ctx context.Context, f *file, trusted bool) error {
	lines, err := kit.OpenLines(f.in, f.path, kit.Options{TopKeys: logKeys})
	if err != nil {
		return err
	}
	defer lines.Close()
	mine := 0
	for r := range lines.All() {
		if s.step(f, r, trusted) {
			mine++
		}
		if err := firstError(ctx.Err(), s.err); err != nil {
			return err
		}
		if mine == 0 && lines.Good() >= sniffed {
			break
		}
	}
	if lines.Err() != nil {
		return lines.Err()
	}
	if mine == 0 && (lines.Good() > 0 || !trusted) {
		return adapter.ErrNotMine
	}
	for range lines.Damaged() {
		s.units.add(unit{src: f, fate: fateDamaged})
	}
	s.lineLosses(lines)
	if mine > 0 && !s.headed && lines.Damaged() == 0 {
		s.losses.one(f, lore.MissingHeader, lore.Warning, 0, "no initial entry: replayed from an empty session")
	}
	if mine == 0 && lines.Damaged() > 0 {
		return fmt.Errorf("none of %d lines decodes: %w", lines.Damaged(), adapter.ErrMalformed)
	}
	return nil
}

// lineLosses takes over what was lost in lines. A line above the kit's bound is not cut here: its values are read one by
// one.
func (s *state) lineLosses(lines *kit.Lines) {
	for _, l := range lines.Losses() {
		if l.Code != lore.OversizedRecord {
			s.losses.lines = append(s.losses.lines, l)
		}
	}
}

// step applies one line of a log. It reports whether the line looks like one.
func (s *state) step(f *file, r *kit.Record, trusted bool) bool {
	u := s.units.add(unit{src: f, off: r.Offset, len: r.Length, line: int32(r.Line)})
	kind, ok := r.Value.Get("kind").Int()
	if !ok || kind < kindInitial || kind > kindDelete {
		name := "record without kind"
		if k := r.Value.Get("kind"); k.Exists() {
			name = "kind " + kit.Clip(string(k.Raw()))
		}
		s.settle(u, verdict{fate: fateUnknown, name: name})
		return trusted && ok
	}
	o := op{kind: kind, index: r.Value.Get("i")}
	if kind != kindInitial {
		var why string
		if o.path, why = stepsOf(r.Value.Get("k")); why != "" {
			s.settle(u, damaged("%s", why))
			return trusted
		}
	}
	if v := r.Value.Get("v"); v.Exists() && !(v.IsNull() && kind == kindPush) {
		o.value = s.valueOf(f, r, u, planOf(o))
	}
	s.settle(u, s.apply(o))
	return true
}

// planOf says what of a step's value will be looked into.
func planOf(o op) *plan {
	p := sessionPlan
	for _, at := range o.path {
		if at.index >= 0 && p.items != nil {
			p = p.items
		} else if p = p.members[at.key]; p == nil {
			return leaf
		}
	}
	return p
}

// valueOf lays out the value of a step.
func (s *state) valueOf(f *file, r *kit.Record, u int32, p *plan) *node {
	w := &s.walker
	w.reset(f.at, r.Offset, r.Offset+r.Length)
	var found *node
	err := w.object(func(key string) (err error) {
		if key != "v" {
			_, err = w.skip()
			return err
		}
		found, err = w.build(f, u, p)
		return err
	})
	if err != nil && w.err != nil {
		s.fail(w.err)
	}
	return found
}

// settle notes what became of a unit.
func (s *state) settle(u int32, v verdict) {
	x := &s.units.list[u]
	x.fate, x.name = v.fate, v.name
	switch v.fate {
	case fateDamaged:
		s.losses.one(x.src, lore.BadPatch, lore.Warning, x.line, v.why)
	case fateUnknown:
		s.losses.unknown(x.src, x.line, v.name)
	}
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
