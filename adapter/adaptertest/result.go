package adaptertest

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"lore"
	"lore/adapter"
)

// result is all that one Read yields, its pieces put together and sealed.
type result struct {
	records  []*record
	err      error
	problems problems
	panicked string
}

// record is one conversation, whole, or one partial record.
type record struct {
	*lore.Conversation // the last piece's header; Messages and Losses of all pieces
	pieces             int
}

// read drains Read. A panic is caught and told.
func read(a adapter.Adapter, in adapter.Input) (r result) {
	defer func() {
		if p := recover(); p != nil {
			r.panicked = fmt.Sprintf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	j := joiner{result: &r}
	for c, err := range a.Read(context.Background(), in) {
		switch {
		case r.err != nil:
			r.fault("something is yielded behind the error %q", r.err)
		case err != nil:
			r.err = err
		case c == nil:
			r.fault("neither a record nor an error is yielded")
		default:
			j.add(c)
		}
	}
	if j.open != nil && r.err == nil {
		r.fault("the last piece of %q has More set", j.open.Native)
	}
	j.finish()
	return r
}

func (r *result) fault(format string, args ...any) {
	r.problems = append(r.problems, fmt.Sprintf(format, args...))
}

// joiner puts the pieces of records together.
type joiner struct {
	result *result
	open   *record
	sealer *lore.Sealer
}

func (j *joiner) add(c *lore.Conversation) {
	piece := *c // an adapter may use its record again
	piece.Messages = cloneMessages(c.Messages)
	piece.Losses = slices.Clone(c.Losses)
	r := j.open
	if r == nil {
		r = &record{Conversation: &piece}
		j.result.records = append(j.result.records, r)
		j.sealer = lore.NewSealer()
	} else if piece.Source != r.Source || piece.Store != r.Store || piece.Native != r.Native || piece.Partial != r.Partial {
		j.result.fault("a piece of %q is followed by a record of %q", r.Native, piece.Native)
		j.finish()
		j.add(c)
		return
	}
	if !piece.Partial {
		j.sealer.Piece(&piece)
	}
	if r.pieces++; r.pieces > 1 {
		piece.Messages = append(r.Messages, piece.Messages...)
		piece.Losses = append(r.Losses, piece.Losses...)
		ledger := r.Ledger
		ledger.Types = cloneCounts(ledger.Types)
		ledger.Add(piece.Ledger)
		piece.Ledger = ledger
		*r.Conversation = piece
	}
	j.open = r
	if !piece.More {
		j.finish()
	}
}

// finish seals the open record.
func (j *joiner) finish() {
	if j.open == nil {
		return
	}
	c := j.open.Conversation
	if !c.Partial {
		j.sealer.Finish(c)
	}
	j.open = nil
}

func cloneMessages(list []lore.Message) []lore.Message {
	list = slices.Clone(list)
	for i := range list {
		list[i].Parts = slices.Clone(list[i].Parts)
		list[i].Origins = slices.Clone(list[i].Origins)
	}
	return list
}

func cloneCounts(m map[string]int) map[string]int {
	if m == nil {
		return nil
	}
	n := make(map[string]int, len(m))
	for key, count := range m {
		n[key] = count
	}
	return n
}

// ids lists what must not change when a source is moved, touched or copied: the ids of conversations and messages.
func (r result) ids() []string {
	var list []string
	for _, rec := range r.records {
		if rec.Partial {
			continue
		}
		list = append(list, "conversation "+rec.ID.String()+" "+rec.ContentHash.String())
		for i := range rec.Messages {
			list = append(list, "message "+rec.Messages[i].ID.String()+" "+rec.Messages[i].ContentID.String())
		}
	}
	return list
}

// placed reports whether a record's id hangs on its place.
func (r result) placed() bool {
	return slices.ContainsFunc(r.records, func(rec *record) bool { return rec.Place != "" && rec.Native == "" })
}

// text is the result as the golden shows it, with the faults of reading.
func (r result) text() []string {
	return strings.Split(string(appendResult(nil, r)), "\n")
}
