package lore

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func said(role Role, native, text string) Message {
	return Message{Role: role, Native: native, Active: true, Parts: []Part{{Kind: Text, Text: text}}}
}

func TestSealHandles(t *testing.T) {
	c := &Conversation{Source: "claude-code", Store: "projects", Native: "s1",
		Parent:  &Parent{Native: "s0", Call: "toolu_1"},
		Lineage: &Lineage{Kind: Fork, OfNative: "s2", Shared: 1},
		Messages: []Message{
			said(User, "u1", "go on"),
			said(User, "", "go on"),
			said(User, "u1", "go on"), // a later carrier of the same native id
			said(User, "u2", "stop"),
			said(User, "", "go on"),
		}}
	c.Messages[3].ParentNative = "u1"
	Seal(c)

	conv := ConversationID("claude-code", "s1")
	goOn := ContentID("claude-code", User, "", []Part{{Kind: Text, Text: "go on"}})
	var got []ID
	for _, m := range c.Messages {
		got = append(got, m.ID)
	}
	want := []ID{MessageID(conv, "u1"), OccurrenceID(conv, goOn, 1), OccurrenceID(conv, goOn, 2), MessageID(conv, "u2"), OccurrenceID(conv, goOn, 3)}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("message ids (-want +got):\n%s", diff)
	}
	if c.ID != conv || c.Messages[3].Parent != want[0] || !c.Messages[0].Parent.IsZero() {
		t.Errorf("conversation %s, parents %s and %s", c.ID, c.Messages[3].Parent, c.Messages[0].Parent)
	}
	if c.Parent.ID != ConversationID("claude-code", "s0") || c.Lineage.Of != ConversationID("claude-code", "s2") {
		t.Errorf("parent %v, lineage %v", c.Parent, c.Lineage)
	}
}

func TestSealAnchors(t *testing.T) {
	first := said(User, "", "what does this do?")
	content := ContentID("cursor", User, "", first.Parts)
	for _, tt := range []struct {
		name string
		c    Conversation
		want ID
	}{
		{"native", Conversation{Source: "cursor", Store: "x", Native: "n", Place: "~/p"}, ConversationID("cursor", "n")},
		{"place", Conversation{Source: "cursor", Store: "x", Place: "~/p", Messages: []Message{first}}, PlacedConversationID("cursor", "x", "~/p")},
		{"seed", Conversation{Source: "cursor", Store: "x", Messages: []Message{first, said(User, "", "more")}}, SeededConversationID("cursor", "x", content)},
		{"nothing", Conversation{Source: "cursor", Store: "x"}, ID{}},
	} {
		Seal(&tt.c)
		if tt.c.ID != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, tt.c.ID, tt.want)
		}
	}
}

