package query

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// tokenKind says what a token is.
type tokenKind uint8

const (
	word   tokenKind = iota // a word that is searched for
	quoted                  // the content of quotes
	valued                  // a field with its value
	open
	shut
	minus
	opAnd
	opOr
	opNot
)

// token is a piece of the question's text.
type token struct {
	kind    tokenKind
	text    string // the words that are searched for; of a field: the value, without quotes
	name    string // of a field, as written
	exact   bool   // the value was quoted
	keyword bool   // a keyword that was read as a word
	locked  bool   // the value has a closing parenthesis that is a part of it, so no * in it is a wildcard
	Span
}

// counts reports whether the token counts against MaxTerms.
func (t token) counts() bool { return t.kind != open && t.kind != shut && t.kind != minus }

// lexer cuts a question into tokens.
type lexer struct {
	text     string
	at       int
	depth    int    // open groups
	plain    []bool // parentheses that are text, because their other half is missing
	opened   []int  // places of the groups that are open
	terms    int    // how many tokens are searched for
	curly    int    // place of the last closing curly quote; -1: none
	tokens   []token
	warnings []Warning
}

func newLexer(text string, plain []bool) *lexer {
	return &lexer{text: text, plain: plain, curly: strings.LastIndex(text, "”")}
}

// lex returns the tokens of the text. Parentheses without their other half are read as text.
func lex(text string) ([]token, []Warning) {
	plain := make([]bool, len(text))
	for range 3 {
		l := newLexer(text, plain)
		l.run()
		if len(l.opened) == 0 || l.terms > MaxTerms {
			return l.tokens, l.warnings
		}
		for _, at := range l.opened {
			plain[at] = true
		}
	}
	// The text read as words has left new halves behind: no parenthesis counts.
	for i := range len(text) {
		if text[i] == '(' {
			plain[i] = true
		}
	}
	l := newLexer(text, plain)
	l.run()
	return l.tokens, l.warnings
}

// maxWarnings is how many warnings of one kind are worth reading.
const maxWarnings = 5

func (l *lexer) warn(code, message string, at Span, instead string) {
	l.warnings = warned(l.warnings, Warning{Code: code, Message: message, DidYouMean: instead, Span: at})
}

// warned appends a warning if there are few of its kind.
func warned(all []Warning, w Warning) []Warning {
	n := 0
	for _, before := range all {
		if before.Code == w.Code {
			n++
		}
	}
	if n >= maxWarnings {
		return all
	}
	return append(all, w)
}

// run takes all tokens, or one more than a question may have.
func (l *lexer) run() {
	for l.terms <= MaxTerms {
		l.at += spaceAt(l.text[l.at:])
		if l.at >= len(l.text) {
			return
		}
		l.next()
	}
}

// next takes the token that begins at the current place, which is no white space.
func (l *lexer) next() {
	start := l.at
	switch c := l.text[start]; {
	case c == '(' && l.plain[start]:
		l.warn("unbalanced_parenthesis", "a parenthesis without its other half was read as text", Span{start, start + 1}, "")
		l.word()
	case c == '(' && !strings.HasPrefix(l.text[start:], "()"):
		l.depth++
		l.opened = append(l.opened, start)
		l.at++
		l.add(token{kind: open})
	case c == ')' && l.depth > 0:
		l.depth--
		l.opened = l.opened[:len(l.opened)-1]
		l.at++
		l.add(token{kind: shut})
	case c == '-' && l.negates(start+1):
		l.at++
		l.add(token{kind: minus})
	case l.quotes():
	case l.fieldAt():
	default:
		l.word()
	}
	for i := len(l.tokens) - 1; i >= 0 && l.tokens[i].Span == (Span{}); i-- {
		l.tokens[i].Span = Span{start, l.at}
	}
}

func (l *lexer) add(t token) {
	if t.counts() {
		l.terms++
	}
	l.tokens = append(l.tokens, t)
}

// negates reports whether a minus before place i negates what follows: an option (--force), an arrow or a dash do not.
func (l *lexer) negates(i int) bool {
	if i >= len(l.text) || l.text[i] == ')' || strings.IndexByte("->=", l.text[i]) >= 0 {
		return false
	}
	return spaceAt(l.text[i:]) == 0
}

