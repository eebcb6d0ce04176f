package text

import "testing"

// TestTokens holds the estimate against counts of a real vocabulary (the larger of o200k and cl100k): never far below it,
// and never more than twice as much.
func TestTokens(t *testing.T) {
	tests := []struct {
		text string
		real int
	}{
		{"", 0},
		{"hello world, gmimcr4ioear <482913> </482913>", 17},
		{"gmimcr4ioear", 6},
		{"b8g3grqbtt34 claude-code 2026-03-13", 18},
		{"Customers complain that the invoice total is one cent off the sum of its lines. Can you find out why?", 22},
		{"数据库迁移失败怎么回滚", 11},
		{"internal/invoice/lines.go:88: amt := math.Round(price*qty*100) / 100", 20},
	}
	for _, test := range tests {
		if got := Tokens(test.text); 10*got < 8*test.real || got > 2*test.real {
			t.Errorf("Tokens(%q) = %d, a vocabulary says %d", test.text, got, test.real)
		}
	}
}

// TestTokensGrow: more text is never fewer tokens, so a head can be found by halving.
func TestTokensGrow(t *testing.T) {
	const s = "Ein Satz mit 12 Wörtern, ID gmimcr4ioear und 数据库; getUserById(x) == 0x1F   --no-verify\n\nEnde."
	for i := range s {
		if a, b := Tokens(s[:i]), Tokens(s); a > b+2 {
			t.Errorf("%q has %d tokens, all of it %d", s[:i], a, b)
		}
	}
}
