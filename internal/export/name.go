package export

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"lore"
)

// titleBytes bounds what a file's name takes from a title: names have 255 bytes on most systems, and less in a synced
// folder.
const titleBytes = 80

// Name returns the name of a conversation's file, without its ending: the day it began, its title, its short id, with
// the separator between words. Whatever the title holds, the name is one of a file in the folder and of no other place,
// on every system.
func Name(c *lore.Conversation, shortID, separator string) string {
	day := "undated"
	if !c.StartedAt.IsZero() {
		day = c.StartedAt.Time().Format("2006-01-02")
	}
	words := []string{day}
	if title := safe(c.Title, separator); title != "" {
		words = append(words, title)
	}
	return strings.Join(append(words, shortID), separator)
}

// safe keeps the letters and digits of a title, with the separator between its words.
func safe(title, separator string) string {
	var b strings.Builder
	for word := range strings.FieldsFuncSeq(title, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.Mn, r) && r != '_' || r == utf8.RuneError
	}) {
		if b.Len()+len(separator)+len(word) > titleBytes {
			if b.Len() == 0 {
				b.WriteString(cut(word, titleBytes))
			}
			break
		}
		if b.Len() > 0 {
			b.WriteString(separator)
		}
		b.WriteString(word)
	}
	return b.String()
}

// cut shortens a word to n bytes, between two characters.
func cut(s string, n int) string {
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// leastID is how many characters of an id a file's name holds at least.
const leastID = 12

// IDOf returns the short id that a file's name ends with; empty when it is no name of ours.
func IDOf(name, ending string) string {
	stem, ok := strings.CutSuffix(name, ending)
	if !ok {
		return ""
	}
	at := strings.LastIndexAny(stem, " -")
	id := stem[at+1:]
	if at < 0 || len(id) < leastID || strings.Trim(id, "0123456789abcdefghijklmnopqrstuv") != "" {
		return ""
	}
	return id
}

// Tag returns a word as a tag of a note, or the name of a folder: letters, digits and hyphens. Empty when nothing is left.
func Tag(s string) string { return safe(s, "-") }
