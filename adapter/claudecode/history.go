package claudecode

import (
	"context"
	"strconv"
	"strings"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// The prompt history is one file for all projects: a line for each prompt that was typed. It outlives the transcripts,
// so it is the last resort for the words of sessions that are gone.

// typed is one prompt of the history.
type typed struct {
	offset, length int64
	line           int32
	again          int32 // identical lines after it
	next           int32 // the next prompt of the session; -1: none
}

// history is the file while it is read.
type history struct {
	own bool // a line has a key that only this product writes

	in       adapter.Input
	src      *kit.Lines
	all      []typed
	sessions map[string]*typedSession
	order    []string // sessions in the order of their first prompt
	odd      lore.Ledger
	losses   losses
	pastes   sides
}

// typedSession is the chain of prompts of one session; the empty name is that of the older versions, which name none.
type typedSession struct{ first, last int32 }

func readHistory(ctx context.Context, in adapter.Input, out *sink) error {
	src, err := kit.OpenLines(in, in.Source.Path, kit.Options{TopKeys: []string{"display"}})
	if err != nil {
		return err
	}
	defer src.Close()
	h := &history{in: in, src: src, sessions: map[string]*typedSession{}, losses: losses{file: in.Name(in.Source.Path)}, pastes: newPastes(in)}
	if err := h.scan(ctx); err != nil {
		return err
	}
	if !h.own && in.Source.Store == "" {
		return adapter.ErrNotMine // other tools keep a history.jsonl of prompts too
	}
	return h.write(ctx, out)
}

// newPastes knows the files of long pastes by name.
func newPastes(in adapter.Input) sides {
	s := sides{in: in, byID: map[string]string{}, dir: pastes}
	for _, p := range in.Source.Companions {
		s.byID[p[strings.LastIndexByte(p, '/')+1:]] = p
	}
	return s
}

// scan sorts the prompts by session.
func (h *history) scan(ctx context.Context) error {
	type twin struct {
		hash   uint64
		length int64
	}
	seen := map[twin]int32{}
	for r := range h.src.All() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if at, ok := seen[twin{r.Hash, r.Length}]; ok {
			h.all[at].again++
			h.losses.tally(lore.DuplicateLine, r.Line)
			continue
		}
		if !r.Value.Get("display").IsString() {
			h.odd.Meet("history entry")
			continue
		}
		h.own = h.own || r.Value.Get("project").Exists() || r.Value.Get("pastedContents").Exists()
		i := int32(len(h.all))
		seen[twin{r.Hash, r.Length}] = i
		h.all = append(h.all, typed{offset: r.Offset, length: r.Length, line: int32(r.Line), next: -1})
		session := r.Value.Get("sessionId").String()
		s := h.sessions[session]
		if s == nil {
			h.sessions[session] = &typedSession{i, i}
			h.order = append(h.order, session)
			continue
		}
		h.all[s.last].next = i
		s.last = i
	}
	return h.src.Err()
}

// write yields a conversation for each session, and one for the file's damage where it has any.
func (h *history) write(ctx context.Context, out *sink) error {
	for _, session := range h.order {
		if err := h.session(ctx, session, out); err != nil || out.done {
			return err
		}
	}
	whole := &lore.Conversation{Source: source, Store: storeHistory, Partial: true, Kind: lore.Main, Ledger: h.odd}
	whole.Ledger.Damage(h.src.Damaged())
	h.losses.close(lore.DuplicateLine, lore.Info, func(n int) string {
		return plural(n, "line repeats one before it byte for byte", "lines repeat one before them byte for byte")
	})
	whole.Losses = append(append(whole.Losses, h.src.Losses()...), h.losses.list...)
	if len(h.order) == 0 {
		whole.Losses = append(whole.Losses, h.losses.make(lore.Empty, lore.Info, 0, "no prompt"))
	}
	if whole.Ledger.Units > 0 || len(whole.Losses) > 0 {
		out.put(whole)
	}
	return nil
}

// session yields the prompts of one session.
func (h *history) session(ctx context.Context, session string, out *sink) error {
	lost := losses{file: h.losses.file}
	c := h.blank(session)
	size := int64(0)
	var ledger lore.Ledger
	for i := h.sessions[session].first; i >= 0; i = h.all[i].next {
		if err := ctx.Err(); err != nil {
			return err
		}
		t := &h.all[i]
		v, err := h.src.At(t.offset, t.length)
		if err != nil {
			return err
		}
		if dir := v.Get("project").String(); c.Project.Dir == "" && dir != "" {
			c.Project = lore.Project{Dir: dir, Name: kit.ProjectName(dir)}
		}
		m := h.prompt(t, v, &lost)
		c.Messages = append(c.Messages, m)
		ledger.Keep(1)
		ledger.Merge(int(t.again))
		for _, p := range m.Parts {
			size += int64(len(p.Text)) + 256
		}
		if size >= h.in.PieceBound() {
			project := c.Project
			c.More = true
			if !out.put(c) {
				return nil
			}
			c, size = h.blank(session), 0
			c.Project = project
		}
	}
	c.Ledger, c.Losses = ledger, lost.list
	out.put(c)
	return nil
}

