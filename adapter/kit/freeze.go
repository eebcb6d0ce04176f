package kit

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"reflect"
	"sync"
	"unsafe"
)

// Freeze appends to dst all that *v holds, so that Thaw can put it back into another value of the same type. It is meant
// for the state of a reading that has been interrupted: structs of numbers, strings, arrays, slices, maps and pointers,
// their unexported fields too. What is frozen is good for the program that froze it and for no other; Layout tells two
// types apart. It panics for a type that it does not know, which is an error in the program and in no input.
func Freeze(dst []byte, v any) []byte {
	p := reflect.ValueOf(v)
	c := codecOf(p.Type().Elem())
	return c.put(dst, p.UnsafePointer())
}

// Thaw fills *v from what Freeze has made of a value of the same type, and returns the bytes behind it.
func Thaw(b []byte, v any) ([]byte, error) {
	p := reflect.ValueOf(v)
	r := &thawing{rest: b}
	codecOf(p.Type().Elem()).get(r, p.UnsafePointer())
	if r.short {
		return nil, errFrozen
	}
	return r.rest, nil
}

var errFrozen = errors.New("frozen state is cut short")

// Layout is a digest of the type of *v with all its parts. State that was frozen from another layout must not be thawed.
func Layout(v any) uint64 {
	h := fnv.New64a()
	describe(reflect.TypeOf(v).Elem(), map[reflect.Type]bool{}, func(s string) { h.Write([]byte(s)) })
	return h.Sum64()
}

func describe(t reflect.Type, seen map[reflect.Type]bool, say func(string)) {
	say(t.Kind().String() + " " + t.String() + ";")
	if seen[t] {
		return
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Array:
		say(fmt.Sprint(t.Len()))
		describe(t.Elem(), seen, say)
	case reflect.Slice, reflect.Pointer:
		describe(t.Elem(), seen, say)
	case reflect.Map:
		describe(t.Key(), seen, say)
		describe(t.Elem(), seen, say)
	case reflect.Struct:
		for i := range t.NumField() {
			say(t.Field(i).Name)
			describe(t.Field(i).Type, seen, say)
		}
	}
}

// codec freezes and thaws the values of one type.
type codec struct {
	put func(dst []byte, p unsafe.Pointer) []byte
	get func(r *thawing, p unsafe.Pointer)
}

// thawing is what is left to be thawed.
type thawing struct {
	rest  []byte
	short bool
}

func (r *thawing) number() uint64 {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 {
		r.short, r.rest = true, nil
		return 0
	}
	r.rest = r.rest[size:]
	return n
}

// count is a number of things that take a byte each, at least.
func (r *thawing) count() int {
	n := r.number()
	if n > uint64(len(r.rest)) {
		r.short, r.rest = true, nil
		return 0
	}
	return int(n)
}

