package service

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"lore"
	"lore/adapter/kit"
	"lore/internal/archive"
	"lore/internal/index"
)

// Grep yields every match in everything archived, as events. An error of emit ends it.
func (s *Service) Grep(ctx context.Context, req GrepRequest, emit func(GrepEvent) error) error {
	began := s.Now()
	p, err := compile(req)
	if err != nil {
		return err
	}
	l, err := s.open(ctx)
	if err != nil {
		return err
	}
	defer l.close()
	allowed, err := s.allowed(l, req.Query)
	if err != nil {
		return err
	}
	g := &grepping{library: l, req: req, pattern: p, emit: emit, began: began, now: s.Now, allowed: allowed}
	return s.failure(g.run(ctx))
}

// grepping is one grep while it runs.
type grepping struct {
	*library
	req     GrepRequest
	pattern *pattern
	emit    func(GrepEvent) error
	began   time.Time
	now     func() time.Time
	allowed func(lore.ID) bool // nil: every conversation
	sum     GrepSummary
}

// run finds the evidences that may hold a match, then reads the conversations in them, several at a time, and tells of
// each as soon as it is its turn.
func (g *grepping) run(ctx context.Context) error {
	files, err := g.candidates(ctx)
	if err != nil {
		return err
	}
	ids, err := g.conversations(files)
	if err != nil {
		return err
	}
	if err := g.readAll(ctx, ids); err != nil {
		return err
	}
	g.sum.ElapsedMS = g.now().Sub(g.began).Milliseconds()
	return g.emit(GrepEvent{Type: "summary", Data: g.sum})
}

// candidates returns the evidences in whose bytes the literal of the pattern stands.
func (g *grepping) candidates(ctx context.Context) ([]int64, error) {
	var mu sync.Mutex
	hit := map[int64]bool{}
	if len(g.pattern.needle.Literals) == 0 {
		return g.everyFile()
	}
	needle := g.pattern.needle
	needle.Versions = true // a message that its source has removed is still one
	err := g.archive.SearchRaw(ctx, needle, func(line *archive.Line) error {
		mu.Lock()
		defer mu.Unlock()
		if line.File.Of == 0 {
			hit[line.File.ID] = true
			return archive.SkipFile
		}
		mains, err := g.archive.Mains(line.File.ID)
		for _, main := range mains {
			hit[main] = true
		}
		if err != nil {
			return err
		}
		return archive.SkipFile
	})
	if err != nil {
		return nil, err
	}
	files := make([]int64, 0, len(hit))
	for id := range hit {
		files = append(files, id)
	}
	slices.Sort(files)
	return files, nil
}

func (g *grepping) everyFile() ([]int64, error) {
	all, err := g.index.Evidences()
	if err != nil {
		return nil, err
	}
	files := make([]int64, 0, len(all))
	for i := range all {
		files = append(files, all[i].ID)
	}
	return files, nil
}

// conversations returns the conversations that some evidences speak of, each once.
func (g *grepping) conversations(files []int64) ([]lore.ID, error) {
	var ids []lore.ID
	seen := map[lore.ID]bool{}
	for _, f := range files {
		linked, err := g.index.LinkedTo(f)
		if err != nil {
			return nil, err
		}
		if linked, err = g.narrow(f, linked); err != nil {
			return nil, err
		}
		for _, link := range linked {
			if !link.Partial && !seen[link.Conversation] && (g.allowed == nil || g.allowed(link.Conversation)) {
				seen[link.Conversation] = true
				ids = append(ids, link.Conversation)
			}
		}
	}
	return ids, nil
}

// manyConversations is from how many conversations on an evidence is read once to see which of them match.
const manyConversations = 3

