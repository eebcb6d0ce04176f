package service

import (
	"errors"
	"path/filepath"
	"strings"

	"lore"
	"lore/internal/query"
)

// except narrows a question to what is not in some conversations, each named by its id, the beginning of one, the source's
// own id, or the path of its transcript. A conversation that was not imported yet cannot be found, so it is left out
// already.
func (l *library) except(q query.Query, names []string) (query.Query, error) {
	for _, name := range names {
		if name == "" {
			continue
		}
		id, err := l.conversationNamed(name)
		var f *Failure
		if errors.As(err, &f) && f.Kind == NotFound {
			continue
		}
		if err != nil {
			return q, err
		}
		not := query.Not{Of: query.Match{Field: query.ID, Value: id.String()}}
		switch root := q.Root.(type) {
		case nil:
			q.Root = not
		case query.And:
			q.Root = query.And{Span: root.Span, Of: append(root.Of[:len(root.Of):len(root.Of)], not)}
		default:
			q.Root = query.And{Of: []query.Node{root, not}}
		}
	}
	return q, nil
}

// conversationNamed returns the conversation that an id, a source's own id or the path of a transcript stands for.
func (l *library) conversationNamed(name string) (lore.ID, error) {
	if strings.ContainsAny(name, `/\`) {
		base := filepath.Base(strings.ReplaceAll(name, `\`, "/"))
		name = strings.TrimSuffix(base, filepath.Ext(base))
	}
	m, err := l.resolve(name)
	return m.Conversation, err
}
