package index

import (
	"encoding/binary"
	"strings"

	"lore"
	"lore/internal/query"
)

// filter returns the documents that a fact is true for. A fact about a conversation is true for each of its documents; one
// about a message is never true for a title.
func (e *evaluation) filter(n query.Node) (bitset, error) {
	switch n := n.(type) {
	case query.When:
		return e.when(n)
	case query.Exists:
		return e.exists(n.Field)
	case query.Match:
		return e.match(n)
	}
	return newBitset(e.s.docs), nil
}

func (e *evaluation) when(n query.When) (bitset, error) {
	times, err := e.s.whole(secTime)
	if err != nil {
		return nil, err
	}
	from, to := int64(-1<<63), int64(1<<63-1)
	if !n.From.IsZero() {
		from = n.From.UnixNano()
	}
	if !n.To.IsZero() {
		to = n.To.UnixNano()
	}
	i := -1
	return e.column(func(f flags, k Kinds) bool {
		i++
		t := int64(binary.LittleEndian.Uint64(times[8*i:]))
		return f&flagTimed != 0 && k&titleBit == 0 && t >= from && t < to
	})
}

func (e *evaluation) exists(f query.Field) (bitset, error) {
	switch f {
	case query.Role, query.Kind, query.ID:
		return e.column(func(_ flags, k Kinds) bool { return k&titleBit == 0 })
	case query.Model:
		return e.terms(termModel, anyValue)
	case query.File:
		return e.terms(termFile, anyValue)
	case query.Tool:
		return e.terms(termTool, anyValue)
	case query.Tag:
		return e.marked(query.Exists{Field: f}, "tag", "")
	}
	return e.ofConversations(query.Exists{Field: f})
}

func anyValue([]byte) bool { return true }

func (e *evaluation) match(n query.Match) (bitset, error) {
	switch n.Field {
	case query.Role:
		return e.role(lore.Role(n.Value))
	case query.Kind:
		want := kindBit(lore.PartKind(n.Value))
		return e.column(func(_ flags, k Kinds) bool { return k&want != 0 && k&titleBit == 0 })
	case query.Model:
		m := newValueMatch(n.Value, n.Glob)
		return e.terms(termModel, func(v []byte) bool { return m.part(string(v)) })
	case query.Tool:
		m := newValueMatch(n.Value, n.Glob)
		return e.terms(termTool, func(v []byte) bool { return m.equal(string(v)) })
	case query.File:
		m := newValueMatch(n.Value, n.Glob)
		return e.terms(termFile, func(v []byte) bool { return m.path(string(v)) })
	case query.Has:
		return e.has(n)
	case query.Is:
		return e.is(n)
	case query.ID:
		return e.id(n)
	case query.Tag:
		return e.marked(n, "tag", n.Value)
	}
	return e.ofConversations(n)
}

// marked finds the messages that a user has marked so, and all of a conversation that is.
func (e *evaluation) marked(n query.Node, kind, value string) (bitset, error) {
	b, err := e.ofConversations(n)
	if err != nil {
		return nil, err
	}
	ids, err := e.convs.marksOf(kind, value)
	for _, id := range ids {
		if err == nil {
			err = e.s.withPrefix(idPrefix{id, id}, func(doc uint32, _ lore.ID) bool {
				b.set(doc)
				return true
			})
		}
	}
	return b, err
}

// has finds messages by what is in them; what only a conversation can have is asked of the catalogue.
func (e *evaluation) has(n query.Match) (bitset, error) {
	switch n.Value {
	case "thinking", "call", "result", "image", "file", "text", "unknown":
		want := kindBit(lore.PartKind(n.Value))
		return e.column(func(_ flags, k Kinds) bool { return k&want != 0 && k&titleBit == 0 })
	case "error":
		return e.terms(termError, anyValue)
	case "mark", "note", "tag":
		return e.marked(n, n.Value, "")
	}
	return e.ofConversations(n)
}

