package cline

// words is a digest of a text without its white space: two representations of one text differ in how lines end and how
// they are trimmed. It is used inside one reading only and is no identity. 0: the text says nothing.
type words uint64

func wordsOf(text string) words {
	hash := uint64(14695981039346656037)
	any := false
	for i := range len(text) {
		if c := text[i]; c != ' ' && (c < '\t' || c > '\r') {
			hash = (hash ^ uint64(c)) * 1099511628211
			any = true
		}
	}
	if !any {
		return 0
	}
	return words(hash)
}
