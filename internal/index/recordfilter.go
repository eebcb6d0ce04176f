package index

import (
	"slices"
	"strings"

	"lore"
	"lore/internal/query"
	"lore/internal/text"
)

// RecordFilter decides whether a question is true for a record that no index was asked about: what a search says of its
// documents it says of conversations, messages and parts. A nil filter lets everything through.
type RecordFilter struct {
	root     query.Node
	matchers map[query.Node]*text.Matcher
	known    bool // what only an archive can tell of a conversation (marks, gone) is no, not open
}

// truth is yes, no, or open where a fact is not known.
type truth int8

const (
	untrue truth = iota - 1
	unsure
	certain
)

func truthOf(b bool) truth {
	if b {
		return certain
	}
	return untrue
}

// NewRecordFilter makes the filter of a question; nil where it asks for everything. Of a live source nothing is marked
// and nothing is gone; otherwise such facts are open, and let a record through.
func NewRecordFilter(q query.Query, live bool) *RecordFilter {
	if q.Root == nil {
		return nil
	}
	f := &RecordFilter{root: (&searching{q: q}).root(), matchers: map[query.Node]*text.Matcher{}, known: live}
	query.Walk(f.root, func(n query.Node, _ bool) {
		switch n := n.(type) {
		case query.Word:
			f.matchers[n] = text.Word(n.Text)
		case query.Literal:
			f.matchers[n] = text.Literal(n.Text)
		case query.Phrase:
			f.matchers[n] = text.Phrase(n.Text)
		case query.Prefix:
			f.matchers[n] = text.Prefix(n.Text)
		}
	})
	return f
}

// Conversation reports whether a message of the conversation may answer.
func (f *RecordFilter) Conversation(c *lore.Conversation) bool {
	return f == nil || f.truth(f.root, c, nil, nil) != untrue
}

// Message reports whether a part of the message may answer.
func (f *RecordFilter) Message(c *lore.Conversation, m *lore.Message) bool {
	return f == nil || f.truth(f.root, c, m, nil) != untrue
}

// Part reports whether the part answers: kind: is asked of the part itself.
func (f *RecordFilter) Part(c *lore.Conversation, m *lore.Message, p *lore.Part) bool {
	return f == nil || f.truth(f.root, c, m, p) != untrue
}

func (f *RecordFilter) truth(n query.Node, c *lore.Conversation, m *lore.Message, p *lore.Part) truth {
	switch n := n.(type) {
	case query.And:
		t := certain
		for _, of := range n.Of {
			t = min(t, f.truth(of, c, m, p))
		}
		return t
	case query.Or:
		t := untrue
		for _, of := range n.Of {
			t = max(t, f.truth(of, c, m, p))
		}
		return t
	case query.Not:
		return -f.truth(n.Of, c, m, p)
	case query.When:
		if m == nil {
			return unsure
		}
		at := m.At.Time()
		return truthOf(!m.At.IsZero() && !at.Before(n.From) && (n.To.IsZero() || at.Before(n.To)))
	case query.Exists:
		return f.exists(n, c, m)
	case query.Match:
		if ofConversation(n) && n.Field != query.Path {
			return f.ofConversation(n, c)
		}
		if m == nil {
			return unsure
		}
		return f.ofMessage(n, c, m, p)
	}
	if m == nil {
		return unsure
	}
	x := f.matchers[n]
	return truthOf(x != nil && slices.ContainsFunc(m.Parts, func(p lore.Part) bool { return x.Matches(p.Text) }))
}

// unknown is the answer to what only an archive or an index can tell.
func (f *RecordFilter) unknown() truth {
	if f.known {
		return untrue
	}
	return unsure
}

