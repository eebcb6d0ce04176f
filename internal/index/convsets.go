package index

import (
	"fmt"
	"strings"
	"sync"

	"lore"
	"lore/internal/query"
	"lore/internal/text"
)

// convSets answers filters about conversations with sets of their rows. A question asks each filter once, whatever the
// number of segments.
type convSets struct {
	c     *Catalog
	r     *Reader
	marks func(kind, value string) ([]lore.ID, error)

	mu   sync.Mutex
	done map[string]bitset
}

// rows returns the rows of the conversations that a fact is true for.
func (s *convSets) rows(n query.Node) (bitset, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := fmt.Sprintf("%#v", stripped(n))
	if b, ok := s.done[key]; ok {
		return b, nil
	}
	b, err := s.find(n)
	if err != nil {
		return nil, err
	}
	if s.done == nil {
		s.done = map[string]bitset{}
	}
	s.done[key] = b
	return b, nil
}

// stripped takes away where the node stood in the text.
func stripped(n query.Node) query.Node {
	switch n := n.(type) {
	case query.Match:
		n.Span = query.Span{}
		return n
	case query.Exists:
		n.Span = query.Span{}
		return n
	}
	return n
}

func (s *convSets) find(n query.Node) (bitset, error) {
	switch n := n.(type) {
	case query.Exists:
		if column := convColumns[n.Field]; column != "" {
			return s.where(column + " <> ''")
		}
		switch n.Field {
		case query.Path:
			return s.where("evidences > 0")
		case query.Tag:
			return s.marked("tag", "")
		}
	case query.Match:
		return s.match(n)
	}
	return nil, nil
}

// convColumns are the columns of fields that are compared as a whole.
var convColumns = map[query.Field]string{
	query.Source: "source", query.Store: "store", query.Branch: "branch", query.Type: "kind", query.Project: "dir || project",
	query.Repo: "remote", query.Title: "title",
}

func (s *convSets) match(n query.Match) (bitset, error) {
	m := newValueMatch(n.Value, n.Glob)
	switch n.Field {
	case query.Source, query.Store, query.Branch, query.Type:
		return s.accept(convColumns[n.Field], func(v []string) bool { return m.equal(v[0]) })
	case query.Project:
		return s.accept("project, dir", func(v []string) bool { return m.equal(v[0]) || m.below(v[1]) })
	case query.Repo:
		return s.accept("remote", func(v []string) bool { return m.repository(v[0]) })
	case query.Title:
		words := text.Phrase(n.Value)
		return s.accept("title", func(v []string) bool { return v[0] != "" && (words.Matches(v[0]) || n.Glob && m.equal(v[0])) })
	case query.Path:
		return s.paths(m)
	case query.ID:
		return s.ids(n.Value)
	case query.Tag:
		return s.marked("tag", n.Value)
	case query.Has:
		if is := convHas[n.Value]; is != "" {
			return s.where(is)
		}
		return s.marked(n.Value, "")
	case query.Is:
		if is := convIs[n.Value]; is != "" {
			return s.where(is)
		}
		return s.marked(markIs[n.Value], "")
	}
	return nil, nil
}

// markIs are the kinds of mark that values of is: ask for.
var markIs = map[string]string{"marked": "mark", "starred": "star"}

// convHas and convIs are the values of has: and is: that speak of conversations, as conditions of SQL. The kind of a
// lineage stands in the header alone.
var (
	convHas = map[string]string{
		"loss":  "losses > 0",
		"usage": `row IN (SELECT row FROM headers WHERE instr(header, '"usage":{') > 0)`,
	}
	convIs = map[string]string{
		"archived":     "archived",
		"gone":         "NOT in_source",
		"fork":         `lineage IS NOT NULL AND row IN (SELECT row FROM headers WHERE instr(header, '"lineage":{"kind":"fork"') > 0)`,
		"continuation": `lineage IS NOT NULL AND row IN (SELECT row FROM headers WHERE instr(header, '"lineage":{"kind":"continuation"') > 0)`,
	}
)

