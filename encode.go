package lore

import (
	"cmp"
	"math"
	"reflect"
	"slices"
	"strconv"
	"sync"
	"time"
)

// AppendJSON appends v as one line of JSON. It is the only encoder of the program, so that every surface says the same:
// the struct tags of encoding/json are heeded (names, "-", omitempty, omitzero, embedded structs), a type's own
// AppendJSON, MarshalJSON or text form is preferred, a nil slice is [] and an absent id or time is null. Nothing is
// escaped that JSON does not ask for; a lone surrogate is written as its escape and an invalid byte as U+FFFD. Channels
// and functions are null.
func AppendJSON(dst []byte, v any) []byte {
	rv := reflect.ValueOf(v)
	if !rv.IsValid() {
		return append(dst, "null"...)
	}
	if k := rv.Kind(); k == reflect.Struct || k == reflect.Array {
		// An addressable copy, so that methods with a pointer receiver are found inside.
		p := reflect.New(rv.Type()).Elem()
		p.Set(rv)
		rv = p
	}
	return encoderOf(rv.Type())(dst, rv)
}

// RawJSON is JSON that is passed through as it is. Nil is null.
type RawJSON []byte

// AppendJSON appends the bytes.
func (r RawJSON) AppendJSON(dst []byte) []byte {
	if r == nil {
		return append(dst, "null"...)
	}
	return append(dst, r...)
}

// encoder appends one value of the type that it was made for.
type encoder func(dst []byte, v reflect.Value) []byte

// encoders holds an encoder for each type that was met.
var encoders sync.Map // reflect.Type → encoder

func encoderOf(t reflect.Type) encoder {
	if e, ok := encoders.Load(t); ok {
		return e.(encoder)
	}
	// A type that holds itself finds this stand-in while its own encoder is being made.
	var once sync.Once
	var made encoder
	standIn := encoder(func(dst []byte, v reflect.Value) []byte {
		once.Do(func() { made = makeEncoder(t) })
		return made(dst, v)
	})
	if e, loaded := encoders.LoadOrStore(t, standIn); loaded {
		return e.(encoder)
	}
	e := makeEncoder(t)
	encoders.Store(t, e)
	return e
}

func makeEncoder(t reflect.Type) encoder {
	switch t.Kind() {
	case reflect.Pointer:
		return pointerEncoder(t)
	case reflect.Interface:
		return encodeInterface
	}
	if e := methodEncoder(t); e != nil {
		return e
	}
	switch t.Kind() {
	case reflect.Bool:
		return func(dst []byte, v reflect.Value) []byte { return strconv.AppendBool(dst, v.Bool()) }
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return func(dst []byte, v reflect.Value) []byte { return strconv.AppendInt(dst, v.Int(), 10) }
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return func(dst []byte, v reflect.Value) []byte { return strconv.AppendUint(dst, v.Uint(), 10) }
	case reflect.Float32:
		return func(dst []byte, v reflect.Value) []byte { return appendFloat(dst, v.Float(), 32) }
	case reflect.Float64:
		return func(dst []byte, v reflect.Value) []byte { return appendFloat(dst, v.Float(), 64) }
	case reflect.String:
		return func(dst []byte, v reflect.Value) []byte { return appendQuoted(dst, v.String(), spoken) }
	case reflect.Slice, reflect.Array:
		return listEncoder(t)
	case reflect.Map:
		return mapEncoder(t)
	case reflect.Struct:
		return structEncoder(t)
	}
	return func(dst []byte, _ reflect.Value) []byte { return append(dst, "null"...) }
}

func pointerEncoder(t reflect.Type) encoder {
	elem := encoderOf(t.Elem())
	return func(dst []byte, v reflect.Value) []byte {
		if v.IsNil() {
			return append(dst, "null"...)
		}
		return elem(dst, v.Elem())
	}
}

func encodeInterface(dst []byte, v reflect.Value) []byte {
	if v.IsNil() {
		return append(dst, "null"...)
	}
	return AppendJSON(dst, v.Interface())
}

func listEncoder(t reflect.Type) encoder {
	elem := encoderOf(t.Elem())
	return func(dst []byte, v reflect.Value) []byte {
		dst = append(dst, '[')
		for i := range v.Len() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = elem(dst, v.Index(i))
		}
		return append(dst, ']')
	}
}

// mapEncoder writes the keys in the order of their text.
func mapEncoder(t reflect.Type) encoder {
	key, elem := encoderOf(t.Key()), encoderOf(t.Elem())
	type entry struct {
		key   string
		value reflect.Value
	}
	return func(dst []byte, v reflect.Value) []byte {
		entries := make([]entry, 0, v.Len())
		for it := v.MapRange(); it.Next(); {
			k := string(key(nil, it.Key()))
			if len(k) == 0 || k[0] != '"' {
				k = `"` + k + `"`
			}
			entries = append(entries, entry{k, it.Value()})
		}
		slices.SortFunc(entries, func(a, b entry) int {
			// Without the closing quote, which is above some of what may follow it in a longer key.
			return cmp.Compare(a.key[:len(a.key)-1], b.key[:len(b.key)-1])
		})
		dst = append(dst, '{')
		for i, e := range entries {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(dst, e.key...)
			dst = append(dst, ':')
			dst = elem(dst, e.value)
		}
		return append(dst, '}')
	}
}

// appendFloat writes the shortest number that reads back as f; what is no number is null.
func appendFloat(dst []byte, f float64, bits int) []byte {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return append(dst, "null"...)
	}
	format := byte('f')
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	return strconv.AppendFloat(dst, f, format, -1, bits)
}

// methodEncoder returns an encoder for a type that says itself how it is written; nil for one that does not.
func methodEncoder(t reflect.Type) encoder {
	p := reflect.PointerTo(t)
	switch {
	case t == reflect.TypeFor[time.Time]():
		return func(dst []byte, v reflect.Value) []byte {
			at := v.Interface().(time.Time)
			if at.IsZero() {
				return append(dst, "null"...)
			}
			return append(at.UTC().AppendFormat(append(dst, '"'), time.RFC3339Nano), '"')
		}
	case p.Implements(reflect.TypeFor[jsonAppender]()):
		return func(dst []byte, v reflect.Value) []byte {
			return pointerTo(v).(jsonAppender).AppendJSON(dst)
		}
	case p.Implements(reflect.TypeFor[jsonMarshaler]()):
		return func(dst []byte, v reflect.Value) []byte {
			b, err := pointerTo(v).(jsonMarshaler).MarshalJSON()
			if err != nil {
				return append(dst, "null"...)
			}
			return append(dst, b...)
		}
	case p.Implements(reflect.TypeFor[textMarshaler]()):
		return func(dst []byte, v reflect.Value) []byte {
			b, err := pointerTo(v).(textMarshaler).MarshalText()
			if err != nil {
				return append(dst, "null"...)
			}
			return appendQuoted(dst, string(b), spoken)
		}
	}
	return nil
}

type (
	jsonAppender  interface{ AppendJSON(dst []byte) []byte }
	jsonMarshaler interface{ MarshalJSON() ([]byte, error) }
	textMarshaler interface{ MarshalText() ([]byte, error) }
)

// pointerTo returns a pointer to v, or to a copy where v has no address.
func pointerTo(v reflect.Value) any {
	if v.CanAddr() {
		return v.Addr().Interface()
	}
	p := reflect.New(v.Type())
	p.Elem().Set(v)
	return p.Interface()
}
