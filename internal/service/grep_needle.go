package service

import (
	"bytes"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"

	"lore/internal/archive"
)

func number(n int) string { return strconv.Itoa(n) }

// literal is a text of which a match needs one.
type literal struct {
	text string
	fold bool // in any case of letters
}

// prefilter finds the literals without which nothing can match, as they may stand in the bytes of a source.
func (p *pattern) prefilter(text string) {
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return
	}
	var n archive.Needle
	for _, l := range required(tree.Simplify()) {
		forms := written(l)
		if forms == nil {
			return
		}
		n.Literals = append(n.Literals, forms...)
		n.FoldCase = n.FoldCase || l.fold
	}
	p.needle, p.halves = n, archive.Needle{Literals: halved(n.Literals), FoldCase: n.FoldCase}
}

// required returns literals of which every match holds one; nil when no literal can be told.
func required(re *syntax.Regexp) []literal {
	switch re.Op {
	case syntax.OpLiteral:
		return []literal{{string(re.Rune), re.Flags&syntax.FoldCase != 0}}
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return required(re.Sub[0])
		}
	case syntax.OpConcat:
		var best []literal
		for _, sub := range re.Sub {
			if r := required(sub); shortest(r) > shortest(best) {
				best = r
			}
		}
		return best
	case syntax.OpAlternate:
		var all []literal
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
func shortest(literals []literal) int {
	n := 0
	for i, l := range literals {
		if i == 0 || len(l.text) < n {
			n = len(l.text)
		}
	}
	return n
}

// written returns how the most telling piece of a literal may stand in the bytes of a source: as it is where no encoder
// would escape it, else also with escapes. Nil when no piece can be told.
func written(l literal) [][]byte {
	best := longest(l.text, escapable)
	wide := longest(l.text, func(r rune) bool {
		return r < 0x80 || r == unicode.ReplacementChar || r == 0x2028 || r == 0x2029 || l.fold && unicode.SimpleFold(r) != r
	})
	switch {
	case len(best) < 3 && wide != "":
		forms := [][]byte{[]byte(wide)}
		for _, digits := range []string{"0123456789abcdef", "0123456789ABCDEF"} {
			once := escaped(wide, digits)
			forms = append(forms, once)
			if len(once) > len(`\u0000`) { // JSON as a string of JSON; of one character this is found with the other
				forms = append(forms, bytes.ReplaceAll(once, []byte(`\`), []byte(`\\`)))
			}
		}
		return forms
	case best == "":
		return nil
	case l.fold && strings.ContainsAny(best, "kKsS"):
		// K and ſ are forms of k and s. Whoever writes them is rare enough to be read.
		return [][]byte{[]byte(best), []byte("\u017f"), []byte(`\u017f`), []byte("\u212a"), []byte(`\u212a`)}
	}
	return [][]byte{[]byte(best)}
}

// longest returns the longest run of a text without some characters.
func longest(s string, but func(rune) bool) string {
	best := ""
	for _, run := range strings.FieldsFunc(s, but) {
		if len(run) > len(best) {
			best = run
		}
	}
	return best
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

// leastHalf is the shortest half of a literal that is worth looking for.
const leastHalf = 3

// halved returns the halves of the literals: where a text was put together of two strings, one half of a literal stands
// whole in one of them. Nil when a half would be too short to tell anything.
func halved(literals [][]byte) [][]byte {
	var all [][]byte
	for _, l := range literals {
		if strings.HasPrefix(string(l), `\u`) && len(l) == 6 || len(l) < 4 && l[0] >= 0x80 {
			all = append(all, l) // one character is not parted
			continue
		}
		if len(l) < 2*leastHalf {
			return nil
		}
		all = append(all, slices.Clone(l[:len(l)/2]), slices.Clone(l[len(l)/2:]))
	}
	return all
}
