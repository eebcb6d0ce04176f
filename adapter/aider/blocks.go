package aider

import (
	"context"
	"fmt"
	"io"
	"path"
	"strings"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// blank is what aider writes for a prompt without words.
const blank = "<blank>"

// block is lines that say one message.
type block struct {
	role lore.Role // "": none is open
	text []string
	size int
	cut  bool
	from lore.Locator
	gap  int  // blank lines since the last line with words
	open bool // the last line does not end as aider ends what it says
}

// log is the reading of one file.
type log struct {
	in     adapter.Input
	yield  func(*lore.Conversation, error) bool
	broken bool // lines end as aider writes them

	open   bool // a chat is
	start  lore.Time
	place  string
	places map[string]int
	model  string
	said   int
	pieces *kit.Pieces
	ledger lore.Ledger
	losses *kit.Tally
	rest   lore.Ledger // of chats in which nothing was said
	chats  int

	block block
}

func read(ctx context.Context, in adapter.Input, trusted bool, yield func(*lore.Conversation, error) bool) error {
	if !trusted && !begins(in.FS, in.Source.Path) {
		return adapter.ErrNotMine
	}
	broken, err := isBroken(in)
	if err != nil {
		return err
	}
	f, err := kit.Content(in, in.Source.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	g := &log{in: in, yield: yield, broken: broken, places: map[string]int{}, losses: kit.NewTally(in, in.Source.Path)}
	l := newLines(f)
	for {
		s, err := l.next()
		if err == io.EOF {
			break
		}
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = g.line(s)
		}
		if err != nil {
			return err
		}
	}
	if l.bom {
		g.losses.One(lore.BOMStripped, lore.Info, 0, "3 bytes")
	}
	return g.end()
}

// line takes in one line.
func (g *log) line(s line) error {
	g.losses.Many(lore.InvalidUTF8, lore.Warning, s.no, s.bad, "bytes that are not UTF-8")
	if s.nuls {
		g.losses.More(lore.NulPadding, lore.Warning, s.no, "lines with NUL bytes around them")
	}
	if strings.TrimSpace(s.text) == "" {
		g.block.gap++
		return nil
	}
	if at, ok := heading(s.text); ok && (g.block.gap > 0 || s.no == 1) {
		if err := g.endChat(); err != nil {
			return err
		}
		g.begin(at, "#"+strings.TrimSpace(strings.TrimPrefix(s.text, headingMark)))
		g.ledger.Keep(1)
		return nil
	}
	if !g.open {
		g.begin(lore.Time{}, "")
		g.losses.One(lore.MissingHeader, lore.Info, s.no, "words before the first chat begins")
	}
	role := g.roleOf(s)
	if role != g.block.role || role == lore.User && g.block.gap > 0 {
		if err := g.endBlock(); err != nil {
			return err
		}
		g.block = block{role: role, from: lore.Locator{File: g.in.Name(g.in.Source.Path), Line: s.no, Offset: s.offset}}
	}
	g.block.add(s)
	return nil
}

// roleOf tells who speaks in a line. Where lines end as aider writes them, that tells its own from the model's; else a
// heading within an answer is the answer's.
func (g *log) roleOf(s line) lore.Role {
	answering := g.block.role == lore.Assistant
	switch {
	case g.broken && g.block.role == lore.System && g.block.open && g.block.gap == 0:
		return lore.System // only the first line of what aider says at once is a quote
	case isPrompt(s.text) && (g.broken && s.broken || !g.broken && !answering):
		return lore.User
	case isQuote(s.text) && (s.broken || !answering || !g.broken):
		return lore.System
	}
	return lore.Assistant
}

func (b *block) add(s line) {
	text := s.text
	switch b.role {
	case lore.User:
		text = strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(text, "####"), " "), "  ")
	case lore.System:
		text = strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(text, ">"), " "), "  ")
	}
	b.from.Length = s.offset + s.length - b.from.Offset
	b.cut = b.cut || s.cut || b.size+len(text) > kit.DefaultMaxRecord
	if b.size+len(text) <= kit.DefaultMaxRecord {
		if len(b.text) > 0 && b.role == lore.Assistant {
			for range min(b.gap, 1<<10) {
				b.text = append(b.text, "")
			}
		}
		b.text = append(b.text, text)
		b.size += len(text) + 1
	}
	b.gap, b.open = 0, !s.broken
}

