package kit

import (
	"errors"
	"iter"
)

// MaxDepth is how deep containers may nest.
const MaxDepth = 10_000

// The errors of parsing. A *SyntaxError says where; ErrTooDeep and ErrTooLarge are about bounds.
var (
	ErrTooDeep  = errors.New("JSON nested deeper than 10000")
	ErrTooLarge = errors.New("JSON above the size bound")
)

// SyntaxError says that the bytes are not JSON.
type SyntaxError struct {
	Offset int  // of the first byte that cannot be
	AtEnd  bool // the bytes end inside of a value: more bytes might complete it
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
	src  []byte
	tape []node
}

// Value is one value of a Doc. The zero Value is absent. Values are small, are copied freely, and live until the next
// Parse of their Doc; the strings that they return live for ever.
type Value struct {
	doc *Doc
	at  uint32
}

type node struct{ start, end, next, info uint32 }

// Parse parses exactly one value, with white space around it allowed. b must not change while the values are in use.
// Errors: *SyntaxError, ErrTooDeep, ErrTooLarge.
func (d *Doc) Parse(b []byte) (Value, error) { return Value{}, nil }

// ParsePrefix parses the first value of b and returns how many bytes it took, white space before it included.
func (d *Doc) ParsePrefix(b []byte) (Value, int, error) { return Value{}, 0, nil }

// Flaws counts the flaws of the bytes that the last Parse took.
func (d *Doc) Flaws() Flaws { return Flaws{} }

// Kind returns the kind of the value; Absent for the zero Value.
func (v Value) Kind() Kind { return Absent }

// Exists reports whether the value is there, be it null.
func (v Value) Exists() bool { return v.Kind() != Absent }

// IsNull, IsString, IsNumber, IsArray and IsObject report the kind.
func (v Value) IsNull() bool   { return v.Kind() == Null }
func (v Value) IsString() bool { return v.Kind() == String }
func (v Value) IsNumber() bool { return v.Kind() == Number }
func (v Value) IsArray() bool  { return v.Kind() == Array }
func (v Value) IsObject() bool { return v.Kind() == Object }

// Get follows keys down from an object; absent where a key is missing or a value on the way is no object. Of equal keys
// the last one counts; case counts.
func (v Value) Get(path ...string) Value { return Value{} }

// Index returns element i of an array; absent when there is none.
func (v Value) Index(i int) Value { return Value{} }

// Len returns the number of elements of an array, or of members of an object (equal keys counted each); 0 for the rest.
func (v Value) Len() int { return 0 }

// Items yields the elements of an array; nothing for the rest.
func (v Value) Items() iter.Seq[Value] { return func(func(Value) bool) {} }

// Fields yields the members of an object, each key once with its last value, in the order in which the keys first stand.
func (v Value) Fields() iter.Seq2[string, Value] { return func(func(string, Value) bool) {} }

// String returns the decoded text of a string: UTF-8, a lone surrogate as its three-byte form, an invalid byte as
// U+FFFD. It is "" for every other kind.
func (v Value) String() string { return "" }

// AppendString appends what String returns.
func (v Value) AppendString(dst []byte) []byte { return dst }

// Is reports whether the value is a string with exactly this text; it allocates nothing.
func (v Value) Is(text string) bool { return false }

// Raw returns the exact bytes of the value; nil when absent. They are the caller's bytes: do not change them.
func (v Value) Raw() []byte { return nil }

// Int returns the number, and whether it is a whole one that fits.
func (v Value) Int() (int64, bool) { return 0, false }

// Float returns the number; false when the value is none or out of range.
func (v Value) Float() (float64, bool) { return 0, false }

// Bool returns true for true and false for all else.
func (v Value) Bool() bool { return false }

// Depth returns how many containers nest in the value, itself counted: 0 for a scalar, 1 for {} or [1].
func (v Value) Depth() int { return 0 }

// Cut reports whether the value is a string or number of an oversized record of which only the head is here.
func (v Value) Cut() bool { return false }

// Size returns the number of bytes that the value takes in the evidence, as written, also when it is cut.
func (v Value) Size() int64 { return 0 }

// Equal reports whether both say the same: strings by their text, numbers by their bytes, objects regardless of order.
func (v Value) Equal(w Value) bool { return false }

func (e *SyntaxError) Error() string { return "" }
