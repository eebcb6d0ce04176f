package archive

import (
	"bytes"
	"cmp"
	"database/sql"
	"database/sql/driver"
	"slices"
	"time"

	"lore"
)

// The kinds of mark. A star has no value, a tag has its word, a note its text.
const (
	Star = "star"
	Tag  = "tag"
	Note = "note"
)

// Mark is what a user, or an agent for one, has put on a conversation or a message.
type Mark struct {
	On           lore.ID // what is marked, by its present name
	Conversation lore.ID // that On belongs to, or is
	Kind         string  // Star, Tag or Note
	Value        string
	At           time.Time // when it was put there
}

// MarkEvent is a mark that was put on, or taken off, as it was written down: by the names of that time.
type MarkEvent struct {
	Mark
	Gone bool // it was taken off
}

// SetMark puts a mark on, or takes it off where gone is set. It returns false when that changes nothing.
func (w *Writer) SetMark(m Mark, gone bool) (changed bool, err error) {
	err = w.do(func(k *clerk) (err error) {
		changed, err = k.setMark(m, gone)
		return err
	})
	return changed, err
}

func (k *clerk) setMark(m Mark, gone bool) (bool, error) {
	const doing = "mark"
	events, err := readMarks(k.c, "WHERE kind = ? AND value = ?", m.Kind, m.Value)
	if err != nil {
		return false, k.fail(doing, err)
	}
	steps, err := readRenames(k.c)
	if err != nil {
		return false, k.fail(doing, err)
	}
	at, is := k.now().UnixNano(), false
	for _, e := range present(events, steps) {
		if e.On == m.On {
			is = !e.Gone
			at = max(at, e.At.UnixNano()+1) // what is done later counts, also where a clock was set back
		}
	}
	if is != gone {
		return false, nil
	}
	_, err = k.exec(doing, "INSERT INTO mark (target, conversation, kind, value, at, gone) VALUES (?, ?, ?, ?, ?, ?)",
		m.On[:], m.Conversation[:], m.Kind, m.Value, at, gone)
	return err == nil, err
}

// Marks returns the marks that there are, in the order in which they were put on. They follow renames.
func (a *Archive) Marks() ([]Mark, error) {
	var all []Mark
	err := a.view("read marks", func(c *sql.Conn) error {
		events, err := readMarks(c, "")
		if err != nil || len(events) == 0 {
			return err
		}
		steps, err := readRenames(c)
		for _, e := range present(events, steps) {
			if !e.Gone {
				all = append(all, e.Mark)
			}
		}
		return err
	})
	slices.SortFunc(all, func(a, b Mark) int {
		return cmp.Or(a.At.Compare(b.At), bytes.Compare(a.On[:], b.On[:]), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Value, b.Value))
	})
	return all, err
}

// MarkEvents returns all that was ever done to marks, in an order that does not depend on how it came here.
func (a *Archive) MarkEvents() (events []MarkEvent, err error) {
	err = a.view("read marks", func(c *sql.Conn) error {
		events, err = readMarks(c, "")
		return err
	})
	return events, err
}

func readMarks(c *sql.Conn, where string, args ...any) (events []MarkEvent, err error) {
	err = bulk(c, "SELECT target, conversation, kind, value, at, gone FROM mark "+where+" ORDER BY at, target, kind, value, gone", args,
		func(row []driver.Value) error {
			e := MarkEvent{Mark: Mark{Kind: text(row[2]), Value: text(row[3]), At: time.Unix(0, num(row[4]))}, Gone: num(row[5]) != 0}
			copy(e.On[:], blob(row[0]))
			copy(e.Conversation[:], blob(row[1]))
			events = append(events, e)
			return nil
		})
	return events, err
}

// present returns the last word on each mark, by present names. Of two at one moment the one that keeps the mark counts.
func present(events []MarkEvent, steps renames) []MarkEvent {
	type key struct {
		on          lore.ID
		kind, value string
	}
	last := map[key]MarkEvent{}
	for _, e := range events {
		e.On, e.Conversation = steps.follow(e.On), steps.follow(e.Conversation)
		k := key{e.On, e.Kind, e.Value}
		if before, ok := last[k]; !ok || e.At.After(before.At) || e.At.Equal(before.At) && !e.Gone {
			last[k] = e
		}
	}
	out := make([]MarkEvent, 0, len(last))
	for _, e := range last {
		out = append(out, e)
	}
	return out
}
