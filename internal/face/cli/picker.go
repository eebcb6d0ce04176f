package cli

import (
	"slices"
	"strings"
	"unicode"
)

// picker is what interactive searching knows and shows. It touches no terminal and waits for nothing: an event goes in,
// what has to be done comes out, and view draws the screen. So it can be tested by feeding it keys.
//
// It is its own small loop on golang.org/x/term, not bubbletea: that library costs every start of lore two milliseconds
// before main begins, a fifth of what a start may take, and the screen is two lists.
type picker struct {
	width, height int
	ascii         bool

	input []rune
	at    int // of the cursor in input

	items   []pickItem
	chosen  int
	top     int // first item that is shown
	preview [][]span
	of      string // id of what the preview shows
	scroll  int    // lines of the preview above what is shown

	status string
	bad    bool   // status is an error
	note   string // said until the next key
	asked  int    // number of the newest question
	shown  int    // number of the question whose answer is shown
}

// pickItem is one hit, or one conversation while nothing is asked for.
type pickItem struct {
	id      string // that is shown and copied
	title   string
	facts   string
	snippet string
	ranges  [][2]int
}

// pickAnswer is the answer to a question.
type pickAnswer struct {
	number int // of the question
	items  []pickItem
	status string
	failed bool
}

// pickPreview is what an item looks like.
type pickPreview struct {
	id    string
	lines [][]span
}

// pickEffect is what has to be done after an event. At most one of leave, open and copy is set.
type pickEffect struct {
	ask     bool   // answer the input, as question number asked
	preview string // id of what to preview; empty: nothing new
	copy    string // id to put into the clipboard
	open    string // id to show, after leaving
	leave   bool
	code    int // exit code of leaving
}

// key takes a key.
func (p *picker) key(k key) (e pickEffect) {
	before := string(p.input)
	p.note = ""
	switch k.name {
	case "":
		p.input = slices.Insert(p.input, p.at, k.r)
		p.at++
	case "enter":
		if it := p.item(); it != nil {
			return pickEffect{leave: true, open: it.id}
		}
	case "esc":
		return pickEffect{leave: true}
	case "ctrl-c", "ctrl-d":
		return pickEffect{leave: true, code: exitInterrupted}
	case "ctrl-y":
		if it := p.item(); it != nil {
			p.note = "copied " + it.id
			return pickEffect{copy: it.id}
		}
	case "up", "ctrl-p":
		p.choose(p.chosen - 1)
	case "down", "ctrl-n", "tab":
		p.choose(p.chosen + 1)
	case "pgup":
		p.scroll = max(p.scroll-p.previewHeight()/2, 0)
	case "pgdn":
		p.scroll = min(p.scroll+p.previewHeight()/2, max(len(p.preview)-p.previewHeight(), 0))
	default:
		p.edit(k.name)
	}
	if string(p.input) != before {
		p.asked++
		e.ask = true
	}
	e.preview = p.wanted()
	return e
}

// edit moves the cursor or takes characters away.
func (p *picker) edit(name string) {
	switch name {
	case "backspace":
		if p.at > 0 {
			p.at--
			p.input = slices.Delete(p.input, p.at, p.at+1)
		}
	case "delete":
		if p.at < len(p.input) {
			p.input = slices.Delete(p.input, p.at, p.at+1)
		}
	case "left", "ctrl-b":
		p.at = max(p.at-1, 0)
	case "right", "ctrl-f":
		p.at = min(p.at+1, len(p.input))
	case "home", "ctrl-a":
		p.at = 0
	case "end", "ctrl-e":
		p.at = len(p.input)
	case "ctrl-u":
		p.input, p.at = slices.Clone(p.input[p.at:]), 0
	case "ctrl-k":
		p.input = p.input[:p.at]
	case "ctrl-w":
		from := p.at
		for from > 0 && unicode.IsSpace(p.input[from-1]) {
			from--
		}
		for from > 0 && !unicode.IsSpace(p.input[from-1]) {
			from--
		}
		p.input, p.at = slices.Delete(p.input, from, p.at), from
	}
}

// answer takes an answer; one to an older question than is shown already is left out.
func (p *picker) answer(a pickAnswer) (e pickEffect) {
	if a.number < p.shown {
		return e
	}
	p.shown = a.number
	p.status, p.bad = a.status, a.failed
	if !a.failed { // what was found before stays while a question is half typed
		p.items, p.chosen, p.top = a.items, 0, 0
	}
	e.preview = p.wanted()
	return e
}

// previewed takes a preview, if it is still what is chosen.
func (p *picker) previewed(v pickPreview) {
	if it := p.item(); it != nil && it.id == v.id {
		p.of, p.preview, p.scroll = v.id, v.lines, 0
	}
}

// resize takes the size of the screen. The preview is made anew for its width.
func (p *picker) resize(width, height int) (e pickEffect) {
	p.width, p.height, p.of = width, height, ""
	p.choose(p.chosen)
	e.preview = p.wanted()
	return e
}

// wanted returns the id of the item whose preview is missing.
func (p *picker) wanted() string {
	it := p.item()
	if it == nil {
		p.preview, p.of, p.scroll = nil, "", 0
		return ""
	}
	if it.id == p.of {
		return ""
	}
	return it.id
}

func (p *picker) item() *pickItem {
	if p.chosen < 0 || p.chosen >= len(p.items) {
		return nil
	}
	return &p.items[p.chosen]
}

// choose moves the choice, and the list so that it is seen.
func (p *picker) choose(i int) {
	p.chosen = max(min(i, len(p.items)-1), 0)
	fit := max(p.listHeight()/itemLines, 1)
	p.top = max(min(p.top, p.chosen), p.chosen-fit+1)
}

// question is the input as it is asked: the last word may not be finished yet.
func (p *picker) question() string {
	q := string(p.input)
	fields := strings.Fields(q)
	if len(fields) == 0 || p.at != len(p.input) || strings.HasSuffix(q, " ") {
		return strings.TrimSpace(q)
	}
	last := fields[len(fields)-1]
	plain := strings.IndexFunc(last, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) || r > 0x2e7f }) < 0
	if last == "AND" || last == "OR" || last == "NOT" || len([]rune(last)) < 3 || !plain || strings.Count(q, `"`)%2 == 1 {
		return strings.TrimSpace(q)
	}
	return strings.TrimSpace(q) + "*"
}
