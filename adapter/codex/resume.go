package codex

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"iter"
	"maps"
	"path"
	"slices"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// A rollout that grows is read on from a place near its end. What the first pass has found up to there is saved, and
// where the second pass stood. What can be told only of the whole file is settled anew; where it then says of a unit
// before the place anything else than it did, the whole file is read.

var _ adapter.Resumer = codex{}

// scanned is the first pass at the end of the last whole line.
type scanned struct {
	src      kit.LinesState
	head     head
	units    []unit
	window   window
	runs     runs
	replay   replay
	usage    usage
	ledger   lore.Ledger
	losses   []lore.Loss
	kind     map[lossKind]int
	models   []string
	model    int16
	turn     turn
	marks    marks
	backs    []rollback
	spawns   map[fold]string
	facts    []*lore.Conversation
	good     int
	mine     bool
	ordinals ordinals
}

// placed is the second pass at a place between two units.
type placed struct {
	at       int // units before it
	digest   uint64
	last     lore.Time
	shared   int
	badTimes tallied
	merged   int         // units that it moved from kept to merged
	losses   []lore.Loss // that it added
	kind     map[lossKind]int
}

// saved is all that Resume needs.
type saved struct {
	Scan  scanned
	Place placed
}

// freeze keeps what the first pass has found, where the caller asks for it and the lines can be read on.
func (s *scan) freeze(in adapter.Input, lines *kit.Lines) {
	st, ok := lines.State()
	if in.Save == nil || !ok {
		return
	}
	s.frozen = kit.PackBytes(&scanned{st, s.head, s.units, s.window, s.runs, s.replay, s.usage, s.ledger, s.losses.list, s.losses.kind,
		s.models, s.model, s.turn, s.marks, s.backs, s.spawns, s.facts, s.good, s.mine, s.ordinals})
	s.total = lines.Size()
}

func (s *scan) thaw(f *scanned) {
	s.head, s.units, s.window, s.runs, s.replay, s.usage, s.ledger = f.head, f.units, f.window, f.runs, f.replay, f.usage, f.ledger
	s.losses.list, s.losses.kind = f.losses, f.kind
	s.models, s.model, s.turn, s.marks, s.backs, s.spawns, s.facts = f.models, f.model, f.turn, f.marks, f.backs, f.spawns, f.facts
	s.good, s.mine, s.ordinals = f.good, f.mine, f.ordinals
}

// Resume implements adapter.Resumer.
func (codex) Resume(ctx context.Context, in adapter.Input, state []byte) iter.Seq2[*lore.Conversation, error] {
	return func(yield func(*lore.Conversation, error) bool) {
		if err := resume(ctx, in, state, yield); err != nil && err != errStopped {
			yield(nil, fmt.Errorf("%q: %w", in.Name(in.Source.Path), err))
		}
	}
}

func resume(ctx context.Context, in adapter.Input, state []byte, yield yielder) error {
	var f saved
	if path.Ext(in.Source.Path) != ".jsonl" || !kit.OpenState(state, kit.Layout(&f), &f.Scan, &f.Place) {
		return adapter.ErrStale
	}
	lines, err := kit.ResumeLines(in, in.Source.Path, kit.Options{TopKeys: topKeys}, f.Scan.src)
	if err != nil {
		return adapter.ErrStale
	}
	defer lines.Close()
	trusted := in.Source.Store != ""
	in = settle(in, shapeLines)
	s := newScan(in.Source.Path)
	s.trusted, s.losses.make = trusted, lines.Loss
	s.thaw(&f.Scan)
	for r := range lines.All() {
		s.take(r.Value, spot{r.Offset, r.Length, int32(r.Line)})
		if ctx.Err() != nil {
			break
		}
	}
	if err := firstError(ctx.Err(), lines.Err()); err != nil {
		return err
	}
	s.freeze(in, lines)
	s.damage(lines)
	s.finish()
	mates := &lazyLines{in: in}
	defer mates.close()
	e := newEmitter(s, in, lines, mates, yield)
	if !e.goOn(&f.Place) {
		return adapter.ErrStale
	}
	return e.run(ctx, f.Place.at)
}

func newEmitter(s *scan, in adapter.Input, lines *kit.Lines, mates *lazyLines, yield yielder) *emitter {
	return &emitter{scan: s, in: in, read: lines.At, mates: mates.at, yield: yield, file: in.Name(in.Source.Path),
		base: len(s.losses.list), kept: s.ledger.Kept, spent: s.usage.spent}
}

// goOn puts the second pass where it stood. False: the units before the place are not as they were.
func (e *emitter) goOn(p *placed) bool {
	if p.at > len(e.units) || e.digest(p.at) != p.digest {
		return false
	}
	e.last, e.shared, e.badTimes = p.last, p.shared, p.badTimes
	e.ledger.Remerge(p.merged)
	e.losses.list = append(e.losses.list, p.losses...)
	e.losses.kind = map[lossKind]int{}
	for k, at := range p.kind {
		e.losses.kind[k] = e.base + at
	}
	if p.at > 0 {
		e.from = e.units[p.at-1].offset + e.units[p.at-1].length
	}
	return true
}

// digest sums up what is settled of the first units, as far as the second pass makes use of it.
func (e *emitter) digest(at int) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s %s %s ", e.native(), e.begun(), e.replay.time)
	var b [64]byte
	for i := range e.units[:at] {
		u := &e.units[i]
		d := b[:0]
		for _, n := range [...]int32{u.owner, u.mate, u.twin, u.next, int32(u.model)<<16 | int32(u.flags), int32(u.what)<<8 | int32(u.rep)} {
			d = binary.LittleEndian.AppendUint32(d, uint32(n))
		}
		h.Write(d)
	}
	for _, x := range e.spent {
		if x.unit >= 0 && int(x.unit) < at {
			fmt.Fprintf(h, "%+v", x)
		}
	}
	return h.Sum64()
}

// enough is how many units have to stand behind a place: what is appended changes most often what stands just before it.
const enough = 64

// save offers the state before a unit, where it is a good one.
func (e *emitter) save(at int) {
	if e.frozen == nil || len(e.units)-at < enough {
		return
	}
	p := &placed{at: at, last: e.last, shared: e.shared, badTimes: e.badTimes, merged: e.kept - e.ledger.Kept,
		losses: slices.Clone(e.losses.list[e.base:]), kind: maps.Clone(e.losses.kind)}
	for k := range p.kind {
		p.kind[k] -= e.base
	}
	e.in.Save(func() []byte {
		p.digest = e.digest(at)
		return kit.State(kit.Layout(&saved{}), e.frozen, p)
	})
}

// near reports whether a state may be saved behind an offset, and stop whether it should be.
func (e *emitter) near(offset int64) bool {
	_, within := e.in.SaveStep()
	return e.frozen != nil && e.scan.total-offset <= within
}

func (e *emitter) stop(u *unit) bool {
	step, _ := e.in.SaveStep()
	end := u.offset + u.length
	if !e.near(end) || end-e.from < step {
		return false
	}
	e.from = end
	return true
}