func TestSealDerives(t *testing.T) {
	at := func(minute int64) Time { return NewTime(minute*60e9, 0, false) }
	c := &Conversation{Source: "codex", Store: "sessions", Native: "s",
		Lineage: &Lineage{Kind: Continuation, OfNative: "r", Shared: 2},
		Messages: []Message{
			{Role: User, Active: true, Parts: []Part{{Kind: Text, Text: "copied"}}},
			{Role: Assistant, Active: true, At: at(1), Model: "m1", Usage: &Usage{Input: 1000}},
			{Role: User, Active: false, At: at(5), Parts: []Part{{Kind: Text, Text: "withdrawn"}}},
			{Role: Assistant, Active: true, At: at(3), Model: "m2", Usage: &Usage{Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4}},
			{Role: Assistant, Active: true, Model: "m1", Usage: &Usage{Input: 10}},
			{Role: User, Active: false, Subtype: Removed, Parts: []Part{{Kind: Text, Text: "gone"}}},
		}}
	Seal(c)
	members := []ID{}
	for _, m := range c.Messages[:5] {
		members = append(members, m.ContentID)
	}
	got := Conversation{ContentHash: c.ContentHash, MessageCount: c.MessageCount, UserMessages: c.UserMessages, Models: c.Models,
		StartedAt: c.StartedAt, EndedAt: c.EndedAt, Usage: c.Usage, Title: c.Title, TitleFrom: c.TitleFrom}
	want := Conversation{ContentHash: ContentHash(members), MessageCount: 6, UserMessages: 1, Models: []string{"m1", "m2"},
		StartedAt: at(1), EndedAt: at(3), Usage: &Usage{11, 2, 3, 4}, Title: "copied", TitleFrom: TitleFromPrompt}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(Time{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSealKeepsWhatTheAdapterKnows(t *testing.T) {
	started, usage := NewTime(7, 9, true), &Usage{Input: 5}
	c := &Conversation{Source: "codex", Native: "s", Title: "Mine", StartedAt: started, Usage: usage,
		Messages: []Message{{Role: User, At: NewTime(9, 9, false), Usage: &Usage{Input: 1}}}}
	Seal(c)
	if c.Title != "Mine" || c.TitleFrom != TitleFromSource || c.StartedAt != started || c.Usage != usage {
		t.Errorf("%q from %q, %s, %v", c.Title, c.TitleFrom, c.StartedAt, c.Usage)
	}
}

// TestSealDoesNotDependOnPieces cuts one record anywhere: ids and derived facts are those of the whole.
func TestSealDoesNotDependOnPieces(t *testing.T) {
	message := rapid.Custom(func(t *rapid.T) Message {
		m := said(rapid.SampledFrom([]Role{User, Assistant}).Draw(t, "role"),
			rapid.SampledFrom([]string{"", "", "a", "b"}).Draw(t, "native"), rapid.SampledFrom([]string{"x", "y", ""}).Draw(t, "text"))
		m.Active = rapid.Bool().Draw(t, "active")
		m.ParentNative = rapid.SampledFrom([]string{"", "a"}).Draw(t, "parent")
		if rapid.Bool().Draw(t, "has usage") {
			m.Usage = &Usage{Input: 1}
		}
		return m
	})
	rapid.Check(t, func(t *rapid.T) {
		messages := rapid.SliceOfN(message, 1, 12).Draw(t, "messages")
		native := rapid.SampledFrom([]string{"", "s"}).Draw(t, "conversation")
		header := func(part []Message) *Conversation {
			return &Conversation{Source: "codex", Store: "sessions", Native: native, Messages: append([]Message{}, part...)}
		}
		whole := header(messages)
		Seal(whole)

		s, cut := NewSealer(), rapid.IntRange(0, len(messages)).Draw(t, "cut")
		first, last := header(messages[:cut]), header(messages[cut:])
		if cut == 0 {
			first.Messages = messages[:0]
			if native == "" {
				t.Skip("a seeded record begins with its first message")
			}
		}
		s.Piece(first)
		s.Piece(last)
		s.Finish(last)
		last.Messages = append(first.Messages, last.Messages...)
		if diff := cmp.Diff(whole, last, cmp.AllowUnexported(Time{})); diff != "" {
			t.Fatalf("cut at %d (-whole +pieces):\n%s", cut, diff)
		}
	})
}

func TestTitleFromPrompt(t *testing.T) {
	long := strings.Repeat("word ", 40)
	for _, tt := range []struct{ text, want string }{
		{"Fix the parser", "Fix the parser"},
		{"\n\n  Fix \t the\u00a0parser  \nand more", "Fix the parser"},
		{"one\r\ntwo", "one"},
		{" \n\t", ""},
		{long, strings.TrimSpace(long[:80]) + "…"},
		{strings.Repeat("x", 80), strings.Repeat("x", 80)},
		{strings.Repeat("x", 81), strings.Repeat("x", 79) + "…"},
		{strings.Repeat("解释", 50), strings.Repeat("解释", 39) + "解…"},
		{strings.Repeat("\xed\xa0\xbd", 81), strings.Repeat("\xed\xa0\xbd", 79) + "…"},
		{strings.Repeat("a", 30) + " " + strings.Repeat("b", 60), strings.Repeat("a", 30) + " " + strings.Repeat("b", 48) + "…"},
	} {
		if got := promptTitle([]Part{{Kind: Image, Text: "sha256:"}, {Kind: Text}, {Kind: Text, Text: tt.text}}); got != tt.want {
			t.Errorf("%.40q…\n got %q\nwant %q", tt.text, got, tt.want)
		}
	}
}

func TestTitleSkipsWithdrawnPrompts(t *testing.T) {
	c := &Conversation{Source: "codex", Native: "s", Messages: []Message{said(User, "", "first"), said(User, "", "second")}}
	c.Messages[0].Active = false
	Seal(c)
	if c.Title != "second" || c.UserMessages != 1 {
		t.Errorf("title %q, %d user messages", c.Title, c.UserMessages)
	}
}

func BenchmarkSeal(b *testing.B) {
	messages := make([]Message, 1000)
	for i := range messages {
		messages[i] = said(User, fmt.Sprint("native-", i), strings.Repeat("some words ", 10))
	}
	b.ReportAllocs()
	for b.Loop() {
		Seal(&Conversation{Source: "codex", Native: "s", Messages: messages})
	}
}
