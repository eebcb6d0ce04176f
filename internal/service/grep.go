package service

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"

	"lore"
	"lore/internal/index"
	"lore/internal/query"
)

// Grep yields every match in everything archived, or with Live in the sources as they are now, as events. An error of
// emit ends it.
func (s *Service) Grep(ctx context.Context, req GrepRequest, emit func(GrepEvent) error) error {
	p, err := compile(req)
	if err != nil {
		return err
	}
	q, _, err := s.parse(req.Query)
	if err != nil {
		return err
	}
	g := &grepping{service: s, req: req, pattern: p, emit: emit, filter: index.NewRecordFilter(q, req.Live), began: s.Now(),
		sum: GrepSummary{Failures: []Fault{}}}
	if req.Live {
		return s.failure(g.live(ctx))
	}
	l, err := s.open(ctx)
	if err != nil {
		return err
	}
	defer l.close()
	g.library = l
	return s.failure(g.archived(ctx, l, q))
}

// grepping is one grep while it runs.
type grepping struct {
	service *Service
	library *library // nil: the sources are read as they are now
	req     GrepRequest
	pattern *pattern
	filter  *index.RecordFilter
	emit    func(GrepEvent) error
	began   time.Time
	sum     GrepSummary
	told    map[lore.ID]bool // conversations with a match, where those without are asked for
	open    *GrepEnd         // of the conversation that is being told of
}

// most is how many lines of one conversation are wanted; below 0: all.
func (g *grepping) most() int {
	switch {
	case g.req.Lines == GrepFirst || g.req.Lines == GrepWithout:
		return 1
	case g.req.MaxCount > 0:
		return g.req.MaxCount
	}
	return -1
}

// matched is a message with a match.
type matched struct {
	content lore.ID
	events  []GrepEvent
	lines   int
	matches int
}

// matchedIn are messages of one conversation, in order.
type matchedIn struct {
	of       HitOf
	messages []matched
	fault    *Fault // instead: what could not be read
}

// reader reads one thing, an evidence or a conversation, and gives away what it finds.
type reader func(ctx context.Context, give func(matchedIn) error) error

// reading is a reader at work.
type reading struct {
	found chan matchedIn
	err   error // set before found is closed
}

// ahead bounds how many pieces with a match a reading may be ahead of what is told.
const ahead = 16

// readAll starts the readers that produce hands to start, as many at a time as there are cores, and tells of what they
// find in their order. after is called behind each. No reader is at work when it returns.
func (g *grepping) readAll(ctx context.Context, produce func(ctx context.Context, start func(reader) error) error, tell func(matchedIn) error, after func()) error {
	ctx, cancel := context.WithCancel(ctx)
	var work sync.WaitGroup
	defer work.Wait()
	defer cancel()
	slots := make(chan *reading, max(runtime.GOMAXPROCS(0)-1, 1))
	var failed error
	work.Go(func() {
		defer close(slots)
		failed = produce(ctx, func(read reader) error {
			r := &reading{found: make(chan matchedIn, ahead)}
			select {
			case slots <- r:
			case <-ctx.Done():
				return ctx.Err()
			}
			work.Go(func() { r.run(ctx, read) })
			return nil
		})
	})
	for r := range slots {
		for m := range r.found {
			if err := tell(m); err != nil {
				return err
			}
		}
		if r.err != nil {
			return r.err
		}
		after()
	}
	return errors.Join(failed, ctx.Err())
}

func (r *reading) run(ctx context.Context, read reader) {
	defer close(r.found)
	r.err = read(ctx, func(m matchedIn) error {
		select {
		case r.found <- m:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
}

// tell emits what was found in a conversation.
func (g *grepping) tell(m matchedIn) error {
	if m.fault != nil {
		g.sum.Failures = append(g.sum.Failures, *m.fault)
		return nil
	}
	if g.told != nil {
		g.told[m.of.ID] = g.told[m.of.ID] || len(m.messages) > 0
		return nil
	}
	for i := range m.messages {
		if err := g.message(m.of, &m.messages[i]); err != nil {
			return err
		}
	}
	return nil
}

func (g *grepping) message(of HitOf, m *matched) error {
	if g.open == nil || g.open.Conversation != of.ID {
		if err := g.begin(of); err != nil {
			return err
		}
	}
	g.open.Lines += m.lines
	g.open.Matches += m.matches
	if g.req.Lines != GrepAll {
		return nil
	}
	g.shorten(m.events)
	for _, e := range m.events {
		if err := g.emit(e); err != nil {
			return err
		}
	}
	return nil
}

func (g *grepping) begin(of HitOf) error {
	if err := g.end(); err != nil {
		return err
	}
	g.open = &GrepEnd{Conversation: of.ID}
	return g.emit(GrepEvent{Type: "begin", Data: GrepBegin{Conversation: of}})
}

// end closes the conversation that is being told of.
func (g *grepping) end() error {
	e := g.open
	if e == nil {
		return nil
	}
	g.open = nil
	g.sum.Conversations++
	g.sum.Matches += e.Matches
	g.sum.Lines += e.Lines
	return g.emit(GrepEvent{Type: "end", Data: *e})
}

// summary ends the grep.
func (g *grepping) summary() error {
	g.sum.ElapsedMS = g.service.Now().Sub(g.began).Milliseconds()
	return g.emit(GrepEvent{Type: "summary", Data: g.sum})
}

// errEnough ends the reading of a conversation of which no more is wanted.
var errEnough = errors.New("enough was found")

// search looks through the messages of one piece of a conversation, of which facts are known, and returns those with a
// match. most bounds the lines, and is lowered by those that were found; below 0 is no bound.
func (g *grepping) search(of, facts *lore.Conversation, most *int) (out []matched) {
	for i := range of.Messages {
		m := &of.Messages[i]
		if !g.filter.Message(facts, m) {
			continue
		}
		hit := matched{content: m.ContentID}
		for k := range m.Parts {
			if *most == 0 || !g.filter.Part(facts, m, &m.Parts[k]) {
				continue
			}
			for _, l := range g.part(&m.Parts[k], *most) {
				if hit.add(of.ID, m, k, l); l.found != nil && *most > 0 {
					*most--
				}
			}
		}
		if hit.lines > 0 {
			out = append(out, hit)
		}
	}
	return out
}

func (t *matched) add(conversation lore.ID, m *lore.Message, part int, l grepLine) {
	p := &m.Parts[part]
	e := GrepMatch{Conversation: conversation, Message: m.ID, ShortID: m.ID.Short(), Role: m.Role, Kind: p.Kind, Part: part,
		LineNumber: l.no, Line: l.text, Submatches: []Submatch{}}
	if len(m.Origins) > 0 {
		e.Origin = m.Origins[0]
	}
	for _, f := range l.found {
		e.Submatches = append(e.Submatches, Submatch{Match: l.text[f[0]:f[1]], Start: f[0], End: f[1]})
	}
	kind := "context"
	if l.found != nil {
		kind = "match"
		t.lines++
		t.matches += len(l.found)
	}
	t.events = append(t.events, GrepEvent{Type: kind, Data: e})
}

// narrowing returns the filter of a query as a set of conversations; nil when it lets all through.
func (s *Service) narrowing(ctx context.Context, l *library, q query.Query) (map[lore.ID]bool, error) {
	if q.Root == nil {
		return nil, nil
	}
	page, err := l.index.List(ctx, q, index.ListOptions{Marks: l.markedSo})
	if err != nil {
		return nil, err
	}
	in := make(map[lore.ID]bool, len(page.Entries))
	for i := range page.Entries {
		in[page.Entries[i].ID] = true
	}
	return in, nil
}
