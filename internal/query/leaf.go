package query

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// leaf makes the node of a token that is searched for.
func (p *parser) leaf(t token) Node {
	switch t.kind {
	case quoted:
		return Phrase{t.Span, t.text}
	case valued:
		return p.value(t)
	}
	return p.word(t.text, t.Span)
}

// word makes the node of a word without quotes.
func (p *parser) word(text string, at Span) Node {
	switch {
	case isKeyword(text):
		return Phrase{at, text}
	case onlyLetters(text):
		return Word{at, text}
	}
	if begin, ok := strings.CutSuffix(text, "*"); ok && begin != "" && !strings.Contains(begin, "*") && bare(text) {
		if last, _ := utf8.DecodeLastRuneInString(begin); last == '_' || onlyLetters(string(last)) {
			return Prefix{at, begin}
		}
	}
	return p.literal(text, at)
}

// literal returns the node of a text that must stand so: a phrase where the bare text would be read in another way.
func (p *parser) literal(text string, at Span) Node {
	if bare(text) {
		return Literal{at, text}
	}
	return Phrase{at, text}
}

// isKeyword reports whether a word joins others when it stands between them.
func isKeyword(s string) bool { return s == "AND" || s == "OR" || s == "NOT" }

// onlyLetters reports whether a word has only letters, their marks, and digits.
func onlyLetters(s string) bool {
	for _, r := range s {
		if !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsNumber(r) {
			return false
		}
	}
	return s != ""
}

// bare reports whether a text can be written into a question as it is and is read as one word, wherever it stands.
func bare(s string) bool {
	switch {
	case s == "", isKeyword(s), !balanced(s), strings.ContainsAny(s, `"“”`), strings.IndexByte("()", s[0]) >= 0:
		return false
	case s[0] == '-' && (&lexer{text: s}).negates(1):
		return false
	}
	if _, _, field := fieldName(s); field {
		return false
	}
	for i := range s {
		if spaceAt(s[i:]) > 0 {
			return false
		}
	}
	return true
}
