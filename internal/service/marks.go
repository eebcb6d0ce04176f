package service

import (
	"strings"
	"time"

	"lore"
	"lore/internal/archive"
)

// Mark is a star, a tag or a note that was put on a conversation or a message.
type Mark struct {
	On    lore.ID   `json:"on"`   // the conversation or message
	Kind  string    `json:"kind"` // "star", "tag" or "note"
	Value string    `json:"value,omitempty"`
	At    lore.Time `json:"at"` // when it was put on
}

func markOf(m archive.Mark) Mark {
	return Mark{On: m.On, Kind: m.Kind, Value: m.Value, At: lore.NewTime(m.At.Truncate(time.Millisecond).UnixNano(), 3, false)}
}

// some returns the marks that are wanted; never nil.
func (l *library) some(want func(*archive.Mark) bool) ([]Mark, error) {
	all, err := l.marks()
	out := []Mark{}
	for i := range all {
		if want(&all[i]) {
			out = append(out, markOf(all[i]))
		}
	}
	return out, err
}

// marksOf returns the marks on a conversation and on its messages.
func (l *library) marksOf(conversation lore.ID) ([]Mark, error) {
	return l.some(func(m *archive.Mark) bool { return m.Conversation == conversation || m.On == conversation })
}

// marksAt returns the marks on a message and on its conversation.
func (l *library) marksAt(message, conversation lore.ID) ([]Mark, error) {
	return l.some(func(m *archive.Mark) bool { return m.On == message || m.On == conversation })
}

// markedSo returns what is marked so, for the fields of the query language: kind "mark" is a mark of any kind; a value is
// a tag, in which * stands for anything.
func (l *library) markedSo(kind, value string) ([]lore.ID, error) {
	all, err := l.marks()
	var ids []lore.ID
	for i := range all {
		m := &all[i]
		if (kind == "mark" || kind == m.Kind) && (value == "" || fits(strings.ToLower(value), m.Value)) {
			ids = append(ids, m.On)
		}
	}
	return ids, err
}

// fits reports whether a text is like a pattern in which * stands for anything.
func fits(pattern, s string) bool {
	head, rest, star := strings.Cut(pattern, "*")
	if !star {
		return pattern == s
	}
	s, ok := strings.CutPrefix(s, head)
	if !ok {
		return false
	}
	for i := 0; i <= len(s); i++ {
		if fits(rest, s[i:]) {
			return true
		}
	}
	return false
}

// markedOn wants the marks on one thing alone.
func markedOn(id lore.ID) func(*archive.Mark) bool {
	return func(m *archive.Mark) bool { return m.On == id }
}
