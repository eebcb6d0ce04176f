package kit_test

import (
	"fmt"
	"testing/fstest"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// Lines go on behind damage and name it; each record knows where it stands.
func ExampleOpenLines() {
	in := adapter.Input{Place: "~/.lamp", Source: adapter.Source{Product: "lamp", Path: "a.jsonl"},
		FS: fstest.MapFS{"a.jsonl": {Data: []byte("{\"say\":\"on\"}\n{\"say\":\n{\"say\":\"off\"}\n")}}}
	lines, err := kit.OpenLines(in, "a.jsonl", kit.Options{TopKeys: []string{"say"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer lines.Close()
	for r := range lines.All() {
		fmt.Println(r.Value.Get("say").String(), "line", r.Line, "at", r.Offset)
	}
	for _, l := range lines.Losses() {
		fmt.Println(l.Code, "line", l.Line)
	}
	// Output:
	// on line 1 at 0
	// off line 3 at 21
	// retried_record line 2
}

// Messages are handed on in pieces, so that memory follows the bound and not the conversation.
func ExampleNewPieces() {
	in := adapter.Input{Bound: 600}
	header := func() *lore.Conversation { return &lore.Conversation{Source: "lamp", Native: "s1"} }
	p := kit.NewPieces(in, header, func(c *lore.Conversation, _ error) bool {
		fmt.Println(len(c.Messages), c.More)
		return true
	})
	var ledger lore.Ledger
	for range 3 {
		ledger.Keep(1)
		if p.Add(lore.Message{Role: lore.User, Parts: []lore.Part{{Kind: lore.Text, Text: "click"}}}) != nil {
			return
		}
	}
	if err := p.End(ledger, nil); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 2 true
	// 1 false
}
