package index

import (
	"context"

	"lore"
	"lore/internal/query"
)

// ListOptions is a page of a list.
type ListOptions struct {
	Limit  int // 0: all
	Offset int
	Marks  func(kind, value string) ([]lore.ID, error) // see Options
}

// List is a page of conversations.
type List struct {
	Entries []Entry
	Total   int // on all pages
	More    bool
}

// List returns the conversations that a question is true for, newest first: those of which a message, or the title,
// answers it. A question of nil asks for all.
func (r *Reader) List(ctx context.Context, q query.Query, o ListOptions) (*List, error) {
	if q.Root == nil {
		return r.page(nil, o)
	}
	convs := &convSets{c: &r.Catalog, r: r, marks: o.Marks}
	s := &searching{ctx: ctx, r: r, q: q, convs: convs, o: Options{Verify: 1 << 30}}
	s.plan = newPlan(s.root())
	rows, whole, err := s.conversations(s.plan.root)
	if err != nil {
		return nil, err
	}
	if !whole {
		if rows, err = s.answering(); err != nil {
			return nil, err
		}
	}
	return r.page(&rows, o)
}

// answering returns the conversations of the documents that answer.
func (s *searching) answering() (bitset, error) {
	found, err := s.match()
	if err != nil {
		return nil, err
	}
	var rows bitset
	for i := range found {
		rows = rows.grown(found[i].conv)
		rows.set(found[i].conv)
	}
	return rows, nil
}

// conversations decides a plan by the catalogue alone; whole is false where it asks for something that only messages
// have.
func (s *searching) conversations(n node) (rows bitset, whole bool, err error) {
	switch n := n.(type) {
	case nil:
		rows, err = s.convs.where("1")
		return rows, true, err
	case *filter:
		if !ofConversation(n.of) {
			return nil, false, nil
		}
		rows, err = s.convs.rows(n.of)
		return clone(rows), true, err
	case notNode:
		of, whole, err := s.conversations(n.of)
		if err != nil || !whole {
			return nil, false, err
		}
		rows, err = s.convs.where("1")
		rows.without(of)
		return rows, true, err
	case allOf:
		for i, x := range n {
			b, whole, err := s.conversations(x)
			if err != nil || !whole {
				return nil, false, err
			}
			if i == 0 {
				rows = b
			} else {
				rows.and(b)
			}
		}
		return rows, true, nil
	case anyOf:
		for _, x := range n {
			b, whole, err := s.conversations(x)
			if err != nil || !whole {
				return nil, false, err
			}
			if len(b) > 0 {
				rows = rows.grown(uint32(len(b)*64 - 1))
			}
			rows.or(b)
		}
		return rows, true, nil
	}
	return nil, false, nil
}

// ofConversation reports whether a fact is one of conversations.
func ofConversation(n query.Node) bool {
	switch n := n.(type) {
	case query.Exists:
		return convColumns[n.Field] != ""
	case query.Match:
		switch n.Field {
		case query.Has:
			return convHas[n.Value] != ""
		case query.Is:
			return convIs[n.Value] != ""
		case query.Path, query.Title, query.Project, query.Repo:
			return true
		}
		return convColumns[n.Field] != ""
	}
	return false
}

// page returns a page of the conversations in a set, newest first; nil is all of them. One without messages is none: every
// message of its evidence stands in another.
func (r *Reader) page(rows *bitset, o ListOptions) (*List, error) {
	var page []int64
	l := new(List)
	err := r.rows("SELECT row FROM conversations WHERE messages > 0 ORDER BY at DESC, id", nil, func(scan func(...any) error) error {
		var row int64
		if err := scan(&row); err != nil {
			return err
		}
		if rows != nil && !rows.has(uint32(row)) {
			return nil
		}
		if l.Total++; l.Total > o.Offset && (o.Limit <= 0 || len(page) < o.Limit) {
			page = append(page, row)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	l.More = l.Total > o.Offset+len(page)
	l.Entries, err = r.entriesOf(page)
	return l, err
}

// manyEntries is how many conversations are sooner found by reading all.
const manyEntries = 64

// entriesOf returns the conversations with these numbers, in the same order.
func (r *Reader) entriesOf(rows []int64) ([]Entry, error) {
	out := make([]Entry, 0, len(rows))
	if len(rows) <= manyEntries {
		for _, row := range rows {
			e, err := r.ConversationRow(row)
			if err != nil {
				return nil, err
			}
			out = append(out, *e)
		}
		return out, nil
	}
	place := make(map[int64]int, len(rows))
	for i, row := range rows {
		place[row] = i
	}
	out = out[:len(rows)]
	err := r.Each(func(e Entry) error {
		if i, asked := place[e.Row]; asked {
			out[i] = e
		}
		return nil
	})
	return out, err
}
