package query

import "strings"

// Error says what is wrong with a question, in one line. It is the asker's mistake: wrong usage.
type Error struct {
	Span    Span
	Message string
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Parse reads a question. The error, if any, is an *Error.
func Parse(text string, env Env) (Query, []Warning, error) {
	q := Query{Text: text}
	var all []Node
	for _, w := range strings.Fields(text) {
		all = append(all, Word{Text: w})
	}
	switch len(all) {
	case 0:
	case 1:
		q.Root = all[0]
	default:
		q.Root = And{Of: all}
	}
	return q, nil, nil
}
