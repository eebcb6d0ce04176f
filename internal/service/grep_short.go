package service

import "lore"

// shorten gives the events of one message the short form that names it alone. Where the sources are read as they are,
// nothing is known of what else there is.
func (g *grepping) shorten(events []GrepEvent) {
	if g.library == nil || len(events) == 0 {
		return
	}
	short := ""
	for i, e := range events {
		if m, ok := e.Data.(GrepMatch); ok {
			if short == "" {
				short = g.library.short([]lore.ID{m.Message})[0]
			}
			m.ShortID = short
			events[i].Data = m
		}
	}
}
