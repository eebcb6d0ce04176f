package kit

import (
	"errors"
	"fmt"
	"iter"
	"strings"
	"unicode/utf8"
)

// MaxDepth is how deep containers may nest.
const MaxDepth = 10_000

// The errors of parsing that are about bounds; a *SyntaxError is about the bytes.
var (
	ErrTooDeep  = errors.New("JSON nested deeper than 10000")
	ErrTooLarge = errors.New("JSON above the size bound")
)

// SyntaxError says that the bytes are not JSON.
type SyntaxError struct {
	Offset int  // of the first byte that cannot be
	AtEnd  bool // the bytes end inside of a value: more bytes might complete it
}

func (e *SyntaxError) Error() string {
	if e.AtEnd {
		return fmt.Sprintf("JSON ends inside of a value at byte %d", e.Offset)
	}
	return fmt.Sprintf("no JSON at byte %d", e.Offset)
}

// Kind is the kind of a JSON value.
type Kind uint8

// The kinds. Absent is the kind of the zero Value: nothing is there.
const (
	Absent Kind = iota
	Null
	Bool
	Number
	String
	Array
	Object
)

// Flaws counts what a document's strings hold that is not UTF-8 text, and NUL bytes between tokens.
type Flaws struct {
	InvalidUTF8    int // bytes; each reads as one U+FFFD
	LoneSurrogates int // \uD800 to \uDFFF without the other half; each reads as its three-byte form
	NULs           int // NUL bytes outside of strings, which count as white space
}

// Doc parses JSON into a flat tape over the caller's bytes. It is reused from one Parse to the next and is used by one
// goroutine at a time; so are its Values.
type Doc struct {
	src      []byte
	tape     []node
	maxNodes int // 0: defaultMaxNodes

	nuls, surrogates int

	cuts  []cut             // what a reduced record left out, in the order of src; nil for all other documents
	names *[maxNames]string // short strings, so that "type" and "assistant" are made once
	buf   []byte            // for decoding
}

// node is one value on the tape: its bytes in src, the index of the node behind it and all that is in it, and its kind,
// flags and number of children. A member of an object is two nodes, the key before the value.
type node struct{ start, end, next, info uint32 }

const (
	kindMask = 7
	escaped  = 1 << 3 // the string holds a backslash
	countBit = 8      // the number of children stands above this bit

	defaultMaxNodes = 1 << 22
)

// Value is one value of a Doc. The zero Value is absent. Values are small, are copied freely, and live until the next
// Parse of their Doc; the strings that they return live for ever.
type Value struct {
	doc *Doc
	at  uint32
}

func (v Value) node() *node { return &v.doc.tape[v.at] }

// Kind returns the kind of the value; Absent for the zero Value.
func (v Value) Kind() Kind {
	if v.doc == nil {
		return Absent
	}
	return Kind(v.node().info & kindMask)
}

// Exists reports whether the value is there, be it null.
func (v Value) Exists() bool { return v.doc != nil }

// IsNull, IsString, IsNumber, IsArray and IsObject report the kind.
func (v Value) IsNull() bool   { return v.Kind() == Null }
func (v Value) IsString() bool { return v.Kind() == String }
func (v Value) IsNumber() bool { return v.Kind() == Number }
func (v Value) IsArray() bool  { return v.Kind() == Array }
func (v Value) IsObject() bool { return v.Kind() == Object }

// Get follows keys down from an object; absent where a key is missing or a value on the way is no object. Of equal keys
// the last one counts; case counts.
func (v Value) Get(path ...string) Value {
	for _, key := range path {
		v = v.member(key)
	}
	return v
}

func (v Value) member(key string) Value {
	if v.Kind() != Object {
		return Value{}
	}
	tape, src, found := v.doc.tape, v.doc.src, uint32(0)
	odd := strings.Contains(key, "\uFFFD") // a key with bytes that are not UTF-8 may read so
	for i, end := v.at+1, tape[v.at].next; i < end; i = tape[i+1].next {
		k := &tape[i]
		if k.info&escaped == 0 && !odd {
			if int(k.end-k.start) == len(key)+2 && string(src[k.start+1:k.end-1]) == key {
				found = i + 1
			}
		} else if v.doc.textIs(k, key) {
			found = i + 1
		}
	}
	if found == 0 {
		return Value{}
	}
	return Value{v.doc, found}
}

// Index returns element i of an array; absent when there is none.
func (v Value) Index(i int) Value {
	if i < 0 || i >= v.Len() || v.Kind() != Array {
		return Value{}
	}
	at := v.at + 1
	for ; i > 0; i-- {
		at = v.doc.tape[at].next
	}
	return Value{v.doc, at}
}

// Len returns the number of elements of an array, or of members of an object (equal keys counted each); 0 for the rest.
func (v Value) Len() int {
	if v.doc == nil {
		return 0
	}
	return int(v.node().info >> countBit)
}

// Items yields the elements of an array; nothing for the rest.
func (v Value) Items() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		if v.Kind() != Array {
			return
		}
		for i, end := v.at+1, v.node().next; i < end; i = v.doc.tape[i].next {
			if !yield(Value{v.doc, i}) {
				return
			}
		}
	}
}

// Fields yields the members of an object, each key once with its last value, in the order in which the keys first stand.
func (v Value) Fields() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		if v.Kind() != Object {
			return
		}
		if v.Len() > 32 {
			v.manyFields(yield)
			return
		}
		tape := v.doc.tape
		for i, end := v.at+1, tape[v.at].next; i < end; i = tape[i+1].next {
			if v.doc.keyBefore(v.at+1, i) {
				continue
			}
			key := Value{v.doc, i}.String()
			if !yield(key, v.member(key)) {
				return
			}
		}
	}
}

// keyBefore reports whether the key at i stands between from and i already.
func (d *Doc) keyBefore(from, i uint32) bool {
	key := &d.tape[i]
	for j := from; j < i; j = d.tape[j+1].next {
		if d.sameText(&d.tape[j], key) {
			return true
		}
	}
	return false
}

// manyFields is Fields with a map, for objects where comparing each key with each other would take long.
func (v Value) manyFields(yield func(string, Value) bool) {
	type member struct {
		key   string
		value uint32
	}
	tape, seen := v.doc.tape, make(map[string]int, v.Len())
	members := make([]member, 0, v.Len())
	for i, end := v.at+1, tape[v.at].next; i < end; i = tape[i+1].next {
		key := Value{v.doc, i}.String()
		if at, ok := seen[key]; ok {
			members[at].value = i + 1
			continue
		}
		seen[key] = len(members)
		members = append(members, member{key, i + 1})
	}
	for _, m := range members {
		if !yield(m.key, Value{v.doc, m.value}) {
			return
		}
	}
}

// Raw returns the exact bytes of the value; nil when absent. They are the caller's bytes: do not change them. The bytes
// of an oversized record are those of its reduced form.
func (v Value) Raw() []byte {
	if v.doc == nil {
		return nil
	}
	n := v.node()
	return v.doc.src[n.start:n.end:n.end]
}

// Flaws counts the flaws of the bytes that the last Parse took. It is cheap where all bytes are ASCII or valid.
func (d *Doc) Flaws() Flaws {
	f := Flaws{LoneSurrogates: d.surrogates, NULs: d.nuls}
	if len(d.tape) == 0 {
		return f
	}
	b := d.src[d.tape[0].start:d.tape[0].end]
	if utf8.Valid(b) {
		return f
	}
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 {
			f.InvalidUTF8++
		}
		b = b[n:]
	}
	return f
}
