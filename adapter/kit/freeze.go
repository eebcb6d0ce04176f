package kit

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"reflect"
	"sync"
	"unsafe"
)

// Freeze appends to dst all that *v holds, so that Thaw can put it back into another value of the same type. It is meant
// for the state of a reading that has been interrupted: structs of numbers, strings, arrays, slices, maps and pointers,
// their unexported fields too. What is frozen is good for the program that froze it and for no other; Layout tells two
// types apart. It panics for a type that it does not know, which is an error in the program and in no input.
func Freeze(dst []byte, v any) []byte {
	f := &freezing{b: dst}
	f.freeze(v)
	return f.b
}

func (f *freezing) freeze(v any) {
	p := reflect.ValueOf(v)
	codecOf(p.Type().Elem()).put(f, p.UnsafePointer())
}

// freezing is what was frozen so far and was not handed on.
type freezing struct {
	b  []byte
	to func(b []byte) // takes what was frozen so far; nil: it is gathered
}

// pause is called where much may have come together.
func (f *freezing) pause() {
	if f.to != nil && len(f.b) >= packChunk {
		f.to(f.b)
		f.b = f.b[:0]
	}
}

// Thaw fills *v from what Freeze has made of a value of the same type, and returns the bytes behind it.
func Thaw(b []byte, v any) ([]byte, error) {
	r := &thawing{rest: b}
	r.thaw(v)
	if r.short {
		return nil, errFrozen
	}
	return r.rest, nil
}

func (r *thawing) thaw(v any) {
	p := reflect.ValueOf(v)
	codecOf(p.Type().Elem()).get(r, p.UnsafePointer())
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

// bytes freezes bytes as they are.
func (f *freezing) bytes(b []byte) {
	if f.to == nil || len(b) < packChunk {
		f.b = append(f.b, b...)
		return
	}
	f.to(f.b)
	f.to(b)
	f.b = f.b[:0]
}

// codec freezes and thaws the values of one type.
type codec struct {
	put func(f *freezing, p unsafe.Pointer)
	get func(r *thawing, p unsafe.Pointer)
}

// thawing is what is left to be thawed.
type thawing struct {
	rest  []byte
	short bool
	from  io.Reader // what comes behind rest; nil: nothing does
}

// need reads until rest has n bytes, or nothing more comes.
func (r *thawing) need(n int) {
	for r.from != nil && len(r.rest) < n {
		// As it comes: a number that is wrong must not ask for memory that nothing will fill.
		next := make([]byte, len(r.rest)+max(packChunk, min(n-len(r.rest), 1<<20)))
		had := copy(next, r.rest)
		got, err := io.ReadFull(r.from, next[had:])
		if r.rest = next[:had+got]; err != nil {
			r.from = nil
		}
	}
}

func (r *thawing) number() uint64 {
	r.need(binary.MaxVarintLen64)
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
	if r.from == nil && n > uint64(len(r.rest)) || n > math.MaxInt32 {
		r.short, r.rest = true, nil
		return 0
	}
	return int(n)
}

func (r *thawing) bytes(n int) []byte {
	r.need(n)
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
			func(f *freezing, p unsafe.Pointer) { f.b = append(f.b, *(*byte)(p)) },
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
		func(f *freezing, p unsafe.Pointer) { f.b = binary.AppendVarint(f.b, int64(*(*T)(p))) },
		func(r *thawing, p unsafe.Pointer) {
			n := r.number()
			*(*T)(p) = T(int64(n>>1) ^ -int64(n&1))
		}}
}

func unsigned[T uint16 | uint32 | uint64]() codec {
	return codec{
		func(f *freezing, p unsafe.Pointer) { f.b = binary.AppendUvarint(f.b, uint64(*(*T)(p))) },
		func(r *thawing, p unsafe.Pointer) { *(*T)(p) = T(r.number()) }}
}

func putString(f *freezing, p unsafe.Pointer) {
	s := *(*string)(p)
	f.b = append(binary.AppendUvarint(f.b, uint64(len(s))), s...)
}