func (h *history) blank(session string) *lore.Conversation {
	c := &lore.Conversation{Source: source, Store: storeHistory, Native: session, Kind: lore.Main}
	if session == "" {
		c.Place = h.losses.file
	}
	return c
}

// prompt reads one entry, with its pastes in their places.
func (h *history) prompt(t *typed, v kit.Value, lost *losses) lore.Message {
	m := lore.Message{
		Role: lore.User, AtFrom: lore.FromNone, Active: true, Units: 1,
		Origins: []lore.Locator{{File: h.losses.file, Line: int(t.line), Offset: t.offset, Length: t.length}},
	}
	if at := v.Get("timestamp"); at.Exists() && !at.IsNull() {
		if when, ok := kit.ParseTime(at); ok {
			m.At, m.AtFrom = when, kit.TimeFrom(when)
		} else {
			lost.add(lore.BadTime, lore.Info, int(t.line), "time "+string(at.Raw()))
		}
	}
	display := text(lore.Text, v.Get("display"))
	pasted := v.Get("pastedContents")
	if pasted.IsObject() && pasted.Len() > 0 {
		display.Text = h.place(&m, display.Text, pasted, int(t.line), lost)
	}
	m.Parts = append([]lore.Part{display}, m.Parts...)
	return m
}

// place puts the texts of pastes in place of their "[Pasted text #N]", and the images of pastes into the message.
func (h *history) place(m *lore.Message, words string, pasted kit.Value, line int, lost *losses) string {
	var out strings.Builder
	used := map[string]bool{}
	for words != "" {
		at := strings.IndexByte(words, '[')
		if at < 0 {
			break
		}
		out.WriteString(words[:at])
		words = words[at:]
		id, length := marker(words)
		got, ok := "", false
		if id != "" {
			got, ok = h.paste(pasted.Get(id), line, lost)
		}
		if !ok {
			out.WriteByte('[')
			words = words[1:]
			continue
		}
		used[id] = true
		out.WriteString(got)
		words = words[length:]
	}
	out.WriteString(words)
	for id, p := range pasted.Fields() {
		if p.Get("type").Is("image") {
			img := lore.Part{Kind: lore.Image, MediaType: p.Get("mediaType").String()}
			if embed(&img, p.Get("content")) {
				m.Parts = append(m.Parts, img)
			}
		} else if got, ok := "", false; !used[id] {
			if got, ok = h.paste(p, line, lost); ok {
				m.Parts = append(m.Parts, lore.Part{Kind: lore.Text, Text: got})
			}
		}
	}
	return out.String()
}

// marker reads "[Pasted text #3]", "[Pasted text #3 +12 lines]" or "[...Truncated text #3 +12 lines...]" at the start of
// a text: the number and the length.
func marker(s string) (id string, length int) {
	end := strings.IndexByte(s, ']')
	if end < 0 || end > 64 {
		return "", 0
	}
	inner := s[1:end]
	for _, prefix := range []string{"Pasted text #", "...Truncated text #"} {
		if rest, ok := strings.CutPrefix(inner, prefix); ok {
			n := strings.TrimRight(strings.SplitN(rest, " ", 2)[0], ".")
			if _, err := strconv.Atoi(n); err == nil {
				return n, end + 1
			}
		}
	}
	return "", 0
}

// paste returns the text of one paste: it stands in the entry, or in a file that its hash names.
func (h *history) paste(p kit.Value, line int, lost *losses) (string, bool) {
	if p.Get("type").Is("image") {
		return "", false
	}
	if c := p.Get("content"); c.IsString() {
		return c.String(), true
	}
	hash := p.Get("contentHash").String()
	if hash == "" {
		return "", false
	}
	if got, ok := h.pastes.read(pasteFile(hash)); ok {
		return got.text, true
	}
	lost.add(lore.ExternalMissing, lore.Warning, line, "paste "+pasteFile(hash))
	return "", false
}

// pasteFile names the file of a paste; a hash with anything but letters and digits names none.
func pasteFile(hash string) string {
	for _, c := range []byte(hash) {
		if !('0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z') {
			return "."
		}
	}
	return hash + ".txt"
}
