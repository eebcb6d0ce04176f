package grok

import "strings"

// words is a digest of a text without its white space. Two representations of one text differ in how lines end and where
// they are broken; their words are equal. The words of two texts that follow each other are joined without the texts. It
// is used inside one reading only and is no identity.
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

// The frames in which the tool puts a prompt for the model.
const (
	queryOpen = "<user_query>\n"
	queryEnd  = "\n</user_query>"
)

// openings are the sentences that the tool puts before a framed prompt.
var openings = []string{"", "The user interrupted the previous turn:\n", "The user sent a message while you were working:\n"}

// unframe parts a prompt that the tool has framed into what the person typed and what the tool says around it. The frame
// counts only as the outermost thing of the text.
func unframe(text string) (typed, around string) {
	for _, opening := range openings {
		inside, ok := strings.CutPrefix(text, opening+queryOpen)
		if !ok {
			continue
		}
		end := strings.LastIndex(inside, queryEnd)
		if end < 0 || opening == "" && strings.TrimSpace(inside[end+len(queryEnd):]) != "" {
			return text, ""
		}
		return inside[:end], strings.TrimSpace(opening + inside[end+len(queryEnd):])
	}
	return text, ""
}

// injected are the beginnings of texts that the tool writes in a person's place without marking them.
var injected = []struct{ open, end string }{
	{"<user_info>", "</user_info>"},
	{"<system-reminder>", "</system-reminder>"},
}

// isInjected reports whether a text is one of those, as a whole.
func isInjected(text string) bool {
	text = strings.TrimSpace(text)
	for _, in := range injected {
		if strings.HasPrefix(text, in.open) && strings.HasSuffix(text, in.end) {
			return true
		}
	}
	return false
}