// begin opens a chat. Its id is the place of the log and the time of the heading; of several with one time, the number.
func (g *log) begin(at lore.Time, mark string) {
	place := g.in.Name(g.in.Source.Path) + mark
	if g.places[place]++; g.places[place] > 1 {
		place += fmt.Sprintf("#%d", g.places[place])
	}
	g.open, g.start, g.place, g.model, g.said = true, at, place, "", 0
	g.chats++
	g.ledger, g.block = lore.Ledger{}, block{}
	g.pieces = kit.NewPieces(g.in, g.head, g.yield)
}

func (g *log) head() *lore.Conversation {
	c := &lore.Conversation{Source: source, Store: store, Place: g.place, Kind: lore.Main}
	if dir := path.Base(path.Dir(g.in.Name(g.in.Source.Path))); dir != "." && dir != "~" && dir != ".aider" && dir != "/" {
		c.Project.Name = dir
	}
	return c
}

// endBlock makes a message of the open block.
func (g *log) endBlock() error {
	b := g.block
	g.block = block{gap: b.gap}
	if b.role == "" {
		return nil
	}
	p := lore.Part{Kind: lore.Text, Text: strings.Join(b.text, "\n")}
	if b.role == lore.User && p.Text == blank {
		g.ledger.Skip("blank prompt")
		return nil
	}
	if b.cut {
		p.Cut, p.Bytes = true, b.from.Length
		g.losses.One(lore.OversizedRecord, lore.Warning, b.from.Line, fmt.Sprintf("a text of %d bytes", b.from.Length))
	}
	m := lore.Message{Role: b.role, Active: true, Units: 1, Parts: []lore.Part{p}, Origins: []lore.Locator{b.from}, AtFrom: lore.FromNone}
	if !g.start.IsZero() {
		m.At, m.AtFrom = g.start, lore.FromInherited
	}
	switch b.role {
	case lore.System:
		m.Subtype = "notice"
		g.modelIn(b.text)
	case lore.Assistant:
		m.Model = g.model
	}
	g.ledger.Keep(1)
	g.said++
	return g.pieces.Add(m)
}

// modelIn takes the model from what aider says: "Model: NAME with diff edit format".
func (g *log) modelIn(notice []string) {
	for _, s := range notice {
		for _, mark := range []string{"Main model: ", "Model: "} {
			if rest, ok := strings.CutPrefix(s, mark); ok {
				g.model, _, _ = strings.Cut(rest, " with ")
			}
		}
	}
}

// endChat ends the open chat. One in which nothing was said is none.
func (g *log) endChat() error {
	if !g.open {
		return nil
	}
	if err := g.endBlock(); err != nil {
		return err
	}
	g.open = false
	if g.said == 0 {
		g.rest.Add(g.ledger)
		g.rest.Units, g.rest.Kept = g.rest.Units-1, g.rest.Kept-1
		g.rest.Skip("empty chat")
		return nil
	}
	return g.pieces.End(g.ledger, nil)
}

// end yields what is to be said of the file as a whole.
func (g *log) end() error {
	if err := g.endChat(); err != nil {
		return err
	}
	if g.chats == 0 || g.rest.Types["skipped:empty chat"] == g.chats {
		g.losses.One(lore.Empty, lore.Info, 0, "no chat in which anything was said")
	}
	list := g.losses.List()
	if g.rest.Units == 0 && len(list) == 0 {
		return nil
	}
	if !g.yield(&lore.Conversation{Source: source, Store: store, Partial: true, Ledger: g.rest, Losses: list}, nil) {
		return kit.ErrStopped
	}
	return nil
}
