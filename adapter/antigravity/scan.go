package antigravity

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// topKeys are the keys that stand first in a record: where reading goes on after damage.
var topKeys = []string{"step_index", "source", "type"}

// sniffed is how many records of a file are looked at to tell whether it is a transcript.
const sniffed = 64

// file is one of the two forms of a transcript.
type file struct {
	lines *kit.Lines
	tally *kit.Tally
	seen  map[uint64]*step
}

// spot is a line that says a step.
type spot struct {
	file           *file
	offset, length int64
	line           int
}

// step is one step, without its words.
type step struct {
	spots  []spot // the first is read
	index  int64
	typ    string
	native string
}

// scan is the first pass.
type scan struct {
	in     adapter.Input
	files  []*file
	steps  []*step
	ledger lore.Ledger
}

func readTranscript(ctx context.Context, in adapter.Input, yield yielder) error {
	s := &scan{in: in}
	defer s.close()
	mine, err := s.file(ctx, in.Source.Path, s.take)
	if err != nil {
		return err
	}
	main := s.files[0].lines
	if main.Good() > 0 && !mine {
		return adapter.ErrNotMine
	}
	for _, name := range in.Source.Companions {
		w := newWeaver(s)
		if _, err := s.file(ctx, name, w.take); ctx.Err() != nil {
			return ctx.Err()
		} else if err != nil {
			s.files[0].tally.One(lore.ExternalMissing, lore.Info, 0, "the other form of the transcript cannot be read")
		}
		w.weave()
	}
	s.settle()
	if err := (&writer{scan: s}).write(ctx, yield); err != nil {
		return err
	}
	if main.Good() == 0 && main.Damaged() > 0 && len(s.steps) == 0 {
		return fmt.Errorf("none of %d lines decodes: %w", main.Damaged(), adapter.ErrMalformed)
	}
	return nil
}

func (s *scan) close() {
	for _, f := range s.files {
		f.lines.Close()
	}
}

// file reads the lines of one form and tells whether some are steps.
func (s *scan) file(ctx context.Context, name string, take func(*file, *kit.Record)) (mine bool, err error) {
	lines, err := kit.OpenLines(s.in, name, kit.Options{TopKeys: topKeys})
	if err != nil {
		return false, err
	}
	f := &file{lines: lines, tally: kit.NewTally(s.in, name), seen: map[uint64]*step{}}
	s.files = append(s.files, f)
	for r := range lines.All() {
		mine = mine || isStep(r.Value)
		take(f, r)
		if ctx.Err() != nil || !mine && lines.Good() >= sniffed {
			break
		}
	}
	if ctx.Err() != nil {
		return mine, ctx.Err()
	}
	s.ledger.Damage(lines.Damaged())
	return mine, lines.Err()
}

// stepOf makes a step of a line; nil when an earlier line of the file is the same, byte for byte.
func (s *scan) stepOf(f *file, r *kit.Record) *step {
	at := spot{f, r.Offset, r.Length, r.Line}
	if first := f.seen[r.Hash]; first != nil {
		first.spots = append(first.spots, at)
		s.ledger.Merge(1)
		f.tally.More(lore.DuplicateLine, lore.Info, r.Line, "identical lines")
		return nil
	}
	st := &step{spots: []spot{at}, index: -1, typ: r.Value.Get("type").String()}
	if n, ok := r.Value.Get("step_index").Int(); ok {
		st.index = n
	}
	f.seen[r.Hash] = st
	return st
}

// take takes in a line of the better form.
func (s *scan) take(f *file, r *kit.Record) {
	if st := s.stepOf(f, r); st != nil {
		s.steps = append(s.steps, st)
	}
}

// weaver takes in the lines of the other form: those that say a step again are merged with it, the others stand behind the
// step that they follow.
type weaver struct {
	*scan
	free  map[stepKey][]*step // steps of the better form that no line of this one has said yet
	last  *step               // of the better form; nil before the first
	after map[*step][]*step   // steps that only this form has
}

type stepKey struct {
	index int64
	typ   string
}

func newWeaver(s *scan) *weaver {
	w := &weaver{scan: s, free: map[stepKey][]*step{}, after: map[*step][]*step{}}
	for _, st := range s.steps {
		key := stepKey{st.index, st.typ}
		w.free[key] = append(w.free[key], st)
	}
	return w
}

func (w *weaver) take(f *file, r *kit.Record) {
	st := w.stepOf(f, r)
	if st == nil {
		return
	}
	key := stepKey{st.index, st.typ}
	if twins := w.free[key]; len(twins) > 0 && st.index >= 0 {
		w.last, w.free[key] = twins[0], twins[1:]
		w.last.spots = append(w.last.spots, st.spots...)
		f.seen[r.Hash] = w.last
		w.ledger.Merge(1)
		return
	}
	w.after[w.last] = append(w.after[w.last], st)
}

// weave puts the steps that only the other form has into the list.
func (w *weaver) weave() {
	list := w.after[nil]
	for _, st := range w.steps {
		list = append(append(list, st), w.after[st]...)
	}
	w.scan.steps = list
}

// settle gives the steps their order and their ids. Indices that begin anew after the conversation was resumed tell no
// order: that of the file stands, and only the first step of an index has it as its id.
func (s *scan) settle() {
	seen := map[int64]bool{}
	unique := true
	for _, st := range s.steps {
		unique = unique && !seen[st.index] && st.index >= 0
		if !seen[st.index] && st.index >= 0 {
			st.native = fmt.Sprint(st.index)
		}
		seen[st.index] = true
	}
	if unique {
		slices.SortStableFunc(s.steps, func(a, b *step) int { return int(min(max(a.index-b.index, -1), 1)) })
	}
}

// native returns the id of the conversation: that of the folder in which its logs stand.
func native(name string) string {
	dir, _, ok := strings.Cut(name, "/"+logsDir+"/")
	if !ok {
		return ""
	}
	return dir[strings.LastIndex(dir, "/")+1:]
}
