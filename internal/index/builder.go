package index

import (
	"math"

	"lore"
	"lore/internal/text"
)

// bulkBound is how much of what a tool returned is indexed, in bytes of one part: head and tail. The rest is for grep.
// Most tools cut what they return well below it.
const bulkBound = 64 << 10

// longText is the length, in characters, from which on equal texts are one hit wherever they stand.
const longText = 40

// builder collects the documents of one segment in memory.
type builder struct {
	arena *arena
	cache *wordCache
	words *text.Analyzer
	store *storeWriter

	conv, ids, natives, places   []byte // columns, as they are written
	contentKeys, contentRests    []byte
	flags, kinds, lengths, times []byte
	runs                         []run
	docs                         uint32
	total                        uint64 // words
	newest                       int64

	doc     uint32 // that is being added
	field   field
	main    field
	counted int  // words of doc
	alone   bool // the units of doc do not hold its text
	expand  func(term []byte)
	special []byte
}

func newBuilder() *builder {
	b := &builder{arena: newArena(), cache: newWordCache(), words: text.NewAnalyzer(), store: newStoreWriter()}
	b.expand = func(term []byte) {
		b.cache.numbers = append(b.cache.numbers, b.arena.term(term))
	}
	return b
}

// reset empties the builder and keeps its memory.
func (b *builder) reset() {
	b.arena.reset()
	b.cache.reset()
	b.store.reset()
	for _, c := range []*[]byte{&b.conv, &b.contentKeys, &b.contentRests, &b.ids, &b.natives, &b.places, &b.flags, &b.kinds, &b.lengths, &b.times} {
		*c = (*c)[:0]
	}
	b.runs, b.docs, b.total, b.newest = b.runs[:0], 0, 0, 0
}

// size is how many bytes the builder's contents take.
func (b *builder) size() int64 {
	perDoc := int64(4 + 32 + 32 + 8 + placeSize + 2 + 1 + 1 + 8)
	return b.arena.size() + b.store.size() + int64(b.docs)*perDoc
}

// add adds a message as the next document and returns its number.
func (b *builder) add(conv uint32, m *lore.Message, evidence int64, ordinal uint32, evidencePath string) uint32 {
	main := fieldOf(m.Role, lore.Text)
	if len(m.Parts) > 0 {
		main = fieldOf(m.Role, m.Parts[0].Kind)
	}
	b.begin(conv, main)
	f := flagsOf(m)
	var at lore.Locator
	if len(m.Origins) > 0 {
		at = m.Origins[0]
	}
	p := place{evidence: saturate(evidence), offset: uint64(max(at.Offset, 0)), length: saturate(at.Length),
		line: saturate(int64(at.Line)), ordinal: ordinal, subtype: hashSubtype(m.Subtype)}
	p.block, p.at = b.store.begin(len(m.Parts))
	b.alone = !holdsText(m)
	chars, cut := 0, false
	for i := range m.Parts {
		more, whole := b.part(m.Role, &m.Parts[i])
		f |= more
		cut = cut || !whole
		if chars < longText {
			chars += countChars(m.Parts[i].Text, longText)
		}
	}
	if chars >= longText {
		f |= flagLong
	}
	file := at.File
	if file == evidencePath {
		file = ""
	}
	b.store.end(file, at.Row, otherUnits(m, at.File, cut))
	if m.Model != "" {
		b.fact(termModel, m.Model)
	}
	if m.Subtype != "" {
		b.fact(termSubtype, m.Subtype)
	}
	return b.end(f, kindsOf(m), m.At.UnixNano(), m.ID, m.ContentID, HashNative(m.Native), p)
}

// addTitle adds the document that stands for what a conversation is called and where it took place.
// sum is the digest of its words.
func (b *builder) addTitle(conv uint32, c *lore.Conversation, sum lore.ID) uint32 {
	b.begin(conv, fieldTitle)
	title, where := titleWords(c)
	p := place{ordinal: math.MaxUint32}
	p.block, p.at = b.store.begin(2)
	b.alone = true
	b.store.part(partTitle, "", title, true)
	b.store.part(partPlace, "", where, true)
	b.store.end("", "", nil)
	b.index(fieldTitle, title)
	b.index(fieldPlace, where)
	return b.end(roleNumber(lore.System)|flagActive, titleBit, 0, c.ID, sum, 0, p)
}

