package redact

import "strings"

func digit(c byte) bool { return c >= '0' && c <= '9' }
func letter(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z'
}
func alnum(c byte) bool { return letter(c) || digit(c) }
func hex(c byte) bool   { return digit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }

// word are the bytes of base64 for addresses, of which most tokens are made.
func word(c byte) bool { return alnum(c) || c == '_' || c == '-' }

// token are the bytes that a token in a header can have.
func token(c byte) bool {
	return word(c) || c == '.' || c == '~' || c == '+' || c == '/' || c == '='
}

// run returns where the bytes of the class that begin at i end.
func run(s string, i int, class func(byte) bool) int {
	for i < len(s) && class(s[i]) {
		i++
	}
	return i
}

// generated reports whether the value looks as if a machine had made it: at least n bytes without a space, with a digit
// and a letter. Words joined by hyphens, numbers and names do not.
func generated(v string, n int) bool {
	if len(v) < n {
		return false
	}
	var digits, letters bool
	for i := 0; i < len(v); i++ {
		switch c := v[i]; {
		case digit(c):
			digits = true
		case letter(c):
			letters = true
		case c <= ' ' || c >= 0x7f:
			return false
		}
	}
	return digits && letters
}

// chosen reports whether the value looks like a password that a person chose, and not like a word of a sentence or the
// name of a type: at least six bytes without a space, with a letter and something that is none.
func chosen(v string) bool {
	if len(v) < 6 || strings.ContainsAny(v, " \t") {
		return false
	}
	var letters, others bool
	for i := 0; i < len(v); i++ {
		if letter(v[i]) {
			letters = true
		} else if digit(v[i]) || strings.IndexByte("!@#$%^&*+?=~", v[i]) >= 0 {
			others = true
		}
	}
	return letters && others
}

// placeholder reports whether the value stands for a credential and is none: a marker, a variable, a template, a row of
// stars, the word that says that there is none.
func placeholder(v string) bool {
	if v == "" || strings.HasPrefix(v, Open) {
		return true
	}
	switch v[0] {
	case '$', '<', '{', '[', '(':
		return true
	case '%':
		return len(v) == 1 || !hex(v[1])
	}
	if strings.Trim(v, v[:1]) == "" || strings.Trim(v, "*.xX") == "" {
		return true
	}
	return nothing[strings.ToLower(v)]
}

// noValues are words that say that there is no value, or of which type it is.
const noValues = "null none nil undefined true false yes no string str bytes text int number any optional " +
	"required empty unset hidden redacted masked removed password passwd secret token const let var new await return self this"
