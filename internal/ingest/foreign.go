package ingest

import (
	"iter"

	"lore"
	"lore/adapter"
	"lore/internal/archive"
)

// placed gives records of a file that another machine has kept the place that they have there: a flat list is one
// conversation, whichever machine's it is, while its locators go on naming the machine.
func placed(in adapter.Input, seq iter.Seq2[*lore.Conversation, error]) iter.Seq2[*lore.Conversation, error] {
	if machine, _ := archive.OtherMachine(in.Place); machine == "" {
		return seq
	}
	return func(yield func(*lore.Conversation, error) bool) {
		for c, err := range seq {
			if c != nil {
				_, c.Place = archive.OtherMachine(c.Place)
				_, c.Project.Dir = archive.OtherMachine(c.Project.Dir)
			}
			if !yield(c, err) {
				return
			}
		}
	}
}
