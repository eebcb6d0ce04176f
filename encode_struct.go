package lore

import (
	"reflect"
	"slices"
	"strings"
)

// structField is one member of a JSON object: where its value stands and how it is written.
type structField struct {
	name  string
	key   string // "name": with its quotes, ready to be appended
	index []int  // path through embedded structs
	skip  func(reflect.Value) bool
	write encoder
}

func structEncoder(t reflect.Type) encoder {
	fields := structFields(t)
	return func(dst []byte, v reflect.Value) []byte {
		dst = append(dst, '{')
		some := false
		for i := range fields {
			f := &fields[i]
			fv, ok := fieldOf(v, f.index)
			if !ok || f.skip != nil && f.skip(fv) {
				continue
			}
			if some {
				dst = append(dst, ',')
			}
			some = true
			dst = append(dst, f.key...)
			dst = f.write(dst, fv)
		}
		return append(dst, '}')
	}
}

// fieldOf walks to a field; false where an embedded pointer on the way is nil.
func fieldOf(v reflect.Value, index []int) (reflect.Value, bool) {
	for n, i := range index {
		if n > 0 && v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return v, false
			}
			v = v.Elem()
		}
		v = v.Field(i)
	}
	return v, true
}

// structFields lists the members of t in the order of its fields, those of embedded structs in their place. An outer
// name hides an inner one.
func structFields(t reflect.Type) []structField {
	all := appendFields(nil, t, nil)
	depth := map[string]int{}
	for _, f := range all {
		if d, ok := depth[f.name]; !ok || len(f.index) < d {
			depth[f.name] = len(f.index)
		}
	}
	var fields []structField
	for _, f := range all {
		if depth[f.name] == len(f.index) {
			depth[f.name] = -1 // the first of equals stands
			fields = append(fields, f)
		}
	}
	return fields
}

func appendFields(fields []structField, t reflect.Type, above []int) []structField {
	for i := range t.NumField() {
		sf := t.Field(i)
		tag := sf.Tag.Get("json")
		name, options, _ := strings.Cut(tag, ",")
		if tag == "-" {
			continue
		}
		index := append(slices.Clone(above), i)
		if inner := embedded(sf, name); inner != nil {
			fields = appendFields(fields, inner, index)
			continue
		}
		if !sf.IsExported() {
			continue
		}
		if name == "" {
			name = sf.Name
		}
		fields = append(fields, structField{
			name:  name,
			key:   string(appendQuoted(nil, name, spoken)) + ":",
			index: index,
			skip:  skipper(sf.Type, options),
			write: encoderOf(sf.Type),
		})
	}
	return fields
}

// embedded returns the struct whose members stand in place of the field; nil for a plain field.
func embedded(sf reflect.StructField, name string) reflect.Type {
	if !sf.Anonymous || name != "" {
		return nil
	}
	t := sf.Type
	if t.Kind() == reflect.Pointer && sf.IsExported() {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || methodEncoder(t) != nil {
		return nil
	}
	return t
}

// skipper returns what tells that a field is left out; nil for one that never is.
func skipper(t reflect.Type, options string) func(reflect.Value) bool {
	for option := range strings.SplitSeq(options, ",") {
		switch option {
		case "omitzero":
			if reflect.PointerTo(t).Implements(reflect.TypeFor[zeroer]()) && t.Kind() != reflect.Pointer {
				return func(v reflect.Value) bool { return pointerTo(v).(zeroer).IsZero() }
			}
			return reflect.Value.IsZero
		case "omitempty":
			switch t.Kind() {
			case reflect.Slice, reflect.Map, reflect.Array:
				return func(v reflect.Value) bool { return v.Len() == 0 }
			case reflect.Struct:
				return nil
			}
			return reflect.Value.IsZero
		}
	}
	return nil
}

type zeroer interface{ IsZero() bool }
