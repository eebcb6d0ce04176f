package text

import "unicode/utf8"

// Slips is how many slips a word of that many characters is forgiven when close spellings are looked for: none below
// four, one below eight, else two.
func Slips(characters int) int {
	switch {
	case characters < 4:
		return 0
	case characters < 8:
		return 1
	}
	return 2
}

// Close reports whether a term can be had from another by at most slips insertions, deletions, changes or swaps of
// neighbours, counted in characters. Both are terms, so of bounded length.
func Close(a, b string, slips int) bool {
	if slips < 0 || len(a) > 2*MaxTerm || len(b) > 2*MaxTerm {
		return a == b
	}
	var bufA, bufB [2 * MaxTerm]rune
	x, y := runes(bufA[:0], a), runes(bufB[:0], b)
	for len(x) > 0 && len(y) > 0 && x[0] == y[0] {
		x, y = x[1:], y[1:]
	}
	for len(x) > 0 && len(y) > 0 && x[len(x)-1] == y[len(y)-1] {
		x, y = x[:len(x)-1], y[:len(y)-1]
	}
	if len(x)-len(y) > slips || len(y)-len(x) > slips {
		return false
	}
	return distance(x, y) <= slips
}

func runes(to []rune, s string) []rune {
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		to, s = append(to, r), s[n:]
	}
	return to
}

// distance is the number of slips between x and y, three rows of the usual table at a time.
func distance(x, y []rune) int {
	var rows [3][2*MaxTerm + 1]int
	old, prev, row := rows[0][:len(y)+1], rows[1][:len(y)+1], rows[2][:len(y)+1]
	for j := range prev {
		prev[j] = j
	}
	for i := range x {
		row[0] = i + 1
		for j := range y {
			change := 1
			if x[i] == y[j] {
				change = 0
			}
			row[j+1] = min(prev[j+1]+1, row[j]+1, prev[j]+change)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				row[j+1] = min(row[j+1], old[j-1]+1)
			}
		}
		old, prev, row = prev, row, old
	}
	return prev[len(y)]
}
