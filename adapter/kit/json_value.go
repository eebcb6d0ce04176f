package kit

import (
	"sort"
	"strconv"
)

// Int returns the number, and whether it is a whole one that fits.
func (v Value) Int() (int64, bool) {
	if v.Kind() != Number {
		return 0, false
	}
	raw := v.Raw()
	if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		return n, true
	}
	f, ok := v.Float()
	if n := int64(f); ok && f > -1<<53 && f < 1<<53 && float64(n) == f {
		return n, true
	}
	return 0, false
}

// Float returns the number; false when the value is none, is out of range, or is a NaN or infinity.
func (v Value) Float() (float64, bool) {
	if v.Kind() != Number {
		return 0, false
	}
	raw := v.Raw()
	if c := raw[len(raw)-1]; c < '0' || c > '9' {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	return f, err == nil
}

// Bool returns true for true and false for all else.
func (v Value) Bool() bool { return v.Kind() == Bool && v.doc.src[v.node().start] == 't' }

// Depth returns how many containers nest in the value, itself counted: 0 for a scalar, 1 for {} or [1].
func (v Value) Depth() int {
	if v.doc == nil {
		return 0
	}
	var open []uint32 // where each container ends that i stands in
	deepest, tape := 0, v.doc.tape
	for i, end := v.at, v.node().next; i < end; i++ {
		for len(open) > 0 && open[len(open)-1] <= i {
			open = open[:len(open)-1]
		}
		if Kind(tape[i].info&kindMask) >= Array {
			open = append(open, tape[i].next)
			deepest = max(deepest, len(open))
		}
	}
	return deepest
}

// cut is a place in a reduced record where bytes of the evidence are left out.
type cut struct {
	at      uint32 // in the reduced bytes
	dropped int64
}

// Cut reports whether the value, or something in it, was cut because its record is oversized.
func (v Value) Cut() bool { return v.dropped() > 0 }

// Size returns the number of bytes that the value takes in the evidence, as written, also when it is cut.
func (v Value) Size() int64 { return int64(len(v.Raw())) + v.dropped() }

func (v Value) dropped() int64 {
	if v.doc == nil || len(v.doc.cuts) == 0 {
		return 0
	}
	n, cuts, sum := v.node(), v.doc.cuts, int64(0)
	for i := sort.Search(len(cuts), func(i int) bool { return cuts[i].at > n.start }); i < len(cuts) && cuts[i].at <= n.end; i++ {
		sum += cuts[i].dropped
	}
	return sum
}

// Equal reports whether both say the same: strings by their text, numbers by their bytes, objects regardless of order.
func (v Value) Equal(w Value) bool {
	if v.Kind() != w.Kind() {
		return false
	}
	switch v.Kind() {
	case Absent, Null:
		return true
	case String:
		return v.doc.sameTextAs(v.node(), w.doc, w.node())
	case Array:
		return v.Len() == w.Len() && v.equalItems(w)
	case Object:
		return v.equalFields(w)
	}
	return string(v.Raw()) == string(w.Raw())
}

func (v Value) equalItems(w Value) bool {
	for i, j, end := v.at+1, w.at+1, v.node().next; i < end; i, j = v.doc.tape[i].next, w.doc.tape[j].next {
		if !(Value{v.doc, i}).Equal(Value{w.doc, j}) {
			return false
		}
	}
	return true
}

func (v Value) equalFields(w Value) bool {
	left := make(map[string]Value, w.Len())
	for key, value := range w.Fields() {
		left[key] = value
	}
	for key, value := range v.Fields() {
		if other, ok := left[key]; !ok || !value.Equal(other) {
			return false
		}
		delete(left, key)
	}
	return len(left) == 0
}
