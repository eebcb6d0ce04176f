package service

import (
	"errors"
	"fmt"

	"lore"
	"lore/adapter/kit"
	"lore/internal/index"
)

// withoutOrigin returns the loss of a conversation that was forked from one, or continues one, that is not here; nil when
// it is here or there is none. What it has of the other's messages stands. It is told when it is asked for and not kept,
// for the other may be imported, or forgotten, at any time.
func (l *library) withoutOrigin(c *lore.Conversation) ([]lore.Loss, error) {
	from := c.Lineage
	if from == nil || from.Of.IsZero() {
		return nil, nil
	}
	_, err := l.index.Conversation(from.Of)
	if !errors.Is(err, index.ErrNotFound) {
		return nil, err
	}
	verb := "was forked from"
	if from.Kind == lore.Continuation {
		verb = "continues"
	}
	what := fmt.Sprintf("the conversation that this one %s is not here: %q", verb, kit.Clip(from.OfNative))
	if from.OfNative == "" {
		what = fmt.Sprintf("the conversation that this one %s is not here: %s", verb, from.Of.Short())
	}
	loss := lore.Loss{Code: lore.MissingParent, Severity: lore.Info, Source: c.Source, What: what, Count: 1}
	return []lore.Loss{loss}, nil
}

// beginsIn sets the file of losses of a whole conversation: the one in which it begins.
func beginsIn(gone []lore.Loss, first []lore.Message) []lore.Loss {
	for i := range gone {
		if len(first) > 0 && len(first[0].Origins) > 0 {
			gone[i].File = first[0].Origins[0].File
		}
	}
	return gone
}
