package lore_test

import (
	"fmt"

	"lore"
)

// A record that was put together by hand gets its ids and derived facts from Seal.
func ExampleSeal() {
	c := &lore.Conversation{Source: "codex", Store: "sessions", Native: "s1", Messages: []lore.Message{
		{Role: lore.User, Native: "m1", Active: true, Parts: []lore.Part{{Kind: lore.Text, Text: "Why does the lamp flicker?"}}},
		{Role: lore.Assistant, Model: "gpt-5", ParentNative: "m1", Active: true, Parts: []lore.Part{{Kind: lore.Text, Text: "The button bounces."}}},
	}}
	lore.Seal(c)
	fmt.Println(c.Title)
	fmt.Println(c.ID.Short(), c.MessageCount, c.Models)
	fmt.Println(c.Messages[0].ID == lore.MessageID(c.ID, "m1"), c.Messages[1].Parent == c.Messages[0].ID)
	// Output:
	// Why does the lamp flicker?
	// u87oqcr7l68v 2 [gpt-5]
	// true true
}

// A conversation that does not fit into memory is sealed piece by piece; the ids do not depend on where pieces end.
func ExampleSealer() {
	s := lore.NewSealer()
	var last *lore.Conversation
	for _, text := range []string{"go on", "go on"} {
		last = &lore.Conversation{Source: "codex", Native: "s1", Messages: []lore.Message{
			{Role: lore.User, Active: true, Parts: []lore.Part{{Kind: lore.Text, Text: text}}}}}
		s.Piece(last)
		fmt.Println(last.Messages[0].ContentID.Short(), last.Messages[0].ID.Short())
	}
	s.Finish(last)
	fmt.Println(last.MessageCount)
	// Output:
	// hio3r2kr12kd d1dp4hianidc
	// hio3r2kr12kd 4tnqmjgnt0h3
	// 2
}

// The bytes that an id is the SHA-256 digest of.
func ExampleContentBytes() {
	fmt.Printf("%s\n", lore.ContentBytes("codex", lore.User, "", []lore.Part{{Kind: lore.Text, Text: "hello\r\n"}}))
	// Output:
	// {"parts":[["text","hello"]],"role":"user","source":"codex","type":"content","v":1}
}
