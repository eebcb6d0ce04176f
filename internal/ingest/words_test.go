package ingest

import (
	"strings"
	"testing"

	"lore"
)

// TestWordsKey: messages share a key when they say the same but for white space, however long they are.
func TestWordsKey(t *testing.T) {
	key := func(text string) string {
		return wordsKey(&lore.Message{Role: lore.User, Parts: []lore.Part{{Kind: lore.Text, Text: text}}})
	}
	for _, n := range []int{1, 600, 819, 820, 40_000} {
		text := strings.Repeat("heron ", n)
		if key(text) != key("\n"+strings.ReplaceAll(text, " ", "\t\n  ")) {
			t.Errorf("%d words: white space makes a difference", n)
		}
		if key(text) == key(text+"x") || key(text) == key("x"+text) || len(key(text)) > keyBytes+16 {
			t.Errorf("%d words: other words have the same key, or it is too long", n)
		}
	}
	if got, want := key(" a \n b "), "user\x00a b"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
