package text

import "lore"

// Searchable returns the text of a part as it is indexed, matched and shown in snippets: a call's input with the escapes
// in its JSON strings decoded, everything else as it is. Positions of matches are positions in this text.
func Searchable(p *lore.Part) string { return p.Text }

// Bulk returns how much of a long text is indexed: text[:head] and text[tail:] together hold about limit bytes, cut at
// borders of words, three quarters at the head. For a text within the limit both are len(text).
func Bulk(text string, limit int) (head, tail int) {
	if len(text) <= limit {
		return len(text), len(text)
	}
	return limit / 4 * 3, len(text) - limit/4
}
