package kit

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lore"
	"lore/adapter"
)

func TestPiecesEndAtTheBound(t *testing.T) {
	type piece struct {
		Texts  []string
		More   bool
		Ledger lore.Ledger
	}
	var got []piece
	pieces := NewPieces(adapter.Input{Bound: 1000}, func() *lore.Conversation { return &lore.Conversation{Native: "n"} },
		func(c *lore.Conversation, err error) bool {
			p := piece{More: c.More, Ledger: c.Ledger}
			for _, m := range c.Messages {
				p.Texts = append(p.Texts, m.Parts[0].Text[:1])
			}
			got = append(got, p)
			return true
		})
	for _, text := range []string{"a", strings.Repeat("b", 900), "c"} {
		if err := pieces.Add(lore.Message{Parts: []lore.Part{{Text: text}}}); err != nil {
			t.Fatal(err)
		}
	}
	var ledger lore.Ledger
	ledger.Keep(3)
	if err := pieces.End(ledger, nil); err != nil {
		t.Fatal(err)
	}
	want := []piece{{Texts: []string{"a", "b"}, More: true}, {Texts: []string{"c"}, Ledger: ledger}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("pieces (-want +got):\n%s", diff)
	}
}

func TestPiecesStop(t *testing.T) {
	pieces := NewPieces(adapter.Input{Bound: 1}, func() *lore.Conversation { return &lore.Conversation{} },
		func(*lore.Conversation, error) bool { return false })
	if err := pieces.Add(lore.Message{}); err != ErrStopped {
		t.Errorf("got %v", err)
	}
	if err := pieces.End(lore.Ledger{}, nil); err != ErrStopped {
		t.Errorf("got %v", err)
	}
}
