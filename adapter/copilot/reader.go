package copilot

import (
	"errors"

	"lore"
	"lore/adapter/kit"
)

// reader decodes nodes. A value is valid until the next one is read. What cannot be decoded is absent; the first error of
// the disk is kept and ends the reading.
type reader struct {
	layout
	doc     kit.Doc
	scratch []byte
	err     error
}

// value decodes a node. One above maxValue is cut to the heads of its strings.
func (r *reader) value(n *node) (v kit.Value, cut bool) {
	switch {
	case n == nil || r.err != nil:
		return kit.Value{}, false
	case n.in == nil || !n.in.made:
		return r.written(n)
	}
	limit := int64(maxValue)
	if r.size(n) > maxValue {
		limit = maxValue / 8
	}
	r.scratch = r.scratch[:0]
	cut = r.compose(n, limit)
	if r.err != nil || len(r.scratch) > 2*maxValue {
		return kit.Value{}, true
	}
	return r.parse(n, r.scratch), cut
}

// written decodes a node that stands in its file as it is.
func (r *reader) written(n *node) (v kit.Value, cut bool) {
	if n.len > maxValue {
		return r.large(n)
	}
	b, err := n.src.bytes(n.off, n.len)
	if err != nil {
		r.fail(err)
		return kit.Value{}, false
	}
	return r.parse(n, b), false
}

// large decodes a node above maxValue.
func (r *reader) large(n *node) (v kit.Value, cut bool) {
	if n.kind != '"' {
		v, err := n.src.reduced(n.span)
		if err != nil && r.loss != nil {
			r.loss(n, err.Error())
		}
		return v, true
	}
	head, err := n.src.head(n.span, maxValue/4)
	r.fail(err)
	return r.parse(n, head), true
}

func (r *reader) parse(n *node, b []byte) kit.Value {
	v, err := r.doc.Parse(b)
	if errors.Is(err, kit.ErrTooLarge) {
		v, err = n.src.reduced(n.span)
	}
	if err == nil {
		return v
	}
	if r.loss != nil {
		r.loss(n, err.Error())
	}
	return kit.Value{}
}

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// size is how many bytes a node takes as JSON, more or less.
func (r *reader) size(n *node) int64 {
	switch {
	case n == nil:
		return int64(len("null"))
	case n.in == nil || !n.in.made:
		return n.len
	}
	sum := int64(2)
	for i, k := range n.in.kids {
		if n.kind == '{' {
			sum += int64(len(n.in.keys[i])) + 3
		}
		sum += r.size(k) + 1
	}
	return sum
}

// compose writes a changed node as JSON into scratch. What is longer than limit is cut.
func (r *reader) compose(n *node, limit int64) (cut bool) {
	switch {
	case n == nil:
		r.scratch = append(r.scratch, "null"...)
		return false
	case n.in == nil || !n.in.made:
		return r.copy(n, limit)
	}
	r.scratch = append(r.scratch, n.kind)
	for i, k := range n.in.kids {
		if i > 0 {
			r.scratch = append(r.scratch, ',')
		}
		if n.kind == '{' {
			r.scratch = append(lore.AppendJSON(r.scratch, n.in.keys[i]), ':')
		}
		cut = r.compose(k, limit) || cut
	}
	r.scratch = append(r.scratch, n.kind+2)
	return cut
}

// copy appends the bytes of a node that was not changed; of one above limit, the heads of its strings.
func (r *reader) copy(n *node, limit int64) (cut bool) {
	var b []byte
	var err error
	switch {
	case n.kind == '"' && n.len > limit:
		cut = true
		b, err = n.src.head(n.span, limit)
	case n.len > maxValue:
		cut = true
		var v kit.Value
		v, err = n.src.reduced(n.span)
		b = v.Raw()
	default:
		b, err = n.src.bytes(n.off, n.len)
	}
	r.fail(err)
	r.scratch = append(r.scratch, b...)
	return cut
}

// text decodes a short string: an id, a name. "" for all else.
func (r *reader) text(n *node) string {
	if !n.isString() || n.len > 64<<10 {
		return ""
	}
	v, _ := r.value(n)
	return v.String()
}