// narrow drops, for an evidence of many conversations, those in which it holds no match.
func (g *grepping) narrow(file int64, linked []index.LinkOf) ([]index.LinkOf, error) {
	if len(linked) < manyConversations {
		return linked, nil
	}
	match := map[lore.ID]bool{}
	err := g.assembler.Evidence(context.Background(), file, func(id lore.ID, c *lore.Conversation) error {
		if !match[id] && g.matches(c) {
			match[id] = true
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(linked, func(l index.LinkOf) bool { return !match[l.Conversation] }), nil
}

func (g *grepping) matches(c *lore.Conversation) bool {
	found := false
	for i := range c.Messages {
		for k := range c.Messages[i].Parts {
			g.lines(&c.Messages[i].Parts[k], func(int, string, [][]int) bool { found = true; return false })
			if found {
				return true
			}
		}
	}
	return false
}

// told is what one conversation has to tell.
type told struct {
	events  []GrepEvent
	matches int
	lines   int
	err     error
}

// readAll loads conversations on every core and tells of them in order.
func (g *grepping) readAll(ctx context.Context, ids []lore.ID) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	n := runtime.GOMAXPROCS(0)
	slots := make(chan chan told, n) // bounds how far the readers are ahead of the teller
	go func() {
		defer close(slots)
		for _, id := range ids {
			out := make(chan told, 1)
			select {
			case slots <- out:
			case <-ctx.Done():
				return
			}
			go func() { out <- g.read(ctx, id) }()
		}
	}()
	for out := range slots {
		t := <-out
		if t.err != nil {
			return t.err
		}
		if t.lines == 0 {
			continue
		}
		g.sum.Conversations++
		g.sum.Matches += t.matches
		g.sum.Lines += t.lines
		for _, e := range t.events {
			if err := g.emit(e); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

// read loads one conversation and collects its matches.
func (g *grepping) read(ctx context.Context, id lore.ID) (t told) {
	c, err := g.assembler.Load(ctx, id)
	if err != nil {
		return told{err: err}
	}
	t.events = append(t.events, GrepEvent{Type: "begin", Data: GrepBegin{Conversation: HitOf{ID: c.ID, ShortID: c.ID.Short(),
		NativeID: c.Native, Title: c.Title, Source: c.Source, Project: c.Project}}})
	for i := range c.Messages {
		m := &c.Messages[i]
		for k := range m.Parts {
			near := &surroundings{g: g, told: &t, c: c, m: m, p: &m.Parts[k]}
			g.lines(&m.Parts[k], func(no int, line string, found [][]int) bool {
				near.before(no)
				t.add(c, m, &m.Parts[k], no, line, found)
				near.last = no
				return g.req.MaxCount == 0 || t.lines < g.req.MaxCount
			})
			near.after(-1)
			if g.req.MaxCount > 0 && t.lines >= g.req.MaxCount {
				break
			}
		}
	}
	t.events = append(t.events, GrepEvent{Type: "end", Data: GrepEnd{Conversation: c.ID, Matches: t.matches, Lines: t.lines}})
	return t
}

// surroundings tells of the lines around the matches of one part.
type surroundings struct {
	g    *grepping
	told *told
	c    *lore.Conversation
	m    *lore.Message
	p    *lore.Part
	text []string // of the part, split when the first match asks for it
	last int      // line that was told last
}

// before tells of what stands behind the match before and in front of line no.
func (s *surroundings) before(no int) {
	s.after(no)
	if s.g.req.Before > 0 {
		s.lines(max(s.last+1, no-s.g.req.Before), no)
	}
}

// after tells of what stands behind the match before, up to line end; -1 is the end of the text.
func (s *surroundings) after(end int) {
	if s.last == 0 || s.g.req.After == 0 {
		return
	}
	to := s.last + 1 + s.g.req.After
	if end >= 0 {
		to = min(to, end)
	}
	s.lines(s.last+1, to)
}

func (s *surroundings) lines(from, to int) {
	if s.text == nil {
		s.text = strings.Split(s.p.Text, "\n")
	}
	for no := from; no < min(to, len(s.text)+1); no++ {
		line := strings.TrimSuffix(s.text[no-1], "\r")
		s.told.events = append(s.told.events, GrepEvent{Type: "context", Data: matchOf(s.c, s.m, s.p, no, line, nil)})
		s.last = no
	}
}

func (t *told) add(c *lore.Conversation, m *lore.Message, p *lore.Part, no int, line string, found [][]int) {
	t.lines++
	t.matches += len(found)
	t.events = append(t.events, GrepEvent{Type: "match", Data: matchOf(c, m, p, no, line, found)})
}

func matchOf(c *lore.Conversation, m *lore.Message, p *lore.Part, no int, line string, found [][]int) GrepMatch {
	match := GrepMatch{Conversation: c.ID, Message: m.ID, ShortID: m.ID.Short(), Role: m.Role, Kind: p.Kind, LineNumber: no,
		Line: line, Submatches: []Submatch{}}
	if len(m.Origins) > 0 {
		match.Origin = m.Origins[0]
	}
	for _, f := range found {
		match.Submatches = append(match.Submatches, Submatch{Match: line[f[0]:f[1]], Start: f[0], End: f[1]})
	}
	return match
}

// lines calls f for each line of a part that matches (that does not, for an inverted grep), until f returns false. The
// input of a call is searched as it was written and, where that has no match, in the texts that its JSON stands for.
func (g *grepping) lines(p *lore.Part, f func(no int, line string, found [][]int) bool) {
	matched := g.textLines(p.Text, f)
	if matched || p.Kind != lore.Call || g.req.Invert {
		return
	}
	var doc kit.Doc
	v, err := doc.Parse([]byte(p.Text))
	if err != nil {
		return
	}
	var b strings.Builder
	decoded(v, &b)
	g.textLines(b.String(), f)
}

func (g *grepping) textLines(text string, f func(no int, line string, found [][]int) bool) (matched bool) {
	if !g.req.Invert && !g.pattern.re.MatchString(text) && !strings.Contains(text, "\n") {
		return false
	}
	no := 0
	for line := range strings.SplitSeq(text, "\n") {
		no++
		line = strings.TrimSuffix(line, "\r")
		found := g.pattern.re.FindAllStringIndex(line, -1)
		if (len(found) > 0) == g.req.Invert {
			continue
		}
		matched = true
		if !f(no, line, found) {
			break
		}
	}
	return matched
}

// decoded writes the texts of a JSON value, one a line, with the key in front.
func decoded(v kit.Value, b *strings.Builder) {
	switch v.Kind() {
	case kit.String:
		fmt.Fprintln(b, v.String())
	case kit.Array:
		for item := range v.Items() {
			decoded(item, b)
		}
	case kit.Object:
		for key, item := range v.Fields() {
			b.WriteString(key + ": ")
			decoded(item, b)
		}
	case kit.Absent:
	default:
		b.Write(v.Raw())
		b.WriteByte('\n')
	}
}