// where returns the rows for which a condition of SQL holds. It is never made of what a user typed.
func (s *convSets) where(condition string) (bitset, error) {
	var b bitset
	err := s.c.rows("SELECT row FROM conversations WHERE "+condition, nil, func(scan func(...any) error) error {
		var row int64
		err := scan(&row)
		b = b.grown(uint32(row))
		b.set(uint32(row))
		return err
	})
	return b, err
}

// accept returns the rows whose columns, at most two, are accepted.
func (s *convSets) accept(columns string, f func(v []string) bool) (bitset, error) {
	var b bitset
	var row int64
	v := make([]string, strings.Count(columns, ",")+1)
	dest := []any{&row}
	for i := range v {
		dest = append(dest, &v[i])
	}
	err := s.c.rows("SELECT row, "+columns+" FROM conversations", nil, func(scan func(...any) error) error {
		if err := scan(dest...); err != nil {
			return err
		}
		if f(v) {
			b = b.grown(uint32(row))
			b.set(uint32(row))
		}
		return nil
	})
	return b, err
}

// paths returns the conversations that an evidence at such a path contributes to.
func (s *convSets) paths(m valueMatch) (bitset, error) {
	var b bitset
	var row int64
	var path string
	err := s.c.rows("SELECT l.conversation, e.path FROM evidences e JOIN links l ON l.evidence = e.id", nil,
		func(scan func(...any) error) error {
			if err := scan(&row, &path); err != nil {
				return err
			}
			if m.path(path) || m.part(path) {
				b = b.grown(uint32(row))
				b.set(uint32(row))
			}
			return nil
		})
	return b, err
}

// ids returns the conversations whose id, or native id, begins so.
func (s *convSets) ids(prefix string) (bitset, error) {
	p, err := parsePrefix(prefix)
	if err != nil {
		p = idPrefix{}
		p.low[0] = 1 // an empty range
	}
	var b bitset
	err = s.c.rows("SELECT row FROM conversations WHERE id >= ? AND id <= ? OR native = ?",
		[]any{p.low[:], p.high[:], prefix}, func(scan func(...any) error) error {
			var row int64
			err := scan(&row)
			b = b.grown(uint32(row))
			b.set(uint32(row))
			return err
		})
	return b, err
}

// marked returns the conversations that a user has marked so.
func (s *convSets) marked(kind, value string) (bitset, error) {
	ids, err := s.marksOf(kind, value)
	var b bitset
	for _, id := range ids {
		if err == nil {
			err = s.c.rows("SELECT row FROM conversations WHERE id = ?", []any{id[:]}, func(scan func(...any) error) error {
				var row int64
				err := scan(&row)
				b = b.grown(uint32(row))
				b.set(uint32(row))
				return err
			})
		}
	}
	return b, err
}

func (s *convSets) marksOf(kind, value string) ([]lore.ID, error) {
	if s.marks == nil {
		return nil, nil
	}
	return s.marks(kind, value)
}

// below reports whether a directory is the value or lies below it.
func (m valueMatch) below(dir string) bool {
	if dir == "" {
		return false
	}
	d := slashes(strings.ToLower(dir))
	w := strings.TrimSuffix(slashes(m.value), "/")
	if m.glob != nil {
		return valueMatch{value: w, glob: m.glob}.equal(d)
	}
	return w != "" && strings.Contains(w, "/") && (d == w || strings.HasPrefix(d, w+"/") || strings.HasSuffix(d, "/"+strings.TrimPrefix(w, "/")))
}

// repository reports whether an address is the value, or ends with it at the border of a name: owner/name, name.
func (m valueMatch) repository(address string) bool {
	trim := func(s string) string { return strings.TrimSuffix(strings.TrimSuffix(s, "/"), ".git") }
	a, w := trim(strings.ToLower(address)), trim(m.value)
	if m.glob != nil {
		return valueMatch{value: w, glob: m.glob}.equal(a)
	}
	return w != "" && (a == w || strings.HasSuffix(a, "/"+w) || strings.HasSuffix(a, ":"+w))
}

// grown returns b with room for i.
func (b bitset) grown(i uint32) bitset {
	for int(i>>6) >= len(b) {
		b = append(b, 0)
	}
	return b
}