// quotes takes a quoted text at the current place, or reports that there is none.
func (l *lexer) quotes() bool {
	width := quoteAt(l.text[l.at:])
	if width == 0 {
		return false
	}
	content, end := l.quoted(l.at)
	switch {
	case end == 0:
		l.warn("unbalanced_quote", "a quote without its other half was read as text", Span{l.at, l.at + width}, "")
		return false
	case !l.delimited(l.at + end):
		return l.glued(l.at + end)
	case strings.TrimSpace(content) == "":
		content = l.text[l.at : l.at+end]
	}
	l.at += end
	l.add(token{kind: quoted, text: content})
	return true
}

// glued takes a quoted text that goes on ("key":) as one text with its quotes.
func (l *lexer) glued(end int) bool {
	start := l.at
	l.at = l.wordEnd(end)
	l.add(token{kind: word, text: l.text[start:l.at]})
	return true
}

// word takes a word, or a keyword.
func (l *lexer) word() {
	start := l.at
	l.at = l.wordEnd(start)
	if i := unknownField(l.text[start:l.at]); i > 0 {
		l.strange(start, start+i)
	}
	t := token{kind: word, text: l.text[start:l.at]}
	switch t.text {
	case "AND":
		t.kind = opAnd
	case "OR":
		t.kind = opOr
	case "NOT":
		t.kind = opNot
	}
	if n := len(l.tokens); n > 0 && l.tokens[n-1].kind == minus {
		t.kind = word
	}
	l.add(t)
}

// strange warns of a word that looks like a field which is not known, and takes its value whole if that is quoted.
func (l *lexer) strange(start, colon int) {
	if _, n := l.quoted(colon + 1); n > 0 && l.delimited(colon+1+n) {
		l.at = colon + 1 + n
	}
	name, instead := l.text[start:colon], ""
	message := "there is no field " + Quote(name) + "; it was read as text"
	if f := nearestField(name); f != "" {
		instead = f + l.text[colon:l.at]
	}
	l.warn("unknown_field", message, Span{start, l.at}, instead)
}

// wordEnd returns where the word ends that goes on at i: at white space, or at a parenthesis that closes a group.
func (l *lexer) wordEnd(i int) int {
	inner := 0
	for i < len(l.text) {
		switch c := l.text[i]; {
		case c == '(' && !l.plain[i]:
			inner++
		case c == ')' && inner > 0:
			inner--
		case c == ')' && l.depth > 0:
			return i
		case spaceAt(l.text[i:]) > 0:
			return i
		}
		_, n := utf8.DecodeRuneInString(l.text[i:])
		i += n
	}
	return i
}

// delimited reports whether a token can end at i.
func (l *lexer) delimited(i int) bool {
	return i >= len(l.text) || spaceAt(l.text[i:]) > 0 || l.text[i] == ')' && l.depth > 0
}

// spaceAt returns the length of the white space that s begins with.
func spaceAt(s string) (n int) {
	for n < len(s) {
		r, size := utf8.DecodeRuneInString(s[n:])
		if !unicode.IsSpace(r) {
			break
		}
		n += size
	}
	return n
}

// quoteAt returns the length of the quotation mark that s begins with, or 0.
func quoteAt(s string) int {
	for _, q := range []string{`"`, "“", "”"} {
		if strings.HasPrefix(s, q) {
			return len(q)
		}
	}
	return 0
}

// quoted is quotedAt for the text at i, without a search for a closing quote that is not there.
func (l *lexer) quoted(i int) (content string, n int) {
	if i > l.curly && strings.HasPrefix(l.text[i:], "“") {
		return "", 0
	}
	return quotedAt(l.text[i:])
}

// quotedAt returns the content of the quotes that s begins with and their whole length; 0 when there are none, or the
// closing one is missing. In straight quotes \" and \\ stand for a quote and a backslash.
func quotedAt(s string) (content string, n int) {
	if strings.HasPrefix(s, "“") {
		body := s[len("“"):]
		if i := strings.Index(body, "”"); i >= 0 {
			return body[:i], len("“") + i + len("”")
		}
		return "", 0
	}
	if s == "" || s[0] != '"' {
		return "", 0
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		c := s[i]
		if c == '"' {
			return b.String(), i + 1
		}
		if c == '\\' && i+1 < len(s) && (s[i+1] == '"' || s[i+1] == '\\') {
			i++
			c = s[i]
		}
		b.WriteByte(c)
	}
	return "", 0
}

// Quote writes a text in quotes, as Parse reads it.
func Quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
