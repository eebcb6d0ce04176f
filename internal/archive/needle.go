package archive

import (
	"bytes"
	"slices"
)

// finder looks for literals in bytes.
type finder struct {
	literals []literal
	longest  int
}

// literal is one that is looked for by its rarest byte.
type literal struct {
	bytes []byte // in lower case when case is folded
	codes []uint32
	fold  bool
	rare  int     // index of the rarest byte
	forms [2]byte // that byte in both cases; the same one twice when it has one form
}

// newFinder makes a finder. Literals that no line can hold, because they hold a line end, are dropped in content of
// lines and looked for in other content, so they stay here.
func newFinder(literals [][]byte, fold bool) *finder {
	f := &finder{}
	for _, b := range literals {
		if len(b) == 0 {
			continue
		}
		f.literals = append(f.literals, newLiteral(b, fold))
		f.longest = max(f.longest, len(b))
	}
	return f
}

func newLiteral(b []byte, fold bool) literal {
	l := literal{bytes: bytes.Clone(b), codes: gramsOf(b), fold: fold}
	if fold {
		for i, c := range l.bytes {
			l.bytes[i] = lower(c)
		}
	}
	least := 1 << 30
	for i, c := range l.bytes {
		if n := frequency[c]; n < least {
			least, l.rare = n, i
		}
	}
	c := l.bytes[l.rare]
	l.forms = [2]byte{c, c}
	if fold {
		l.forms[1] = upper(c)
	}
	return l
}

// mayHold reports whether a filter allows any of the literals.
func (f *finder) mayHold(filter []byte) bool {
	return slices.ContainsFunc(f.literals, func(l literal) bool { return mayHold(filter, l.codes) })
}

// in starts a search in bytes.
func (f *finder) in(b []byte) *finding {
	s := &finding{finder: f, b: b, next: make([]int, len(f.literals)), seen: make([][2]int, len(f.literals))}
	for i := range s.next {
		s.next[i], s.seen[i] = -1, [2]int{-1, -1}
	}
	return s
}

// finding is a search that goes forward through bytes.
type finding struct {
	*finder
	b    []byte
	next []int    // of each literal: where it stands next; len(b): nowhere
	seen [][2]int // of each literal: where its rarest byte stands next, in either form
}

// from returns where the first literal at or after pos begins, and its length; len(b) when there is none.
func (s *finding) from(pos int) (at, length int) {
	at = len(s.b)
	for i := range s.literals {
		if s.next[i] < pos {
			s.next[i] = s.find(i, pos)
		}
		if s.next[i] < at {
			at, length = s.next[i], len(s.literals[i].bytes)
		}
	}
	return at, length
}

// find returns where literal i begins next at or after pos.
func (s *finding) find(i, pos int) int {
	l, seen := &s.literals[i], &s.seen[i]
	for p := pos + l.rare; ; p++ {
		for form, c := range l.forms {
			if form == 1 && c == l.forms[0] {
				seen[1] = len(s.b)
			} else if seen[form] < p {
				seen[form] = indexFrom(s.b, p, c)
			}
		}
		if p = min(seen[0], seen[1]); p >= len(s.b) {
			return len(s.b)
		}
		if at := p - l.rare; at+len(l.bytes) > len(s.b) {
			return len(s.b)
		} else if l.at(s.b[at : at+len(l.bytes)]) {
			return at
		}
	}
}

// at reports whether b, which is as long, is the literal.
func (l *literal) at(b []byte) bool {
	if !l.fold {
		return string(b) == string(l.bytes)
	}
	for i, c := range l.bytes {
		if lower(b[i]) != c {
			return false
		}
	}
	return true
}

func indexFrom(b []byte, from int, c byte) int {
	if from < len(b) {
		if i := bytes.IndexByte(b[from:], c); i >= 0 {
			return from + i
		}
	}
	return len(b)
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

func upper(c byte) byte {
	if 'a' <= c && c <= 'z' {
		c -= 'a' - 'A'
	}
	return c
}

// frequency ranks bytes by how often they stand in transcripts of code: the higher the commoner. Any other byte is rare.
var frequency = func() (t [256]int) {
	const commonest = "\" etaoinsrl\\cdum:p,fh0g1/_-.b23{}4y58697w[]vkx();=TE'IAjSCRN*LDPFqzOUM<>B\n`G#WHVXYKQJZ|+$&@!?%"
	for i := range len(commonest) {
		t[commonest[i]] = len(commonest) - i
	}
	return t
}()