// titleWords returns what the title document of a conversation says. A title that is the first prompt is found there.
func titleWords(c *lore.Conversation) (title, where string) {
	if c.TitleFrom == lore.TitleFromSource {
		title = c.Title
	}
	where = c.Project.Name
	if c.Project.Branch != "" {
		where += "\n" + c.Project.Branch
	}
	return title, where
}

func (b *builder) begin(conv uint32, main field) {
	b.doc, b.counted, b.main = b.docs, 0, main
	b.arena.begin(main)
	le32(&b.conv, conv)
	if n := len(b.runs); n > 0 && b.runs[n-1].conv == conv && b.runs[n-1].first+b.runs[n-1].count == b.doc {
		b.runs[n-1].count++
	} else {
		b.runs = append(b.runs, run{conv, b.doc, 1})
	}
}

func (b *builder) end(f flags, k Kinds, nanos int64, id, content lore.ID, native uint64, p place) uint32 {
	f |= flags(b.main) << 11
	b.flags = append(b.flags, byte(f), byte(f>>8))
	b.kinds = append(b.kinds, byte(k))
	b.lengths = append(b.lengths, quantise(b.counted))
	le64(&b.times, uint64(nanos))
	b.ids = append(b.ids, id[:]...)
	b.contentKeys, b.contentRests = append(b.contentKeys, content[:contentKey]...), append(b.contentRests, content[contentKey:]...)
	le64(&b.natives, native)
	b.places = p.append(b.places)
	b.total += uint64(b.counted)
	if f&flagTimed != 0 {
		b.newest = max(b.newest, nanos)
	}
	b.docs++
	return b.doc
}

// part indexes and stores one part, and returns what it adds to the flags and whether it was stored whole.
func (b *builder) part(role lore.Role, p *lore.Part) (f flags, whole bool) {
	words := text.Searchable(p)
	whole = b.store.part(p.Kind, cutText(p.Name, maxTermBytes), words, b.alone)
	in := fieldOf(role, p.Kind)
	switch p.Kind {
	case lore.Call:
		b.index(in, p.Name)
		b.fact(termTool, p.Name)
		touchedFiles(p, words, func(path string) { b.fact(termFile, path) })
	case lore.Result:
		if p.IsError {
			b.fact(termError, p.Name)
		}
	case lore.File, lore.Image:
		b.index(in, p.Name)
		if p.Kind == lore.File && p.Name != "" {
			b.fact(termFile, p.Name)
		}
	case lore.Unknown:
		b.index(in, p.Name)
	}
	if p.Kind != lore.Result && p.Kind != lore.Unknown {
		b.index(in, words)
		return 0, whole
	}
	head, tail := text.Bulk(words, bulkBound)
	b.index(in, words[:head])
	if tail < len(words) {
		b.index(in, words[tail:])
	}
	if head < tail {
		return flagBulk, whole
	}
	return 0, whole
}

// index counts the terms of a text in a field of the document.
func (b *builder) index(f field, s string) {
	for start, end, class := text.Next(s, 0); start < len(s); start, end, class = text.Next(s, end) {
		b.counted++
		word := s[start:end]
		if class == text.ASCII && len(word) <= cacheWord {
			line, key, hit := b.cache.line(word)
			if hit {
				for _, n := range line.terms[:line.count] {
					b.arena.add(n, b.doc, f)
				}
				continue
			}
			b.expandWord(word, class, f)
			if n := b.cache.numbers; len(n) > 0 && len(n) <= len(line.terms) {
				line.key, line.count = key, uint32(len(n))
				copy(line.terms[:], n)
			}
			continue
		}
		b.expandWord(word, class, f)
	}
}

func (b *builder) expandWord(word string, class text.Class, f field) {
	b.cache.numbers = b.cache.numbers[:0]
	b.words.Expand(word, class, b.expand)
	for _, n := range b.cache.numbers {
		b.arena.add(n, b.doc, f)
	}
}

// fact counts a term that stands for a fact about the document.
func (b *builder) fact(kind, value string) {
	b.special = append(append(b.special[:0], kind...), cutText(value, maxTermBytes-2)...)
	b.arena.add(b.arena.term(b.special), b.doc, b.main)
}

func le32(b *[]byte, v uint32) { *b = append(*b, byte(v), byte(v>>8), byte(v>>16), byte(v>>24)) }
func le64(b *[]byte, v uint64) {
	le32(b, uint32(v))
	le32(b, uint32(v>>32))
}
