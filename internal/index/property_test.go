package index

import (
	"context"
	"fmt"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"lore"
	"lore/internal/query"
	"lore/internal/text"
)

// vocabulary is what random messages are made of: words, identifiers, literals, scripts without spaces.
var vocabulary = []string{"lamp", "Lamp", "tide", "getUserById", "user_store", "store", "a_b", "100%", "node.js", "node", "js",
	"配置", "灯塔", "配置灯塔", "v2", "naïve", "straße", "C++", "--no-verify", "x", "src/api/user.go", "10.0.0.7", "E0308"}

func drawText(t *rapid.T) string {
	n := rapid.IntRange(0, 7).Draw(t, "words")
	out := make([]string, n)
	for i := range out {
		out[i] = rapid.SampledFrom(vocabulary).Draw(t, "word")
	}
	return strings.Join(out, rapid.SampledFrom([]string{" ", ", ", "\n"}).Draw(t, "between"))
}

func drawMessage(t *rapid.T, native string) lore.Message {
	role := rapid.SampledFrom([]lore.Role{lore.User, lore.Assistant, lore.Tool, lore.System}).Draw(t, "role")
	var parts []lore.Part
	for range rapid.IntRange(1, 3).Draw(t, "parts") {
		kind := rapid.SampledFrom([]lore.PartKind{lore.Text, lore.Thinking, lore.Result}).Draw(t, "kind")
		parts = append(parts, lore.Part{Kind: kind, Text: drawText(t)})
	}
	m := say(native, role, parts...)
	m.Active = rapid.Bool().Draw(t, "active")
	return m
}

func drawNode(t *rapid.T, depth int) query.Node {
	if depth > 0 {
		switch rapid.IntRange(0, 5).Draw(t, "node") {
		case 0:
			return query.And{Of: []query.Node{drawNode(t, depth-1), drawNode(t, depth-1)}}
		case 1:
			return query.Or{Of: []query.Node{drawNode(t, depth-1), drawNode(t, depth-1)}}
		case 2:
			return query.Not{Of: drawNode(t, depth-1)}
		}
	}
	word := rapid.SampledFrom(vocabulary).Draw(t, "asked")
	switch rapid.IntRange(0, 5).Draw(t, "leaf") {
	case 0:
		return query.Match{Field: query.Role, Value: rapid.SampledFrom([]string{"assistant", "tool", "system"}).Draw(t, "asked role")}
	case 1:
		return query.Phrase{Text: word + " " + rapid.SampledFrom(vocabulary).Draw(t, "second")}
	case 2:
		return query.Prefix{Text: word[:len(word)-len(word)/3]}
	case 3:
		return query.Match{Field: query.Is, Value: "active"}
	}
	return query.Literal{Text: word}
}

// holds is what a question means, read off the texts one by one.
func holds(n query.Node, m *lore.Message) bool {
	anyPart := func(x *text.Matcher) bool {
		for i := range m.Parts {
			if x.Matches(text.Searchable(&m.Parts[i])) {
				return true
			}
		}
		return false
	}
	switch n := n.(type) {
	case query.And:
		return holds(n.Of[0], m) && holds(n.Of[1], m)
	case query.Or:
		return holds(n.Of[0], m) || holds(n.Of[1], m)
	case query.Not:
		return !holds(n.Of, m)
	case query.Literal:
		return anyPart(text.Literal(n.Text))
	case query.Phrase:
		return anyPart(text.Phrase(n.Text))
	case query.Prefix:
		return anyPart(text.Prefix(n.Text))
	case query.Match:
		if n.Field == query.Is {
			return m.Active
		}
		return string(m.Role) == n.Value
	}
	return false
}

// TestSearchEqualsScan builds an index by puts, puts again, removals and merges, and compares every answer with a scan of
// what should be in it.
func TestSearchEqualsScan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dir := tempDir(t)
		w, err := OpenWriter(dir, WriterOptions{Memory: int64(rapid.SampledFrom([]int{1, 1 << 20}).Draw(t, "memory"))})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		held := map[string]*lore.Conversation{}
		s := w.Session()
		for range rapid.IntRange(1, 5).Draw(t, "commits") {
			for range rapid.IntRange(1, 3).Draw(t, "puts") {
				name := rapid.SampledFrom([]string{"one", "two", "three"}).Draw(t, "conversation")
				var messages []lore.Message
				for i := range rapid.IntRange(0, 4).Draw(t, "messages") {
					messages = append(messages, drawMessage(t, fmt.Sprint("m", i)))
				}
				held[name] = talk(name, messages...)
				putOrFail(t, s, held[name])
			}
			if err := w.Commit(context.Background(), Stamp{}); err != nil {
				t.Fatal(err)
			}
			if rapid.Bool().Draw(t, "merge") {
				if len(w.open) > 1 {
					mergeAll(t, w)
				}
			}
		}
		r, err := Open(dir, ReaderOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		for range 10 {
			root := drawNode(t, 3)
			res, err := r.Search(context.Background(), query.Query{Root: root}, Options{All: true, Strict: true})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(scan(held, root), found(res)); diff != "" {
				t.Fatalf("%#v\n%s", root, diff)
			}
			if !res.TotalIsExact || res.Total != len(res.Hits) {
				t.Fatalf("total %d, exact %v, %d hits", res.Total, res.TotalIsExact, len(res.Hits))
			}
		}
	})
}

func putOrFail(t *rapid.T, s *Session, c *lore.Conversation) {
	if err := s.Begin(c.ID); err != nil {
		t.Fatal(err)
	}
	for i := range c.Messages {
		if err := s.Add(&c.Messages[i], 1); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Finish(c, true, nil); err != nil {
		t.Fatal(err)
	}
}

// mergeAll merges every open segment, whatever its size.
func mergeAll(t *rapid.T, w *Writer) {
	name := newName()
	size, docs, err := mergeSegments(context.Background(), w.dir+"/"+name, w.open, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.swap(w.open, name, size, docs); err != nil {
		t.Fatal(err)
	}
}

// scan returns the ids of the messages for which a question holds.
func scan(held map[string]*lore.Conversation, n query.Node) []string {
	out := []string{}
	for _, c := range held {
		for i := range c.Messages {
			if holds(n, &c.Messages[i]) {
				out = append(out, c.Messages[i].ID.Short())
			}
		}
	}
	sort.Strings(out)
	return out
}

// found returns the ids of all hits and of their copies.
func found(r *Result) []string {
	out := []string{}
	for _, h := range r.Hits {
		out = append(out, h.Message.Short())
		for _, c := range h.AlsoIn {
			out = append(out, c.Message.Short())
		}
	}
	sort.Strings(out)
	return out
}
