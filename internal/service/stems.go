package service

import (
	"strings"

	"lore/internal/text"
)

// stemsOf returns the words of a text that mean something, each by its stem, once.
func stemsOf(s string) map[string]bool {
	stems := map[string]bool{}
	a := text.NewAnalyzer()
	a.Tokens(s, func(term []byte) {
		if t := string(term); !text.Common(t) {
			stems[text.Stem(t)] = true
		}
	})
	return stems
}

// piece is a sentence or a line of what a message says.
type piece struct {
	text   string
	glue   string   // what stands between this piece and the next one
	stems  []string // of the words that are looked for, each once
	all    []string // of those, and of other names of the same things
	near   []string // words that are looked for and that stand there by another name
	tokens int
	score  float64
	taken  bool
}

// The bounds of a piece: a longer sentence is cut between two words.
const (
	pieceBytes = 260
	partBytes  = 24 << 10 // of a text that is looked at, half from each end
)

// piecesOf cuts a text into sentences and lines.
func piecesOf(s string) (pieces []piece, whole bool) {
	s = strings.TrimSpace(s)
	whole = true
	if len(s) > partBytes {
		head, tail := text.Bulk(s, partBytes)
		first, _ := piecesOf(s[:head])
		last, _ := piecesOf(s[tail:])
		return append(first, last...), false
	}
	for s != "" {
		n, skip := sentence(s)
		p := piece{text: s[:n], glue: " "}
		if strings.Contains(s[n:n+skip], "\n") {
			p.glue = "\n"
		} else if skip == 0 {
			p.glue = ""
		}
		if strings.TrimSpace(p.text) != "" {
			p.tokens = text.Tokens(p.text) + 1
			pieces = append(pieces, p)
		}
		s = s[n+skip:]
	}
	return pieces, whole
}

// sentence returns the length of the first sentence or line of a text, and that of the white space behind it.
func sentence(s string) (n, skip int) {
	end, word := len(s), 0
	for i, r := range s {
		if i >= pieceBytes {
			if end = i; word > pieceBytes/2 {
				end = word
			}
			break
		}
		switch r {
		case '\n':
			return i, spaces(s[i:])
		case ' ', '\t':
			word = i
		case '.', '?', '!', ';':
			if rest := s[i+1:]; rest == "" || rest[0] == ' ' || rest[0] == '\n' {
				return i + 1, spaces(rest)
			}
		case '。', '！', '？', '；':
			after := i + len(string(r))
			return after, spaces(s[after:])
		}
	}
	return end, spaces(s[end:])
}

func spaces(s string) int { return len(s) - len(strings.TrimLeft(s, " \t\r\n")) }
