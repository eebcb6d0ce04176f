package service

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode"
	"unicode/utf16"

	"lore/internal/archive"
)

// pattern is what a grep looks for: the expression that decides, and the literals without which no line can match.
type pattern struct {
	re     *regexp.Regexp
	needle archive.Needle
}

// compile reads a pattern as the request says.
func compile(req GrepRequest) (*pattern, error) {
	text := req.Pattern
	if req.Literal {
		text = regexp.QuoteMeta(text)
	}
	if req.Word {
		text = `\b(?:` + text + `)\b`
	}
	fold := req.IgnoreCase || (req.SmartCase && strings.IndexFunc(req.Pattern, unicode.IsUpper) < 0)
	flags := syntax.Perl
	if fold {
		flags |= syntax.FoldCase
		text = `(?i)` + text
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, failf(Usage, err, "not a regular expression: %q: %s; use -F to search for it as it stands", req.Pattern, plainSyntax(err))
	}
	p := &pattern{re: re, needle: archive.Needle{FoldCase: fold}}
	if req.Invert {
		return p, nil // a line without the pattern may be anywhere
	}
	tree, err := syntax.Parse(re.String(), flags)
	if err != nil {
		return p, nil
	}
	for _, literal := range required(tree.Simplify()) {
		forms := written(literal, fold)
		if forms == nil {
			p.needle.Literals = nil
			break
		}
		p.needle.Literals = append(p.needle.Literals, forms...)
	}
	return p, nil
}

func plainSyntax(err error) string {
	if e, ok := err.(*syntax.Error); ok {
		return strings.TrimSpace(string(e.Code) + " " + e.Expr)
	}
	return err.Error()
}

// required returns literals of which every match holds one; nil when no literal can be told.
func required(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		return []string{string(re.Rune)}
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return required(re.Sub[0])
		}
	case syntax.OpConcat:
		var best []string
		for _, sub := range re.Sub {
			if r := required(sub); shortest(r) > shortest(best) {
				best = r
			}
		}
		return best
	case syntax.OpAlternate:
		var all []string
		for _, sub := range re.Sub {
			r := required(sub)
			if r == nil {
				return nil
			}
			all = append(all, r...)
		}
		return all
	}
	return nil
}

// shortest is the length of the least selective of some literals: they are as good as that one.
func shortest(literals []string) int {
	n := 0
	for i, l := range literals {
		if i == 0 || len(l) < n {
			n = len(l)
		}
	}
	return n
}

// written returns how the most telling piece of a literal may stand in a source's JSON: as it is where no encoder would
// escape it, else also with escapes. Nil when no piece can be told.
func written(literal string, fold bool) [][]byte {
	var best string
	for _, run := range strings.FieldsFunc(literal, escapable) {
		if len(run) > len(best) {
			best = run
		}
	}
	if len(best) >= 3 || fold {
		if best == "" {
			return nil
		}
		return [][]byte{[]byte(best)}
	}
	var wide string
	for _, run := range strings.FieldsFunc(literal, func(r rune) bool { return r < 0x80 }) {
		if len(run) > len(wide) {
			wide = run
		}
	}
	if wide != "" && !strings.ContainsRune(wide, unicode.ReplacementChar) {
		return [][]byte{[]byte(wide), escaped(wide, "0123456789abcdef"), escaped(wide, "0123456789ABCDEF")}
	}
	if best == "" {
		return nil
	}
	return [][]byte{[]byte(best)}
}

// escapable reports whether an encoder of JSON may write a character as an escape.
func escapable(r rune) bool {
	return r < 0x20 || r >= 0x7f || strings.ContainsRune(`"\/<>&'`, r)
}

// escaped writes every character as \u escapes with the given digits.
func escaped(s, digits string) []byte {
	var b []byte
	for _, u := range utf16.Encode([]rune(s)) {
		b = append(b, '\\', 'u', digits[u>>12], digits[u>>8&15], digits[u>>4&15], digits[u&15])
	}
	return b
}
