package cursor

import (
	"context"
	"strings"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// lineRendering is a transcript as JSON lines: {role, message: {content}}.
type lineRendering struct {
	in    adapter.Input
	name  string
	lines *kit.Lines
	spots []lineSpot // of the records that were read, for the second reading
	read  bool
}

type lineSpot struct {
	offset, length int64
	line           int
}

func openLines(in adapter.Input, name string) (rendering, error) {
	lines, err := kit.OpenLines(in, name, kit.Options{TopKeys: topKeys})
	if err != nil {
		return nil, err
	}
	return &lineRendering{in: in, name: name, lines: lines}, nil
}

func (l *lineRendering) close() { l.lines.Close() }

func (l *lineRendering) turns(ctx context.Context, w *writer, f func(*turn) error) error {
	if l.read {
		return l.again(w, f)
	}
	l.read = true
	var stopped error
	for r := range l.lines.All() {
		u, ok := l.turn(r.Value, r.Line, w)
		if !ok {
			continue
		}
		l.spots = append(l.spots, lineSpot{r.Offset, r.Length, r.Line})
		u.where = l.lines.Locator(r)
		if stopped = f(u); stopped != nil {
			return stopped
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := l.lines.Err(); err != nil {
		return err
	}
	w.ledger.Damage(l.lines.Damaged())
	w.losses.list = append(w.losses.list, l.lines.Losses()...)
	return nil
}

// again reads the records that say something once more.
func (l *lineRendering) again(w *writer, f func(*turn) error) error {
	for _, s := range l.spots {
		v, err := l.lines.At(s.offset, s.length)
		if err != nil {
			return err
		}
		u, _ := l.turn(v, s.line, w)
		u.where = lore.Locator{File: l.in.Name(l.name), Line: s.line, Offset: s.offset, Length: s.length}
		if err := f(u); err != nil {
			return err
		}
	}
	return nil
}

// isNotice reports whether a record is a notice of Cursor: an error, the end of a turn.
func isNotice(v kit.Value) bool { return noticeOf(v) != "" }

func noticeOf(v kit.Value) string {
	if v.Get("role").Exists() {
		return ""
	}
	for _, field := range []string{"type", "event"} {
		switch kind := v.Get(field).String(); kind {
		case "error", "turn_ended", "turn_started", "status":
			return kind
		}
	}
	return ""
}

// turn makes a turn of a record. False: it says nothing, and has its place in the ledger.
func (l *lineRendering) turn(v kit.Value, line int, w *writer) (*turn, bool) {
	at := spot{line: line}
	u := &turn{}
	stamp := first(v.Get("timestamp"), v.Get("createdAt"), v.Get("message", "timestamp"))
	at0, ok := kit.ParseTime(stamp)
	if !ok && holds(stamp) {
		w.losses.more(lore.BadTime, lore.Warning, at, "times that cannot be read", 1)
	}
	u.at = at0
	if kind := noticeOf(v); kind != "" {
		words := noticeText(v)
		if words == "" {
			w.ledger.Skip(kind)
			return nil, false
		}
		u.runs.add(lore.System, subNotice, lore.Part{Kind: lore.Text, Text: words})
		return u, true
	}
	role := first(v.Get("role"), v.Get("message", "role")).String()
	s := speech{losses: &w.losses, at: at}
	content := first(v.Get("message", "content"), v.Get("content"), v.Get("message"), v.Get("text"))
	if !s.said(role, content) {
		name := "record " + clip(first(v.Get("type"), v.Get("event"), v.Get("role")).String())
		w.ledger.Meet(name)
		w.losses.unknown(at, name)
		return nil, false
	}
	if u.runs = s.runs; len(u.runs) == 0 {
		u.runs.add(own(role), "", lore.Part{Kind: lore.Text})
	}
	if u.at.IsZero() {
		u.at = s.time
	}
	u.model = modelName(first(v.Get("model"), v.Get("message", "model")))
	return u, true
}

// noticeText returns the words of a notice; "" when it has none.
func noticeText(v kit.Value) string {
	var list []string
	for _, field := range []kit.Value{v.Get("error"), v.Get("error", "message"), v.Get("message"), v.Get("reason"), v.Get("text")} {
		if field.IsString() && field.String() != "" {
			list = append(list, field.String())
		}
	}
	for _, t := range texts(v.Get("message", "content")) {
		list = append(list, t.String())
	}
	return strings.Join(list, "\n")
}
