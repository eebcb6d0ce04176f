package cursor

import (
	"bytes"
	"context"
	"regexp"
	"strings"
	"sync"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// textRendering is a transcript as text: blocks that begin with "user:" or "assistant:" on a line of their own.
type textRendering struct {
	name string
	b    []byte
}

func openText(in adapter.Input, name string) (rendering, error) {
	b, err := readFile(in, name)
	return &textRendering{in.Name(name), b}, err
}

func (t *textRendering) close() {}

// textBlock is one block: from its role's line on.
type textBlock struct {
	user       bool
	begin, end int // of the block with its role's line, without empty lines at the end
	body       int
	line       int
}

var (
	userLine      = []byte("user:")
	assistantLine = []byte("assistant:")
)

// blocks parts a text. In a transcript whose prompts have the frame, "user:" begins a block only behind an empty line
// or before a tag: it may be a line of a file that a tool was given. Text before the first block is one of no role.
func (t *textRendering) blocks() (list []textBlock, head int) {
	framed := false
	empty, line := true, 0
	head = len(t.b)
	for at := 0; at < len(t.b); {
		next := at + lineLength(t.b[at:])
		line++
		words := bytes.TrimRight(t.b[at:next], " \t\r\n")
		isUser := bytes.Equal(words, userLine)
		if isUser && len(list) > 0 && framed && !empty && !bytes.HasPrefix(t.b[next:], []byte("<")) {
			isUser = false
		}
		if isUser || bytes.Equal(words, assistantLine) {
			if len(list) == 0 {
				head = at
				framed = bytes.HasPrefix(t.b[next:], []byte("<"))
			}
			list = append(list, textBlock{user: isUser, begin: at, body: next, line: line})
		}
		empty = len(words) == 0
		at = next
	}
	for i := range list {
		list[i].end = len(t.b)
		if i+1 < len(list) {
			list[i].end = list[i+1].begin
		}
		list[i].end = list[i].begin + len(bytes.TrimRight(t.b[list[i].begin:list[i].end], " \t\r\n\x00"))
		list[i].body = min(list[i].body, list[i].end)
	}
	return list, head
}

func lineLength(b []byte) int {
	if i := bytes.IndexByte(b, '\n'); i >= 0 {
		return i + 1
	}
	return len(b)
}

func (t *textRendering) turns(_ context.Context, w *writer, f func(*turn) error) error {
	blocks, head := t.blocks()
	w.losses.more(lore.InvalidUTF8, lore.Warning, spot{}, "bytes that are not UTF-8", invalidBytes(t.b))
	if before := bytes.Trim(t.b[:head], " \t\r\n\x00\ufeff"); len(before) > 0 {
		if len(blocks) == 0 {
			w.ledger.Damage(1)
			w.losses.one(lore.UnexpectedShape, lore.Warning, spot{line: 1}, "a text without turns")
			return nil
		}
		w.ledger.Meet("text before the first turn")
		w.losses.unknown(spot{line: 1}, "text before the first turn")
	}
	for _, b := range blocks {
		for _, u := range t.block(b, w) {
			if err := f(&u); err != nil {
				return err
			}
		}
	}
	return nil
}

// locate says where bytes of the text stand.
func (t *textRendering) locate(begin, end, line int) lore.Locator {
	return lore.Locator{File: t.name, Line: line, Offset: int64(begin), Length: int64(end - begin)}
}

// block makes the turns of a block: one of the person, or what the model said and, each for itself, what tools said.
func (t *textRendering) block(b textBlock, w *writer) []turn {
	if b.user {
		s := speech{losses: &w.losses, at: spot{line: b.line}}
		words := strings.Trim(valid(t.b[b.body:b.end]), "\r\n")
		s.userText(words, kit.Value{}, unframe(words).frame)
		if len(s.runs) == 0 {
			s.runs.add(lore.User, "", lore.Part{Kind: lore.Text})
		}
		return []turn{{runs: s.runs, at: s.time, where: t.locate(b.begin, b.end, b.line)}}
	}
	p := textParser{t: t, w: w, turn: turn{where: t.locate(b.begin, b.end, b.line)}, begin: b.begin, line: b.line}
	return p.parse(b)
}

// textKind says what the lines at hand are.
type textKind uint8

const (
	textWords textKind = iota
	textThinking
	textClosed // thinking between <think> and </think>
	textCall
	textResult
)

// textParser takes the block of a model apart, line by line.
type textParser struct {
	t     *textRendering
	w     *writer
	turns []turn
	turn  turn // that is being made
	begin int  // of its bytes
	line  int  // of its first one

	kind  textKind
	name  string // of the tool
	lines []string
}

var marker = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\[(Thinking|Tool call|Tool result)\](?: (.*))?$`) })

const (
	thinkOpen  = "<think>"
	thinkClose = "</think>"
)

func (p *textParser) parse(b textBlock) []turn {
	line := b.line
	for at := b.body; at < b.end; {
		next := min(at+lineLength(p.t.b[at:]), b.end)
		line++
		p.take(strings.TrimRight(valid(p.t.b[at:next]), "\r\n"), at, line, p.t.b[next:b.end])
		at = next
	}
	p.flush()
	p.close(b.end)
	if len(p.turns) == 0 {
		p.turn.runs.add(lore.Assistant, "", lore.Part{Kind: lore.Text})
		p.turns = append(p.turns, p.turn)
	}
	return p.turns
}

// take takes one line, which begins at a byte, with what follows it.
func (p *textParser) take(words string, at, line int, rest []byte) {
	if p.kind == textClosed {
		before, after, end := strings.Cut(words, thinkClose)
		p.lines = append(p.lines, before)
		if end {
			p.flush()
			if p.kind = textWords; strings.TrimSpace(after) != "" {
				p.lines = append(p.lines, after)
			}
		}
		return
	}
	m := marker().FindStringSubmatch(words)
	switch {
	case m == nil && strings.HasPrefix(words, thinkOpen) && (strings.Contains(words, thinkClose) || bytes.Contains(rest, []byte(thinkClose))):
		p.flush()
		p.open(at, line)
		p.kind = textClosed
		p.take(strings.TrimPrefix(words, thinkOpen), at, line, rest)
	case m == nil:
		p.lines = append(p.lines, words)
	case m[1] == "Thinking":
		p.flush()
		p.open(at, line)
		p.kind = textThinking
		if m[2] != "" {
			p.lines = append(p.lines, m[2])
		}
	case m[1] == "Tool call":
		p.flush()
		p.open(at, line)
		p.kind, p.name = textCall, m[2]
	default:
		p.flush()
		p.close(at)
		p.begin, p.line = at, line
		p.kind, p.name = textResult, m[2]
	}
}

// open begins a turn of the model where the one before was a tool's.
func (p *textParser) open(at, line int) {
	if len(p.turn.runs) > 0 && p.turn.runs[0].Role == lore.Tool {
		p.close(at)
		p.begin, p.line = at, line
	}
}

// close ends a turn before a byte.
func (p *textParser) close(at int) {
	if len(p.turn.runs) > 0 {
		end := p.begin + len(bytes.TrimRight(p.t.b[p.begin:at], " \t\r\n\x00"))
		p.turn.where = p.t.locate(p.begin, end, p.line)
		p.turns = append(p.turns, p.turn)
	}
	p.turn.runs = nil
}

// flush makes parts of the lines at hand.
func (p *textParser) flush() {
	words := strings.Trim(strings.Join(p.lines, "\n"), "\n")
	kind := p.kind
	p.lines, p.kind = nil, textWords
	add := func(role lore.Role, part lore.Part) { p.turn.runs.add(role, "", part) }
	switch kind {
	case textCall:
		add(lore.Assistant, lore.Part{Kind: lore.Call, Name: p.name, Text: strings.TrimRight(words, "\n ")})
	case textResult:
		add(lore.Tool, lore.Part{Kind: lore.Result, Name: p.name, Text: words})
	case textClosed:
		if words = strings.TrimSpace(words); words != "" {
			add(lore.Assistant, lore.Part{Kind: lore.Thinking, Text: words})
		}
	case textThinking:
		thinking, words := partThinking(words)
		if thinking != "" {
			add(lore.Assistant, lore.Part{Kind: lore.Thinking, Text: thinking})
		}
		if words != "" {
			add(lore.Assistant, lore.Part{Kind: lore.Text, Text: words})
		}
	default:
		if strings.TrimSpace(words) != "" {
			add(lore.Assistant, lore.Part{Kind: lore.Text, Text: words})
		}
	}
}

// partThinking tells thinking from the words behind it, which nothing does in the text: thinking goes on over empty lines
// and lists, and ends at the first other line break. Indented lines are thinking.
func partThinking(s string) (thinking, words string) {
	lines := strings.Split(s, "\n")
	for i := 1; i < len(lines); i++ {
		before, line := strings.TrimSpace(lines[i-1]), lines[i]
		if before == "" || strings.TrimSpace(line) == "" || strings.HasSuffix(before, ":") || isListed(line) {
			continue
		}
		return strings.TrimSpace(strings.Join(lines[:i], "\n")), strings.Trim(strings.Join(lines[i:], "\n"), "\n")
	}
	return strings.TrimSpace(s), ""
}

// isListed reports whether a line goes on with a list, or is indented.
func isListed(line string) bool {
	trimmed := strings.TrimLeft(line, " \t")
	if len(trimmed) < len(line) || strings.HasPrefix(trimmed, "- ") || strings.HasPrefix(trimmed, "* ") {
		return true
	}
	digits := strings.TrimLeft(trimmed, "0123456789")
	return len(digits) < len(trimmed) && (strings.HasPrefix(digits, ". ") || strings.HasPrefix(digits, ") "))
}
