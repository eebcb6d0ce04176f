package service

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode"
	"unicode/utf8"

	"lore/internal/archive"
)

// pattern is what a grep looks for: the expression that decides, and the literals without which no line can match.
type pattern struct {
	re     *regexp.Regexp
	words  *wordPattern // with -w; nil: without
	needle archive.Needle
	halves archive.Needle // for stores that keep a text in several strings
	text   *archive.Finder
}

// compile reads the patterns of a request as it says: a line matches where any of them does.
func compile(req GrepRequest) (*pattern, error) {
	var all []string
	fold := req.IgnoreCase
	some, upper := false, false // of the letters that stand for themselves
	for _, text := range req.patterns() {
		if req.Literal {
			some = some || strings.ContainsFunc(text, unicode.IsLetter)
			upper = upper || strings.ContainsFunc(text, unicode.IsUpper)
			text = regexp.QuoteMeta(text)
		} else {
			if _, err := syntax.Parse(text, syntax.Perl); err != nil {
				return nil, failf(Usage, err, "not a regular expression: %q: %s; -F takes it literally", text, plainSyntax(text, err))
			}
			s, u := plainLetters(text)
			some, upper = some || s, upper || u
		}
		all = append(all, "(?:"+text+")")
	}
	fold = fold || req.SmartCase && some && !upper
	text := strings.Join(all, "|")
	if req.Line {
		text = `^(?:` + text + `)$`
	}
	if fold {
		text = `(?i:` + text + `)`
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, failf(Usage, err, "not a regular expression: %q: %s; -F takes it literally", strings.Join(req.patterns(), "|"), plainSyntax(text, err))
	}
	p := &pattern{re: re}
	if req.Word && !req.Line {
		if p.words, err = newWordPattern(text); err != nil {
			return nil, failf(Usage, err, "the pattern is too large for -w: shorten it")
		}
	}
	if !req.Invert { // a line without the pattern may be anywhere
		p.prefilter(text)
	}
	p.text = p.needle.Finder()
	return p, nil
}

// patterns returns the patterns of a request, one for each line of each.
func (req *GrepRequest) patterns() []string {
	all := req.Patterns
	if req.Pattern != "" || len(all) == 0 {
		all = append([]string{req.Pattern}, all...)
	}
	var out []string
	for _, p := range all {
		out = append(out, strings.Split(p, "\n")...)
	}
	return out
}

// plainLetters reports whether a regular expression has letters that stand for themselves, and whether one of them is of
// upper case: \S, \pL, [:upper:] and the names of groups have none.
func plainLetters(text string) (some, upper bool) {
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		i += n
		switch {
		case r == '\\' && i < len(text):
			class := text[i] == 'p' || text[i] == 'P'
			i++
			if class && i < len(text) && text[i] == '{' {
				i += max(strings.IndexByte(text[i:], '}'), 0)
			} else if class {
				i++
			}
		case r == '(' && strings.HasPrefix(text[i:], "?"):
			i += max(strings.IndexAny(text[i:], ":)>"), 0)
		case r == '[' && strings.HasPrefix(text[i:], ":"):
			i += max(strings.Index(text[i:], ":]"), 0)
		case unicode.IsLetter(r):
			some, upper = true, upper || unicode.IsUpper(r)
		}
	}
	return some, upper
}

// find returns where a line matches; nil when it does not.
func (p *pattern) find(line string) [][]int {
	if p.words != nil {
		return p.words.find(line)
	}
	return p.re.FindAllStringIndex(line, -1)
}

// wordPattern finds matches that no letter, digit or underscore touches. Go's \b knows those of ASCII alone, so the
// neighbours are matched with the pattern and left out of what is found.
type wordPattern struct {
	first *regexp.Regexp // from the beginning of a line
	later *regexp.Regexp // from somewhere in it, with one character before
}

// noWord is a character of no word: the two joiners bind the letters and signs of some scripts.
const noWord = `[^\pL\pM\p{Nd}\p{Nl}\p{Pc}\x{200c}\x{200d}]`

func newWordPattern(text string) (*wordPattern, error) {
	first, err := regexp.Compile(`(?:^|` + noWord + `)(` + text + `)(?:$|` + noWord + `)`)
	if err != nil {
		return nil, err
	}
	later, err := regexp.Compile(noWord + `(` + text + `)(?:$|` + noWord + `)`)
	return &wordPattern{first, later}, err
}

func (w *wordPattern) find(line string) (found [][]int) {
	re, at, end := w.first, 0, -1
	for at <= len(line) {
		m := re.FindStringSubmatchIndex(line[at:])
		if m == nil {
			break
		}
		from, to := at+m[2], at+m[3]
		if to > from || from != end {
			found = append(found, []int{from, to})
		}
		if re, end = w.later, to; to > from {
			_, n := utf8.DecodeLastRuneInString(line[:to])
			at = to - n
		} else if at = to; to == len(line) {
			break
		}
	}
	return found
}

// plainSyntax says what is wrong with a regular expression, and where: the character, counted from 1.
func plainSyntax(text string, err error) string {
	e, ok := err.(*syntax.Error)
	if !ok {
		return err.Error()
	}
	at := -1
	switch e.Code {
	case syntax.ErrMissingParen, syntax.ErrUnexpectedParen:
		at = loneParen(text)
	case syntax.ErrInternalError, syntax.ErrLarge, syntax.ErrNestingDepth:
	default:
		at = strings.LastIndex(text, e.Expr)
	}
	what := string(e.Code)
	if e.Expr != text && e.Expr != "" {
		what += " `" + e.Expr + "`"
	}
	if at >= 0 {
		what += " at character " + number(utf8.RuneCountInString(text[:at])+1)
	}
	return what
}

// loneParen returns where the parenthesis stands that has no other half; -1 when each has one.
func loneParen(text string) int {
	var open []int
	class := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case class:
			class = c != ']'
		case c == '[':
			class = true
			if i+1 < len(text) && text[i+1] == '^' {
				i++
			}
			if i+1 < len(text) && text[i+1] == ']' {
				i++ // it stands for itself there
			}
		case c == '(':
			open = append(open, i)
		case c == ')' && len(open) == 0:
			return i
		case c == ')':
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		return open[len(open)-1]
	}
	return -1
}
