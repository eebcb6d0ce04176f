package cli

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"lore/internal/service"
)

// pickLimit is how many hits are fetched for picking.
const pickLimit = 50

// previewLimit is how many lines of a preview are kept.
const previewLimit = 400

// pick lets a person search while typing, and shows what was picked.
func (p *Program) pick(ctx context.Context, svc *service.Service, question string, only *filters) error {
	out, ok := p.Stdout.(*os.File)
	if !ok || !term.IsTerminal(int(out.Fd())) || !term.IsTerminal(int(os.Stdin.Fd())) {
		return usage("search -i needs a terminal for what is typed and for what is shown: without -i the hits are printed")
	}
	if p.flags.json || p.flags.ndjson {
		return usage("search -i is for people: leave out --json or -i")
	}
	if p.Getenv("TERM") == "dumb" {
		return usage("search -i cannot move the cursor of a dumb terminal: without -i the hits are printed")
	}
	pg := p.newPage() // also asks the console for colours, and with them for escape sequences
	svc.Progress = nil
	warm := svc.Warm()
	s := &picking{svc: warm, only: only, page: pg, out: out, picker: picker{ascii: asciiOnly(p.Getenv), input: []rune(question)}}
	s.picker.at = len(s.picker.input)
	if err := p.stdout.flush(); err != nil {
		return err
	}
	end, err := s.run(ctx, os.Stdin)
	if err != nil {
		return err
	}
	if end.open == "" {
		if end.code != 0 {
			return outcome(end.code)
		}
		return nil
	}
	res, err := warm.Show(ctx, service.ShowRequest{ID: end.open, Context: 3})
	if err != nil {
		return err
	}
	return p.printShow(res, false)
}

// picking is a picker on a terminal: one goroutine draws and takes keys, one answers questions, one makes previews.
type picking struct {
	svc    *service.Service
	only   *filters
	page   *page
	out    *os.File
	picker picker
	drawn  []string
	cancel [2]context.CancelFunc // of the question and of the preview that are at work
}

// job is a question or a preview that is wanted.
type job struct {
	ctx    context.Context
	number int
	text   string
	width  int
}

func (s *picking) run(ctx context.Context, in *os.File) (end pickEffect, err error) {
	state, err := term.MakeRaw(int(in.Fd()))
	if err != nil {
		return end, fmt.Errorf("cannot take over the terminal: %w", err)
	}
	defer term.Restore(int(in.Fd()), state)
	io.WriteString(s.out, "\x1b[?1049h\x1b[?2004h")
	defer io.WriteString(s.out, "\x1b[?2004l\x1b[?1049l\x1b[?25h")
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()

	typed := make(chan []byte)
	go read(ctx, in, typed)
	questions, previews := make(chan job, 1), make(chan job, 1)
	answers, seen := make(chan pickAnswer), make(chan pickPreview)
	go work(ctx, questions, answers, s.answer)
	go work(ctx, previews, seen, s.preview)

	do := func(e pickEffect) {
		if e.ask {
			s.send(ctx, 0, questions, job{number: s.picker.asked, text: s.picker.question()})
		}
		if e.preview != "" {
			s.send(ctx, 1, previews, job{text: e.preview, width: s.picker.previewWidth()})
		}
		if e.copy != "" {
			io.WriteString(s.out, osc52(e.copy))
		}
	}
	s.size(do)
	do(pickEffect{ask: true})
	tick := time.NewTicker(sizeEvery)
	defer tick.Stop()
	var keys keyDecoder
	var alone <-chan time.Time // when the beginning of a key is one by itself
	for {
		s.draw()
		var pressed []key
		select {
		case b, ok := <-typed:
			if !ok {
				return pickEffect{leave: true}, nil
			}
			pressed = keys.decode(b)
			if alone = nil; keys.wait() {
				alone = time.After(escapeWait)
			}
		case <-alone:
			pressed, alone = keys.flush(), nil
		case a := <-answers:
			do(s.picker.answer(a))
		case v := <-seen:
			s.picker.previewed(v)
		case <-tick.C:
			s.size(do)
		case <-ctx.Done():
			return pickEffect{}, ctx.Err()
		}
		for _, k := range pressed {
			e := s.picker.key(k)
			if e.leave {
				return e, nil
			}
			do(e)
		}
	}
}

// escapeWait is how long the bytes of one key may be apart on a slow line. sizeEvery is how soon a new size of the
// terminal is seen: asked for, because not every system sends a signal.
const (
	escapeWait = 50 * time.Millisecond
	sizeEvery  = 250 * time.Millisecond
)

