package cursor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// array walks over a file that is one JSON array, element by element: a file that was cut while it was written still
// gives what stands before the cut.
type array struct {
	name          string // as locators name it
	b             []byte
	at            int
	doc           kit.Doc
	line, counted int // lines before the byte at counted
}

// errSyntax says that the file does not go on as JSON.
var errSyntax = errors.New("no JSON")

// maxDocument is the largest file that is read as a whole. Cursor writes such files out of memory, too.
const maxDocument = 64 << 20

// openArray reads a file up to that bound.
func openArray(in adapter.Input, name string) (*array, error) {
	b, err := readFile(in, name)
	if err != nil {
		return nil, err
	}
	return &array{name: in.Name(name), b: b}, nil
}

func readFile(in adapter.Input, name string) ([]byte, error) {
	size, err := sizeOf(in, name)
	if err != nil {
		return nil, err
	}
	if size > maxDocument {
		return nil, fmt.Errorf("a document of %d bytes: %w", size, adapter.ErrMalformed)
	}
	return fs.ReadFile(in.FS, name)
}

// peek returns the next byte that is no white space; 0 at the end.
func (a *array) peek() byte {
	for ; a.at < len(a.b); a.at++ {
		switch c := a.b[a.at]; c {
		case ' ', '\t', '\r', '\n', 0:
		default:
			return c
		}
	}
	return 0
}

func (a *array) accept(c byte) bool {
	if a.peek() != c {
		return false
	}
	a.at++
	return true
}

// elements calls f with each element. errSyntax: it ends before the array does.
func (a *array) elements(f func(v kit.Value, where lore.Locator) error) error {
	a.at, a.line, a.counted = 0, 1, 0
	if bytes.HasPrefix(a.b, bom) {
		a.at = len(bom)
	}
	if a.peek() == 0 {
		return nil
	}
	if !a.accept('[') {
		return errSyntax
	}
	if a.accept(']') {
		return a.end()
	}
	for {
		a.peek()
		v, n, err := a.doc.ParsePrefix(a.b[a.at:])
		if err != nil {
			return errSyntax
		}
		where := lore.Locator{File: a.name, Line: a.lineAt(a.at), Offset: int64(a.at), Length: int64(n)}
		a.at += n
		if err := f(v, where); err != nil {
			return err
		}
		if a.accept(']') {
			return a.end()
		}
		if !a.accept(',') {
			return errSyntax
		}
	}
}

// end wants nothing behind the array.
func (a *array) end() error {
	if a.peek() != 0 {
		return errSyntax
	}
	return nil
}

// lineAt returns the physical line of a byte. It is asked in rising order.
func (a *array) lineAt(at int) int {
	a.line += bytes.Count(a.b[a.counted:at], []byte{'\n'})
	a.counted = at
	return a.line
}

// broken counts what could not be decoded: one unit, from here to the end.
func (a *array) broken(ledger *lore.Ledger, l *losses) {
	ledger.Damage(1)
	what := fmt.Sprintf("no JSON from byte %d on", a.at)
	if a.at >= len(a.b) {
		what = fmt.Sprintf("ends at byte %d inside of the array", a.at)
	}
	l.one(lore.BadJSON, lore.Warning, spot{line: a.lineAt(min(a.at, len(a.b)))}, what)
}

// listRendering is a transcript as one array: {role, text, thinking, toolCalls} or {role: tool, toolResult}.
type listRendering struct{ array *array }

func openList(in adapter.Input, name string) (rendering, error) {
	a, err := openArray(in, name)
	return &listRendering{a}, err
}

func (l *listRendering) close() {}

func (l *listRendering) turns(_ context.Context, w *writer, f func(*turn) error) error {
	err := l.array.elements(func(v kit.Value, where lore.Locator) error {
		at := spot{line: where.Line}
		flaws := l.array.doc.Flaws()
		w.losses.flaws(at, flaws.InvalidUTF8, flaws.LoneSurrogates)
		u, ok := listTurn(v, at, w)
		if !ok {
			return nil
		}
		u.where = where
		return f(u)
	})
	if err == errSyntax {
		l.array.broken(&w.ledger, &w.losses)
		return nil
	}
	return err
}

// listTurn makes a turn of an element.
func listTurn(v kit.Value, at spot, w *writer) (*turn, bool) {
	u := &turn{}
	s := speech{losses: &w.losses, at: at}
	role := v.Get("role").String()
	switch {
	case !v.IsObject():
		w.ledger.Damage(1)
		w.losses.more(lore.BadJSON, lore.Warning, at, "elements that are no objects", 1)
		return nil, false
	case !s.said(role, v.Get("text")):
		name := "element " + clip(role)
		w.ledger.Meet(name)
		w.losses.unknown(at, name)
		return nil, false
	}
	u.at, _ = kit.ParseTime(v.Get("timestamp"))
	if u.at.IsZero() {
		u.at = s.time
	}
	if t := v.Get("thinking"); holds(t) {
		u.runs.add(lore.Assistant, "", thinking(first(t.Get("text"), t)))
	}
	for i := range s.runs {
		for _, p := range s.runs[i].Parts {
			u.runs.add(s.runs[i].Role, s.runs[i].Subtype, p)
		}
	}
	for call := range v.Get("toolCalls").Items() {
		u.runs.add(lore.Assistant, "", callPart(call))
	}
	if result := v.Get("toolResult"); result.IsObject() {
		s.runs = nil
		s.result(result)
		u.runs = append(u.runs, s.runs...)
	}
	if len(u.runs) == 0 {
		u.runs.add(own(role), "", lore.Part{Kind: lore.Text})
	}
	return u, true
}