func (f *RecordFilter) ofConversation(n query.Match, c *lore.Conversation) truth {
	v := newValueMatch(n.Value, n.Glob)
	switch n.Field {
	case query.Source:
		return truthOf(v.equal(c.Source))
	case query.Store:
		return truthOf(v.equal(c.Store))
	case query.Branch:
		return truthOf(v.equal(c.Project.Branch))
	case query.Type:
		return truthOf(v.equal(string(c.Kind)))
	case query.Project:
		return truthOf(v.equal(c.Project.Name) || v.below(c.Project.Dir))
	case query.Repo:
		return truthOf(v.repository(c.Project.Remote))
	case query.Title:
		return truthOf(c.Title != "" && (text.Phrase(n.Value).Matches(c.Title) || n.Glob && v.equal(c.Title)))
	case query.Has:
		if n.Value == "usage" {
			return truthOf(c.Usage != nil)
		}
	case query.Is:
		switch n.Value {
		case "archived":
			return truthOf(c.Archived)
		case "fork", "continuation":
			return truthOf(c.Lineage != nil && string(c.Lineage.Kind) == n.Value)
		}
	}
	return f.unknown()
}

func (f *RecordFilter) exists(n query.Exists, c *lore.Conversation, m *lore.Message) truth {
	switch n.Field {
	case query.Source, query.Role, query.Kind, query.ID, query.Path:
		return certain
	case query.Store:
		return truthOf(c.Store != "")
	case query.Branch:
		return truthOf(c.Project.Branch != "")
	case query.Type:
		return truthOf(c.Kind != "")
	case query.Project:
		return truthOf(c.Project.Dir != "" || c.Project.Name != "")
	case query.Repo:
		return truthOf(c.Project.Remote != "")
	case query.Title:
		return truthOf(c.Title != "")
	case query.Tag:
		return f.unknown()
	}
	if m == nil {
		return unsure
	}
	found := false
	switch n.Field {
	case query.Model:
		found = m.Model != ""
	case query.Tool:
		eachTool(m, func(string) { found = true })
	case query.File:
		eachFile(m, func(string) { found = true })
	}
	return truthOf(found)
}

func (f *RecordFilter) ofMessage(n query.Match, c *lore.Conversation, m *lore.Message, p *lore.Part) truth {
	v := newValueMatch(n.Value, n.Glob)
	found := false
	switch n.Field {
	case query.Role:
		return truthOf(v.equal(string(m.Role)))
	case query.Kind:
		if p != nil {
			return truthOf(v.equal(string(p.Kind)))
		}
		if hasKind(m, n.Value) {
			return unsure // which part it is decides
		}
		return untrue
	case query.Model:
		return truthOf(m.Model != "" && v.part(m.Model))
	case query.Tool:
		eachTool(m, func(name string) { found = found || v.equal(name) })
	case query.File:
		eachFile(m, func(path string) { found = found || v.path(path) })
	case query.ID:
		low := strings.ToLower(n.Value)
		return truthOf(strings.HasPrefix(m.ID.String(), low) || strings.HasPrefix(c.ID.String(), low) || c.Native == n.Value)
	case query.Path:
		found = slices.ContainsFunc(m.Origins, func(l lore.Locator) bool { return v.path(l.File) || v.part(l.File) })
	case query.Has:
		switch n.Value {
		case "error":
			found = slices.ContainsFunc(m.Parts, func(p lore.Part) bool { return p.IsError })
		case "mark", "note", "tag":
			return f.unknown()
		default:
			found = hasKind(m, n.Value)
		}
	case query.Is:
		switch n.Value {
		case "active", "inactive":
			return truthOf(m.Active == (n.Value == "active"))
		case "marked":
			return f.unknown()
		}
		return truthOf(v.equal(m.Subtype))
	case query.Tag:
		return f.unknown()
	}
	return truthOf(found)
}

func hasKind(m *lore.Message, kind string) bool {
	return slices.ContainsFunc(m.Parts, func(p lore.Part) bool { return string(p.Kind) == kind })
}

func eachTool(m *lore.Message, f func(name string)) {
	for i := range m.Parts {
		if p := &m.Parts[i]; p.Kind == lore.Call && p.Name != "" {
			f(p.Name)
		}
	}
}

func eachFile(m *lore.Message, f func(path string)) {
	for i := range m.Parts {
		if p := &m.Parts[i]; p.Kind == lore.Call {
			touchedFiles(p, p.Text, f)
		}
	}
}