// read hands over what is typed. It ends with the program: a read of a terminal cannot be called back.
func read(ctx context.Context, in io.Reader, typed chan<- []byte) {
	defer close(typed)
	for {
		b := make([]byte, 256)
		n, err := in.Read(b)
		if n > 0 {
			select {
			case typed <- b[:n]:
			case <-ctx.Done():
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// work does jobs one after the other, and leaves out those that a newer one has cancelled.
func work[T any](ctx context.Context, jobs <-chan job, done chan<- T, do func(job) (T, bool)) {
	for {
		select {
		case j := <-jobs:
			t, ok := do(j)
			if !ok || j.ctx.Err() != nil {
				continue
			}
			select {
			case done <- t:
			case <-ctx.Done():
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

// send cancels the job before and puts a new one in the place of one that has not begun. It never waits.
func (s *picking) send(ctx context.Context, which int, jobs chan job, j job) {
	if cancel := s.cancel[which]; cancel != nil {
		cancel()
	}
	j.ctx, s.cancel[which] = context.WithCancel(ctx)
	for {
		select {
		case jobs <- j:
			return
		default:
		}
		select {
		case <-jobs:
		default:
		}
	}
}

// answer asks the question of a job; where it is empty, for the newest conversations.
func (s *picking) answer(j job) (a pickAnswer, ok bool) {
	a.number = j.number
	if strings.TrimSpace(j.text) == "" {
		res, err := s.svc.List(j.ctx, service.ListRequest{Query: s.only.query(nil), Limit: pickLimit})
		if err != nil {
			return failedAnswer(a, err)
		}
		a.status = count(res.Total, "conversation") + ", newest first"
		for i := range res.Conversations {
			a.items = append(a.items, s.listed(&res.Conversations[i]))
		}
		return a, true
	}
	res, err := s.svc.Search(j.ctx, service.SearchRequest{Query: s.only.query([]string{j.text}), Limit: pickLimit})
	if err != nil {
		return failedAnswer(a, err)
	}
	for i := range res.Hits {
		a.items = append(a.items, s.hit(&res.Hits[i]))
	}
	a.status = searchSummary(res)
	if len(res.Hits) > 0 && res.Hits[0].Tier != "exact" {
		a.status = strings.ToLower(strings.TrimSuffix(tierLine(res.Hits[0].Tier), ":")) + ": " + a.status
	}
	a.status = strings.TrimSuffix(a.status, "; --limit shows more")
	return a, true
}

func failedAnswer(a pickAnswer, err error) (pickAnswer, bool) {
	a.failed, a.status = true, err.Error()
	return a, true
}

func (s *picking) hit(h *service.Hit) pickItem {
	facts := []string{h.Conversation.Source}
	if name := projectName(h.Conversation.Project); name != "" {
		facts = append(facts, cutTo(oneLine(name), 16))
	}
	if age := s.page.ago(h.At); age != "" {
		facts = append(facts, age)
	}
	return pickItem{id: h.ShortID, title: titleOr(h.Conversation.Title), facts: strings.Join(facts, " · "), snippet: h.Snippet, ranges: h.Ranges}
}

func (s *picking) listed(c *service.Listed) pickItem {
	it := pickItem{id: c.ShortID, title: titleOr(c.Title), facts: c.Source, snippet: count(c.Messages, "message")}
	if name := projectName(c.Project); name != "" {
		it.facts += " · " + cutTo(oneLine(name), 16)
	}
	if age := s.page.ago(c.EndedAt); age != "" {
		it.snippet += ", " + age
	}
	return it
}

func titleOr(title string) string {
	if title == "" {
		return "(no title)"
	}
	return title
}

// preview reads what a job names and lays it out.
func (s *picking) preview(j job) (pickPreview, bool) {
	v := pickPreview{id: j.text}
	pg := *s.page
	pg.width, pg.person = max(j.width, 16), true
	pg.take = func(line []span) {
		if len(v.lines) < previewLimit {
			v.lines = append(v.lines, line)
		}
	}
	res, err := s.svc.Show(j.ctx, service.ShowRequest{ID: j.text, Context: 1})
	r := reader{page: &pg}
	switch {
	case err != nil:
		pg.wrapped("", say(alert, err.Error()))
	case res.Message != nil:
		r.asked(res.Message)
	default:
		r.conversation(res.Conversation)
	}
	return v, true
}

// asked prints a message and its neighbours, the message first: a preview has room for little.
func (r *reader) asked(m *service.MessageShown) {
	r.turn(&m.Message, true)
	for i := range m.After {
		r.blank()
		r.turn(&m.After[i], false)
	}
	if len(m.Before) > 0 {
		r.blank()
		r.line(span{"before it", dim})
		for i := range m.Before {
			r.turn(&m.Before[i], false)
		}
	}
}

// size takes the size of the terminal, if it is a new one.
func (s *picking) size(do func(pickEffect)) {
	width, height, err := term.GetSize(int(s.out.Fd()))
	if err != nil || width <= 0 || height <= 0 {
		width, height = 80, 24
	}
	if width == s.picker.width && height == s.picker.height {
		return
	}
	s.drawn = nil
	io.WriteString(s.out, "\x1b[2J")
	do(s.picker.resize(width, height))
}

// draw writes the lines that have changed: on a slow line a key costs a few bytes.
func (s *picking) draw() {
	f := s.picker.view()
	var b strings.Builder
	b.WriteString("\x1b[?25l")
	for i, line := range f.lines {
		var l strings.Builder
		for _, x := range line {
			s.page.paint(&l, x)
		}
		if i < len(s.drawn) && s.drawn[i] == l.String() {
			continue
		}
		fmt.Fprintf(&b, "\x1b[%d;1H%s\x1b[K", i+1, l.String())
		if i < len(s.drawn) {
			s.drawn[i] = l.String()
		} else {
			s.drawn = append(s.drawn, l.String())
		}
	}
	fmt.Fprintf(&b, "\x1b[%d;%dH\x1b[?25h", f.y+1, f.x+1)
	io.WriteString(s.out, b.String())
}

// osc52 is the sequence by which a terminal, also one at the other end of ssh, takes a text into its clipboard.
func osc52(s string) string {
	return "\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte(s)) + "\a"
}
