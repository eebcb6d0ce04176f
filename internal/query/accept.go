package query

import (
	"strings"
	"unicode"
)

// Accepts reports whether a value that a conversation or message has is what the field asks for, in any case of
// letters. Title is not decided here: it is asked for by words. A project is accepted by its name or its directory, a
// repository by its address; each by any run of whole elements: acme/site accepts https://github.com/acme/site.git.
func (m Match) Accepts(value string) bool {
	want, have := strings.ToLower(m.Value), strings.ToLower(value)
	switch m.Field {
	case Project, File, Path, Branch:
		return acceptsPath(want, have, m.Glob)
	case Repo:
		return acceptsPath(address(want), address(have), m.Glob)
	case ID:
		return strings.HasPrefix(have, strings.TrimSuffix(want, "*"))
	}
	switch {
	case m.Glob:
		return glob(want, have)
	case want == have:
		return true
	case m.Field == Tool: // one of a server: mcp__lore__search
		return strings.HasSuffix(have, "__"+want)
	case m.Field == Model:
		return run(elements(want, partsModel), elements(have, partsModel), false)
	}
	return false
}

// acceptsPath reports whether the elements of want follow each other in have; from its beginning when want is absolute.
func acceptsPath(want, have string, wild bool) bool {
	want, have = strings.ReplaceAll(want, `\`, "/"), strings.ReplaceAll(have, `\`, "/")
	w, h := elements(want, partsPath), elements(have, partsPath)
	if strings.HasPrefix(want, "/") || len(want) > 1 && want[1] == ':' {
		if len(h) < len(w) || !strings.HasPrefix(have, "/") && strings.HasPrefix(want, "/") {
			return false
		}
		h = h[:len(w)]
	}
	return run(w, h, wild)
}

func partsPath(r rune) bool { return r == '/' }

func partsModel(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }

func elements(s string, parts func(rune) bool) []string { return strings.FieldsFunc(s, parts) }

// run reports whether the elements of want follow each other in have.
func run(want, have []string, wild bool) bool {
	for i := 0; len(want) > 0 && i+len(want) <= len(have); i++ {
		ok := true
		for j, w := range want {
			if ok = w == have[i+j] || wild && glob(w, have[i+j]); !ok {
				break
			}
		}
		if ok {
			return true
		}
	}
	return false
}

// address makes one form of the addresses of a repository: host/owner/name.
func address(s string) string {
	if _, rest, ok := strings.Cut(s, "://"); ok {
		s = rest
	}
	if user, rest, ok := strings.Cut(s, "@"); ok && !strings.Contains(user, "/") {
		s = rest
	}
	return strings.TrimSuffix(strings.Replace(s, ":", "/", 1), ".git")
}

// glob reports whether the text is the pattern, in which * is any text.
func glob(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == text
	}
	first, last := parts[0], parts[len(parts)-1]
	if len(text) < len(first)+len(last) || !strings.HasPrefix(text, first) || !strings.HasSuffix(text, last) {
		return false
	}
	text = text[len(first) : len(text)-len(last)]
	for _, part := range parts[1 : len(parts)-1] {
		i := strings.Index(text, part)
		if i < 0 {
			return false
		}
		text = text[i+len(part):]
	}
	return true
}
