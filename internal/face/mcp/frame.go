package mcp

import (
	"crypto/rand"
	"math/big"
	"strings"

	"lore/internal/redact"
	"lore/internal/text"
)

// quoted is text from a transcript: words, titles, names of projects. Nothing of that kind may stand in an answer
// elsewhere.
type quoted = string

// frame makes the quotes of one answer into data that cannot be taken for anything else: each between <N> and </N>, where
// N is a number that was made for this answer and stands in none of the quotes. So no text can end its own frame, whoever
// wrote it and whatever answers it has seen.
type frame struct {
	number   string
	redacted int
}

// close frames the quotes in place.
func (f *frame) close(quotes []*quoted, reveal bool) {
	var all strings.Builder
	for _, q := range quotes {
		if !reveal {
			clean, n := redact.Text(*q)
			*q = clean
			f.redacted += n
		}
		*q = text.Visible(*q)
		all.WriteString(*q + "\n")
	}
	f.number = numberOutside(all.String())
	for _, q := range quotes {
		*q = "<" + f.number + ">" + *q + "</" + f.number + ">"
	}
}

// numberOutside returns a number of six digits or more that does not stand in a text. Digits are cheap: three are a token.
func numberOutside(s string) string {
	for digits := int64(6); ; digits++ {
		low := new(big.Int).Exp(big.NewInt(10), big.NewInt(digits-1), nil)
		for range 8 {
			n, err := rand.Int(rand.Reader, new(big.Int).Mul(low, big.NewInt(9)))
			if err != nil {
				continue // crypto/rand ends the program before it fails
			}
			if number := n.Add(n, low).String(); !strings.Contains(s, number) {
				return number
			}
		}
	}
}

// unframed takes the frame off a quote.
func unframed(q string) string {
	_, rest, ok := strings.Cut(q, ">")
	if i := strings.LastIndex(rest, "</"); ok && i >= 0 {
		return rest[:i]
	}
	return q
}

// credentialEdge takes words off the ends of a snippet that could be half of a credential, since half of one is not
// known by its shape.
func credentialEdge(snippet string) string {
	const long = 16
	words := strings.Split(snippet, " ")
	for _, i := range []int{0, len(words) - 1} {
		if w := words[i]; len(w) >= long && strings.Trim(w, tokenBytes) == "" && mixed(w) {
			words[i] = "…"
		}
	}
	return strings.Join(words, " ")
}

const tokenBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/=_-"

// mixed reports whether a word has capitals, small letters and digits, as encoded bytes have and names mostly do not.
func mixed(w string) bool {
	return strings.ContainsAny(w, "0123456789") && strings.ToLower(w) != w && strings.ToUpper(w) != w
}
