package kimi

import (
	"strings"

	"lore/adapter/kit"
)

// words is a digest of a text without its white space. Log and memory differ in how lines end and in where a text is
// parted; their words are equal. The words of two texts that follow each other are joined without the texts. It is used
// inside one reading only and is no identity.
type words struct{ hash, power uint64 }

// prime is the base of the digest.
const prime = 1099511628211

// noWords are those of a text that says nothing.
var noWords = words{power: 1}

// wordsOf digests a text.
func wordsOf(text string) words {
	w := noWords
	for i := range len(text) {
		if c := text[i]; c != ' ' && (c < '\t' || c > '\r') {
			w = words{w.hash*prime + uint64(c) + 1, w.power * prime}
		}
	}
	return w
}

// and returns the words of w followed by those of v.
func (w words) and(v words) words { return words{w.hash*v.power + v.hash, w.power * v.power} }

// textOf returns the text of a content: of a string, or of its blocks together.
func textOf(v kit.Value) string {
	if v.IsString() {
		return v.String()
	}
	var b strings.Builder
	for block := range v.Items() {
		b.WriteString(block.Get("text").String())
	}
	return b.String()
}

// musingOf returns the thinking in a content.
func musingOf(v kit.Value) string {
	var b strings.Builder
	for block := range v.Items() {
		b.WriteString(block.Get("think").String())
	}
	return b.String()
}
