package ingest

import (
	"testing"

	"lore"
	"lore/adapter"

	"github.com/google/go-cmp/cmp"
)

// line is a message as the tests write it: native id, role and words.
func line(native string, role lore.Role, text string) lore.Message {
	return lore.Message{Native: native, Role: role, Active: true, Units: 1,
		Parts:   []lore.Part{{Kind: lore.Text, Text: text}},
		Origins: []lore.Locator{{File: "f"}}}
}

func at(m lore.Message, second int64) lore.Message {
	m.At, m.AtFrom = lore.NewTime(second*1e9, 0, false), lore.FromSource
	return m
}

func recordOf(ms ...lore.Message) *lore.Conversation {
	c := &lore.Conversation{Source: "s", Native: "n", Messages: ms}
	for _, m := range ms {
		c.Ledger.Keep(m.Units)
	}
	return c
}

// told is a message as the tests expect it.
func told(c *lore.Conversation) []string {
	var out []string
	for _, m := range c.Messages {
		s := string(m.Role) + " " + m.Parts[0].Text
		if !m.Active {
			s += " (" + m.Subtype + ")"
		}
		out = append(out, s)
	}
	return out
}

func TestJoin(t *testing.T) {
	tests := []struct {
		name   string
		all    []contribution
		want   []string
		ledger lore.Ledger
	}{{
		name: "the same session in two folders is their union",
		all: []contribution{
			{path: "a", file: 1, record: recordOf(line("u1", lore.User, "one"), line("a1", lore.Assistant, "uno"))},
			{path: "b", file: 2, record: recordOf(line("u1", lore.User, "one"), line("a1", lore.Assistant, "uno"), line("u2", lore.User, "two"))},
		},
		want:   []string{"user one", "assistant uno", "user two"},
		ledger: lore.Ledger{Units: 5, Kept: 3, Merged: 2},
	}, {
		name: "a prompt history pairs each prompt once and puts in what only it has, by time",
		all: []contribution{
			{path: "h", file: 2, store: adapter.Store{Rank: 9, Prompts: true}, record: recordOf(at(line("", lore.User, "go on"), 1), at(line("", lore.User, "/model"), 3), at(line("", lore.User, "go  on"), 5))},
			{path: "t", file: 1, record: recordOf(at(line("u1", lore.User, "go on"), 1), at(line("a1", lore.Assistant, "done"), 2), at(line("u2", lore.User, "go on"), 5))},
		},
		want:   []string{"user go on", "assistant done", "user /model", "user go on"},
		ledger: lore.Ledger{Units: 6, Kept: 4, Merged: 2},
	}, {
		name: "what only an older snapshot holds was removed, and stays",
		all: []contribution{
			{path: "t", file: 1, old: true, age: 1, record: recordOf(line("u1", lore.User, "one"), line("a1", lore.Assistant, "uno"), line("u2", lore.User, "two"))},
			{path: "t", file: 1, record: recordOf(line("u1", lore.User, "one"), line("u2", lore.User, "two"))},
		},
		want:   []string{"user one", "assistant uno (removed)", "user two"},
		ledger: lore.Ledger{Units: 5, Kept: 3, Merged: 2},
	}, {
		name: "a conversation that vanished from its file stays as it was",
		all: []contribution{
			{path: "t", file: 1, old: true, age: 1, record: recordOf(line("u1", lore.User, "one"))},
		},
		want:   []string{"user one"},
		ledger: lore.Ledger{Units: 1, Kept: 1},
	}, {
		name: "in one store equal words under two ids are two messages",
		all: []contribution{
			{path: "a", file: 1, record: recordOf(line("u1", lore.User, "continue"))},
			{path: "b", file: 2, record: recordOf(line("u2", lore.User, "continue"))},
		},
		want:   []string{"user continue", "user continue"},
		ledger: lore.Ledger{Units: 2, Kept: 2},
	}}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := join(test.all)
			if d := cmp.Diff(test.want, told(got)); d != "" {
				t.Errorf("messages (-want +got):\n%s", d)
			}
			if d := cmp.Diff(test.ledger, got.Ledger); d != "" {
				t.Errorf("ledger (-want +got):\n%s", d)
			}
		})
	}
}

func TestJoinTitle(t *testing.T) {
	title := func(s string, second int64) *lore.Conversation {
		c := recordOf(line("u", lore.User, "x"))
		c.Title, c.TitleFrom = s, lore.TitleFromSource
		if second > 0 {
			c.TitleAt = lore.NewTime(second*1e9, 0, false)
		}
		return c
	}
	got := join([]contribution{{path: "a", record: title("old name", 1)}, {path: "b", file: 2, record: title("new name", 2)}})
	if got.Title != "new name" {
		t.Errorf("the newest of several titles wins, got %q", got.Title)
	}
	got = join([]contribution{{path: "a", record: title("mine", 0)}, {path: "b", file: 2, record: title("theirs", 0)}})
	if got.Title != "mine" {
		t.Errorf("without times the richer record's title stands, got %q", got.Title)
	}
}
