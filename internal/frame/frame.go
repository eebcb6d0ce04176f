// Package frame hands text of transcripts to a language model as data: without credentials, without control characters,
// and framed so that nothing in it can end the frame. It must not know where the text is from or over what it is sent.
package frame

import (
	"crypto/rand"
	"math/big"
	"strings"

	"lore/internal/redact"
	"lore/internal/text"
)

// Quoted is text from a transcript: words, titles, names of projects. Nothing of that kind may stand in an answer
// elsewhere.
type Quoted = string

// Frame makes the quotes of one answer into data that cannot be taken for anything else: each between <N> and </N>, where
// N is a number that was made for this answer and stands in none of the quotes. So no text can end its own frame, whoever
// wrote it and whatever answers it has seen.
type Frame struct {
	Number   string
	Redacted int // credentials that were taken out
}

// Close frames the quotes in place, without their credentials unless they are to be revealed.
func (f *Frame) Close(quotes []*Quoted, reveal bool) {
	var all strings.Builder
	for _, q := range quotes {
		if !reveal {
			clean, n := redact.Text(*q)
			*q = clean
			f.Redacted += n
		}
		*q = text.Visible(*q)
		all.WriteString(*q + "\n")
	}
	f.Number = numberOutside(all.String())
	for _, q := range quotes {
		*q = "<" + f.Number + ">" + *q + "</" + f.Number + ">"
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

// Bare takes the frame off a quote.
func Bare(q string) string {
	_, rest, ok := strings.Cut(q, ">")
	if i := strings.LastIndex(rest, "</"); ok && i >= 0 {
		return rest[:i]
	}
	return q
}

// CredentialEdge takes words off the ends of a snippet that could be half of a credential, since half of one is not
// known by its shape.
func CredentialEdge(snippet string) string {
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