func getString(r *thawing, p unsafe.Pointer) { *(*string)(p) = string(r.bytes(r.count())) }

func arrayCodec(t reflect.Type) codec {
	n, size := t.Len(), t.Elem().Size()
	if t.Elem().Kind() == reflect.Uint8 {
		return codec{
			func(f *freezing, p unsafe.Pointer) { f.b = append(f.b, unsafe.Slice((*byte)(p), n)...) },
			func(r *thawing, p unsafe.Pointer) { copy(unsafe.Slice((*byte)(p), n), r.bytes(n)) }}
	}
	elem := codecOf(t.Elem())
	return codec{
		func(f *freezing, p unsafe.Pointer) {
			for i := range n {
				elem.put(f, unsafe.Add(p, uintptr(i)*size))
			}
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
		func(f *freezing, p unsafe.Pointer) {
			v := reflect.NewAt(t, p).Elem()
			if v.IsNil() {
				f.b = append(f.b, 0)
				return
			}
			n := v.Len()
			f.b = binary.AppendUvarint(append(f.b, 1), uint64(n))
			data := v.UnsafePointer()
			if plain {
				f.bytes(unsafe.Slice((*byte)(data), n))
				return
			}
			for i := range n {
				elem.put(f, unsafe.Add(data, uintptr(i)*size))
				f.pause()
			}
		},
		func(r *thawing, p unsafe.Pointer) {
			if some := r.bytes(1); some == nil || some[0] == 0 {
				return
			}
			n := r.count()
			if plain {
				b := r.bytes(n)
				reflect.NewAt(t, p).Elem().SetBytes(append(make([]byte, 0, len(b)), b...))
				return
			}
			v := reflect.MakeSlice(t, min(n, mostAtOnce), min(n, mostAtOnce)+spare(n))
			for i := 0; i < n && !r.short; i++ {
				if i == v.Len() { // a number that is wrong must not ask for memory that nothing will fill
					v = reflect.AppendSlice(reflect.MakeSlice(t, 0, min(n, 2*i)+spare(n)), v)
					v = v.Slice(0, min(n, 2*i))
				}
				elem.get(r, unsafe.Add(v.UnsafePointer(), uintptr(i)*size))
			}
			reflect.NewAt(t, p).Elem().Set(v)
		}}
}

func mapCodec(t reflect.Type) codec {
	key, elem := codecOf(t.Key()), codecOf(t.Elem())
	return codec{
		func(f *freezing, p unsafe.Pointer) {
			v := reflect.NewAt(t, p).Elem()
			if v.IsNil() {
				f.b = append(f.b, 0)
				return
			}
			f.b = binary.AppendUvarint(append(f.b, 1), uint64(v.Len()))
			k, e := reflect.New(t.Key()), reflect.New(t.Elem())
			for i := v.MapRange(); i.Next(); {
				k.Elem().SetIterKey(i)
				e.Elem().SetIterValue(i)
				key.put(f, k.UnsafePointer())
				elem.put(f, e.UnsafePointer())
				f.pause()
			}
		},
		func(r *thawing, p unsafe.Pointer) {
			if some := r.bytes(1); some == nil || some[0] == 0 {
				return
			}
			n := r.count()
			v := reflect.MakeMapWithSize(t, min(n, mostAtOnce))
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
		func(f *freezing, p unsafe.Pointer) {
			to := *(*unsafe.Pointer)(p)
			if to == nil {
				f.b = append(f.b, 0)
				return
			}
			f.b = append(f.b, 1)
			elem.put(f, to)
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
		func(f *freezing, p unsafe.Pointer) {
			for i := range fields {
				fields[i].put(f, unsafe.Add(p, fields[i].offset))
			}
		},
		func(r *thawing, p unsafe.Pointer) {
			for i := range fields {
				fields[i].get(r, unsafe.Add(p, fields[i].offset))
			}
		}}
}
