package cli

import (
	"strings"
)

// glyphs are the signs of which charts are made, from nothing to most.
type glyphs struct {
	spark []string // heights
	shade []string // densities
	bar   string
}

var (
	unicodeGlyphs = glyphs{strings.Split(" ▁▂▃▄▅▆▇█", ""), strings.Split("· ░ ▒ ▓ █", " "), "━"}
	asciiGlyphs   = glyphs{strings.Split(" .:-=+*#@", ""), strings.Split(". : + * #", " "), "="}
)

// heat are the colours of the shades, from least to most.
var heat = []style{dim, "38;5;24", "38;5;31", "38;5;38", "38;5;87"}

// glyphs returns the signs that the terminal can show: those of ASCII where its locale says that it has no others.
func (p *Program) glyphs(ascii bool) glyphs {
	if ascii || asciiOnly(p.Getenv) {
		return asciiGlyphs
	}
	return unicodeGlyphs
}

func asciiOnly(getenv func(string) string) bool {
	if getenv("TERM") == "linux" {
		return true // its font has no blocks of eight heights
	}
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := strings.ToLower(getenv(name)); v != "" {
			return !strings.Contains(v, "utf-8") && !strings.Contains(v, "utf8")
		}
	}
	return false
}

// level returns which of n signs stands for a number: the first for 0 alone.
func level(v, greatest, n int) int {
	if v <= 0 || greatest <= 0 {
		return 0
	}
	return min(1+(v*(n-1)-1)/greatest, n-1)
}

// sparkline draws numbers as heights, one a column.
func sparkline(g glyphs, numbers []int) string {
	greatest := 0
	for _, v := range numbers {
		greatest = max(greatest, v)
	}
	var b strings.Builder
	for _, v := range numbers {
		b.WriteString(g.spark[level(v, greatest, len(g.spark))])
	}
	return b.String()
}

// bar draws a number as a length of at most n columns: at least one unless it is 0.
func bar(g glyphs, v, greatest, n int) string {
	if v <= 0 || greatest <= 0 || n <= 0 {
		return ""
	}
	return strings.Repeat(g.bar, max(v*n/greatest, 1))
}