// is finds messages by their state or subtype; what only a conversation can be is asked of the catalogue.
func (e *evaluation) is(n query.Match) (bitset, error) {
	switch {
	case n.Value == "active":
		return e.column(func(f flags, k Kinds) bool { return f&flagActive != 0 && k&titleBit == 0 })
	case n.Value == "inactive":
		return e.column(func(f flags, k Kinds) bool { return f&flagActive == 0 && k&titleBit == 0 })
	case markIs[n.Value] != "":
		return e.marked(n, markIs[n.Value], "")
	case convIs[n.Value] != "":
		return e.ofConversations(n)
	}
	m := newValueMatch(n.Value, n.Glob)
	return e.terms(termSubtype, func(x []byte) bool { return m.equal(string(x)) })
}

// id finds a message, or all of a conversation, by the beginning of an id.
func (e *evaluation) id(n query.Match) (bitset, error) {
	b, err := e.ofConversations(n)
	if err != nil {
		return nil, err
	}
	p, err := parsePrefix(n.Value)
	if err != nil {
		return b, nil
	}
	err = e.s.withPrefix(p, func(doc uint32, _ lore.ID) bool {
		b.set(doc)
		return true
	})
	return b, err
}

// ofConversations returns the documents of the conversations that a fact is true for.
func (e *evaluation) ofConversations(n query.Node) (bitset, error) {
	rows, err := e.convs.rows(n)
	if err != nil {
		return nil, err
	}
	b := newBitset(e.s.docs)
	if rows.empty() {
		return b, nil
	}
	runs, err := e.s.whole(secRuns)
	if err != nil {
		return nil, err
	}
	for ; len(runs) >= runSize; runs = runs[runSize:] {
		r := decodeRun(runs)
		if !rows.has(r.conv) {
			continue
		}
		if uint64(r.first)+uint64(r.count) > uint64(e.s.docs) {
			return nil, damaged("run %d+%d", r.first, r.count)
		}
		for doc := r.first; doc < r.first+r.count; doc++ {
			b.set(doc)
		}
	}
	return b, nil
}

// valueMatch compares the values of a field, without regard to case.
type valueMatch struct {
	value string
	glob  []string // what stands between the stars; nil: no star
}

func newValueMatch(value string, glob bool) valueMatch {
	m := valueMatch{value: strings.ToLower(value)}
	if glob {
		m.glob = strings.Split(m.value, "*")
	}
	return m
}

// equal reports whether v is the value.
func (m valueMatch) equal(v string) bool {
	v = strings.ToLower(v)
	if m.glob == nil {
		return v == m.value
	}
	last := len(m.glob) - 1
	if last == 0 {
		return v == m.value
	}
	if !strings.HasPrefix(v, m.glob[0]) {
		return false
	}
	v = v[len(m.glob[0]):]
	for _, g := range m.glob[1:last] {
		i := strings.Index(v, g)
		if i < 0 {
			return false
		}
		v = v[i+len(g):]
	}
	return strings.HasSuffix(v, m.glob[last])
}

// part reports whether the value is a part of v: opus of claude-opus-4.
func (m valueMatch) part(v string) bool {
	if m.glob != nil {
		return m.equal(v)
	}
	return strings.Contains(strings.ToLower(v), m.value)
}

// path reports whether v is the path, or ends with it at the border of a name, or lies below it.
func (m valueMatch) path(v string) bool {
	v = slashes(strings.ToLower(v))
	want := valueMatch{value: slashes(m.value), glob: m.glob}
	if m.glob != nil {
		base := v[strings.LastIndexByte(v, '/')+1:]
		return want.equal(v) || (!strings.Contains(want.value, "/") && want.equal(base))
	}
	w := strings.TrimSuffix(want.value, "/")
	return w != "" && (v == w || strings.HasSuffix(v, "/"+strings.TrimPrefix(w, "/")) || strings.HasPrefix(v, w+"/") ||
		strings.Contains(v, "/"+strings.TrimPrefix(w, "/")+"/"))
}

func slashes(s string) string { return strings.ReplaceAll(s, `\`, "/") }
