package kit

import "math"

// Parse parses exactly one value, with white space around it allowed. b must not change while the values are in use.
// Errors: *SyntaxError, ErrTooDeep, ErrTooLarge.
//
// It accepts all JSON and, because sources write it: raw control bytes and bytes that are not UTF-8 in strings, lone
// surrogates, NUL bytes as white space, and the numbers NaN, Infinity and -Infinity.
func (d *Doc) Parse(b []byte) (Value, error) {
	v, n, err := d.ParsePrefix(b)
	if err != nil {
		return Value{}, err
	}
	if n = d.skipSpace(b, n); n < len(b) {
		return Value{}, &SyntaxError{Offset: n}
	}
	return v, nil
}

// ParsePrefix parses the first value of b and returns how many bytes it took, white space before it included.
func (d *Doc) ParsePrefix(b []byte) (Value, int, error) {
	if cap(d.tape) > 1<<18 && len(b) < 1<<18 {
		d.tape = nil // one huge document must not hold memory for all that follow
	}
	d.src, d.tape, d.cuts = b, d.tape[:0], nil
	d.nuls, d.surrogates = 0, 0
	if uint64(len(b)) > math.MaxUint32 {
		return Value{}, 0, ErrTooLarge
	}
	tape, n, err := d.parse(b, d.tape)
	d.tape = tape
	if err != nil {
		return Value{}, 0, err
	}
	return Value{doc: d}, n, nil
}

// nodes returns how many values and keys a document may have.
func (d *Doc) nodes() int {
	if d.maxNodes > 0 {
		return d.maxNodes
	}
	return defaultMaxNodes
}

// skipSpace returns the index of the first byte at or after i that is neither white space nor NUL.
func (d *Doc) skipSpace(b []byte, i int) int {
	for ; i < len(b); i++ {
		switch b[i] {
		case ' ', '\n', '\r', '\t':
		case 0:
			d.nuls++
		default:
			return i
		}
	}
	return i
}

// parse builds the tape of the first value and returns it and where the value ends. It keeps no stack: an open container's node
// holds its parent in the field that says where it ends once it is closed.
func (d *Doc) parse(b []byte, tape []node) ([]node, int, error) {
	const top = math.MaxUint32
	limit := d.nodes()
	i, depth, cur := 0, 0, uint32(top)
	var n, info uint32

value:
	if i >= len(b) {
		return tape, 0, &SyntaxError{i, true}
	}
	if b[i] <= ' ' {
		if i = d.skipSpace(b, i); i >= len(b) {
			return tape, 0, &SyntaxError{i, true}
		}
	}
	n = uint32(len(tape))
	if len(tape) >= limit {
		return tape, 0, ErrTooLarge
	}
	switch c := b[i]; c {
	case '"':
		end, flags, err := d.scanString(b, i+1)
		if err != nil {
			return tape, 0, err
		}
		tape = append(tape, node{uint32(i), uint32(end), n + 1, uint32(String) | flags})
		i = end
		goto after
	case '{', '[':
		if depth++; depth > MaxDepth {
			return tape, 0, ErrTooDeep
		}
		info = uint32(Object)
		if c == '[' {
			info = uint32(Array)
		}
		tape = append(tape, node{uint32(i), 0, cur, info})
		cur = n
		i++
		if i < len(b) && b[i] <= ' ' {
			i = d.skipSpace(b, i)
		}
		if i < len(b) && b[i] == c+2 { // ] and } stand two above their openers
			goto closing
		}
		if c == '{' {
			goto key
		}
		goto value
	default:
		end, kind, err := scanScalar(b, i)
		if err != nil {
			return tape, 0, err
		}
		tape = append(tape, node{uint32(i), uint32(end), n + 1, uint32(kind)})
		i = end
	}

after: // a value is complete
	if cur == top {
		return tape, i, nil
	}
	tape[cur].info += 1 << countBit
	if i < len(b) && b[i] <= ' ' {
		i = d.skipSpace(b, i)
	}
	if i >= len(b) {
		return tape, 0, &SyntaxError{i, true}
	}
	if b[i] == ',' {
		i++
		if Kind(tape[cur].info&kindMask) == Array {
			goto value
		}
		goto key
	}
	if b[i] != '}' && b[i] != ']' || (b[i] == '}') != (Kind(tape[cur].info&kindMask) == Object) {
		return tape, 0, &SyntaxError{i, false}
	}

closing: // b[i] closes the current container
	i++
	depth--
	n, tape[cur].end, tape[cur].next = tape[cur].next, uint32(i), uint32(len(tape))
	cur = n
	goto after

key: // the current object goes on with a key
	if i < len(b) && b[i] <= ' ' {
		i = d.skipSpace(b, i)
	}
	if i >= len(b) {
		return tape, 0, &SyntaxError{i, true}
	}
	if b[i] != '"' {
		return tape, 0, &SyntaxError{i, false}
	}
	end, flags, err := d.scanString(b, i+1)
	if err != nil {
		return tape, 0, err
	}
	tape = append(tape, node{uint32(i), uint32(end), uint32(len(tape)) + 1, uint32(String) | flags})
	if i = end; i < len(b) && b[i] <= ' ' {
		i = d.skipSpace(b, i)
	}
	if i >= len(b) {
		return tape, 0, &SyntaxError{i, true}
	}
	if b[i] != ':' {
		return tape, 0, &SyntaxError{i, false}
	}
	i++
	goto value
}
