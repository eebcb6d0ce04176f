package cursor

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lore"
	"lore/adapter"
	"lore/adapter/adaptertest"
)

func TestContract(t *testing.T) {
	adaptertest.Run(t, New(), adaptertest.Options{Homes: map[string]string{
		"global": globalHome(t), "workspace": workspaceHome(t), "chat": chatHome(t),
	}})
}

func FuzzRead(f *testing.F) { adaptertest.Fuzz(f, New()) }

// drain reads an evidence whole.
func drain(in adapter.Input) (list []*lore.Conversation, err error) {
	var open *lore.Conversation
	for c, err := range New().Read(context.Background(), in) {
		if err != nil {
			return list, err
		}
		if open != nil {
			messages, ledger := append(open.Messages, c.Messages...), open.Ledger
			ledger.Add(c.Ledger)
			*open = *c
			open.Messages, open.Ledger = messages, ledger
		} else {
			open = c
			list = append(list, c)
		}
		if !c.More {
			open = nil
		}
	}
	return list, nil
}

// show writes a message in one line: role, id, what it is, when, and its parts.
func show(m *lore.Message) string {
	s := string(m.Role)
	if m.Native != "" {
		s += " " + m.Native
	}
	if m.Subtype != "" {
		s += " (" + m.Subtype + ")"
	}
	if !m.Active {
		s += " inactive"
	}
	for _, p := range m.Parts {
		s += fmt.Sprintf(" %s", p.Kind)
		if p.Name != "" {
			s += "[" + p.Name + "]"
		}
		if p.IsError {
			s += "!"
		}
		if p.Unreadable {
			s += "?"
		}
		s += fmt.Sprintf("%q", p.Text)
	}
	return s
}

func shown(c *lore.Conversation) (list []string) {
	for i := range c.Messages {
		list = append(list, show(&c.Messages[i]))
	}
	return list
}

func codes(c *lore.Conversation) (list []string) {
	for _, l := range c.Losses {
		list = append(list, fmt.Sprintf("%s %s %d", l.Code, l.Row, l.Count))
	}
	return list
}

// counts are the ledger as [units kept merged skipped unknown damaged].
func counts(c *lore.Conversation) [6]int {
	l := c.Ledger
	return [6]int{l.Units, l.Kept, l.Merged, l.Skipped, l.Unknown, l.Damaged}
}

func same(t *testing.T, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(lore.Time{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func isNotMine(err error) bool { return errors.Is(err, adapter.ErrNotMine) }
