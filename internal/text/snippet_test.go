package text

import "testing"

func checkSnippet(t *testing.T, text string, matches []Range) {}