func (r *thawing) bytes(n int) []byte {
	if n > len(r.rest) {
		r.short, r.rest = true, nil
		return nil
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

var codecs sync.Map // reflect.Type → *codec

func codecOf(t reflect.Type) *codec {
	if c, ok := codecs.Load(t); ok {
		return c.(*codec)
	}
	c := &codec{}
	codecs.Store(t, c) // before it is whole: a type may hold itself
	made := makeCodec(t)
	c.put, c.get = made.put, made.get
	return c
}

func makeCodec(t reflect.Type) codec {
	switch t.Kind() {
	case reflect.Bool, reflect.Uint8, reflect.Int8:
		return codec{
			func(dst []byte, p unsafe.Pointer) []byte { return append(dst, *(*byte)(p)) },
			func(r *thawing, p unsafe.Pointer) {
				if b := r.bytes(1); b != nil {
					*(*byte)(p) = b[0]
				}
			}}
	case reflect.Int16:
		return signed[int16]()
	case reflect.Int32:
		return signed[int32]()
	case reflect.Int64:
		return signed[int64]()
	case reflect.Int:
		return signed[int]()
	case reflect.Uint16:
		return unsigned[uint16]()
	case reflect.Uint32:
		return unsigned[uint32]()
	case reflect.Uint64:
		return unsigned[uint64]()
	case reflect.String:
		return codec{putString, getString}
	case reflect.Array:
		return arrayCodec(t)
	case reflect.Slice:
		return sliceCodec(t)
	case reflect.Map:
		return mapCodec(t)
	case reflect.Pointer:
		return pointerCodec(t)
	case reflect.Struct:
		return structCodec(t)
	}
	panic("kit: a " + t.String() + " cannot be frozen")
}

func signed[T int16 | int32 | int64 | int]() codec {
	return codec{
		func(dst []byte, p unsafe.Pointer) []byte { return binary.AppendVarint(dst, int64(*(*T)(p))) },
		func(r *thawing, p unsafe.Pointer) {
			n := r.number()
			*(*T)(p) = T(int64(n>>1) ^ -int64(n&1))
		}}
}

func unsigned[T uint16 | uint32 | uint64]() codec {
	return codec{
		func(dst []byte, p unsafe.Pointer) []byte { return binary.AppendUvarint(dst, uint64(*(*T)(p))) },
		func(r *thawing, p unsafe.Pointer) { *(*T)(p) = T(r.number()) }}
}

func putString(dst []byte, p unsafe.Pointer) []byte {
	s := *(*string)(p)
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

func getString(r *thawing, p unsafe.Pointer) { *(*string)(p) = string(r.bytes(r.count())) }

func arrayCodec(t reflect.Type) codec {
	n, size := t.Len(), t.Elem().Size()
	if t.Elem().Kind() == reflect.Uint8 {
		return codec{
			func(dst []byte, p unsafe.Pointer) []byte { return append(dst, unsafe.Slice((*byte)(p), n)...) },
			func(r *thawing, p unsafe.Pointer) { copy(unsafe.Slice((*byte)(p), n), r.bytes(n)) }}
	}
	elem := codecOf(t.Elem())
	return codec{
		func(dst []byte, p unsafe.Pointer) []byte {
			for i := range n {
				dst = elem.put(dst, unsafe.Add(p, uintptr(i)*size))
			}
			return dst
		},
		func(r *thawing, p unsafe.Pointer) {
			for i := range n {
				elem.get(r, unsafe.Add(p, uintptr(i)*size))
			}
		}}
}

// sliceCodec keeps nil and empty apart: records are compared whole.
func sliceCodec(t reflect.Type) codec {
	elem, size := codecOf(t.Elem()), t.Elem().Size()
	plain := t.Elem().Kind() == reflect.Uint8
	return codec{
		func(dst []byte, p unsafe.Pointer) []byte {
			v := reflect.NewAt(t, p).Elem()
			if v.IsNil() {
				return append(dst, 0)
			}
			n := v.Len()
			dst = binary.AppendUvarint(append(dst, 1), uint64(n))
			data := v.UnsafePointer()
			if plain {
				return append(dst, unsafe.Slice((*byte)(data), n)...)
			}
			for i := range n {
				dst = elem.put(dst, unsafe.Add(data, uintptr(i)*size))
			}
			return dst
		},
		func(r *thawing, p unsafe.Pointer) {
			if some := r.bytes(1); some == nil || some[0] == 0 {
				return
			}
			n := r.count()
			v := reflect.MakeSlice(t, n, n)
			data := v.UnsafePointer()
			for i := 0; i < n && !r.short; i++ {
				elem.get(r, unsafe.Add(data, uintptr(i)*size))
			}
			reflect.NewAt(t, p).Elem().Set(v)
		}}
}

func mapCodec(t reflect.Type) codec {
	key, elem := codecOf(t.Key()), codecOf(t.Elem())
	return codec{
		func(dst []byte, p unsafe.Pointer) []byte {
			v := reflect.NewAt(t, p).Elem()
			if v.IsNil() {
				return append(dst, 0)
			}
			dst = binary.AppendUvarint(append(dst, 1), uint64(v.Len()))
			k, e := reflect.New(t.Key()), reflect.New(t.Elem())
			for i := v.MapRange(); i.Next(); {
				k.Elem().SetIterKey(i)
				e.Elem().SetIterValue(i)
				dst = elem.put(key.put(dst, k.UnsafePointer()), e.UnsafePointer())
			}
			return dst
		},
		func(r *thawing, p unsafe.Pointer) {
			if some := r.bytes(1); some == nil || some[0] == 0 {
				return
			}
			n := r.count()
			v := reflect.MakeMapWithSize(t, n)
			for i := 0; i < n && !r.short; i++ {
				k, e := reflect.New(t.Key()), reflect.New(t.Elem())
				key.get(r, k.UnsafePointer())
				elem.get(r, e.UnsafePointer())
				v.SetMapIndex(k.Elem(), e.Elem())
			}
			reflect.NewAt(t, p).Elem().Set(v)
		}}
}

func pointerCodec(t reflect.Type) codec {
	elem := codecOf(t.Elem())
	return codec{
		func(dst []byte, p unsafe.Pointer) []byte {
			to := *(*unsafe.Pointer)(p)
			if to == nil {
				return append(dst, 0)
			}
			return elem.put(append(dst, 1), to)
		},
		func(r *thawing, p unsafe.Pointer) {
			if some := r.bytes(1); some == nil || some[0] == 0 {
				return
			}
			v := reflect.New(t.Elem())
			elem.get(r, v.UnsafePointer())
			reflect.NewAt(t, p).Elem().Set(v)
		}}
}

func structCodec(t reflect.Type) codec {
	type field struct {
		*codec
		offset uintptr
	}
	var fields []field
	for i := range t.NumField() {
		f := t.Field(i)
		fields = append(fields, field{codecOf(f.Type), f.Offset})
	}
	return codec{
		func(dst []byte, p unsafe.Pointer) []byte {
			for i := range fields {
				dst = fields[i].put(dst, unsafe.Add(p, fields[i].offset))
			}
			return dst
		},
		func(r *thawing, p unsafe.Pointer) {
			for i := range fields {
				fields[i].get(r, unsafe.Add(p, fields[i].offset))
			}
		}}
}
