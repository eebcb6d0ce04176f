package copilot

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

var bom = []byte{0xef, 0xbb, 0xbf}

// readDocument lays out a session that is one JSON document. Its units are the requests. What stands before a cut or a
// fault is read. trusted: the file stands where only the editor writes.
func (s *state) readDocument(ctx context.Context, f *file, trusted bool) error {
	d := document{state: s, file: f}
	w := &d.walker
	start := int64(0)
	if head, err := f.bytes(0, min(f.size, 3)); err == nil && bytes.Equal(head, bom) {
		start = 3
	}
	w.reset(f.at, start, f.size)
	first := w.peek()
	if first == 0 && w.err == nil {
		if !trusted {
			return adapter.ErrNotMine
		}
		return nil // empty, or NULs alone
	}
	root := &node{src: f, span: span{off: w.at(), kind: '{'}, unit: -1, in: &members{}}
	fault := d.members(ctx, root)
	switch {
	case fault != nil && !errors.Is(fault, errSyntax):
		return fault
	case first == '[', !d.known(root) && (fault == nil || !trusted):
		return adapter.ErrNotMine
	}
	if start > 0 {
		s.losses.one(f, lore.BOMStripped, lore.Info, 0, "3 bytes")
	}
	s.root = root
	if err := d.judge(ctx); err != nil {
		return err
	}
	if fault == nil && w.peek() != 0 {
		d.broken(fmt.Errorf("more behind the document, from byte %d on", w.at()))
	}
	if fault != nil {
		d.broken(fault)
		if len(d.good) == 0 {
			return fmt.Errorf("nothing in it decodes: %w", adapter.ErrMalformed)
		}
	}
	s.past.sync(s)
	return nil
}

// document is one reading of a file that is one JSON value.
type document struct {
	*state
	file     *file
	walker   walker
	requests *node
	good     []*node

	line    int32 // physical line of the byte at counted
	counted int64
	room    []byte
}

// members finds the members of the session. The elements of requests are found on the way, so that a cut loses one.
func (d *document) members(ctx context.Context, root *node) error {
	w := &d.walker
	return w.object(func(key string) error {
		if key == "requests" && w.peek() == '[' {
			d.requests = &node{src: d.file, span: span{off: w.at(), kind: '['}, unit: -1, in: &members{}}
			root.in.put(key, d.requests)
			return w.array(func() error {
				n, err := w.build(d.file, -1, requestPlan)
				if err == nil {
					err = ctx.Err()
				}
				if err == nil {
					d.requests.in.kids = append(d.requests.in.kids, n)
				}
				return err
			})
		}
		n, err := w.build(d.file, -1, nil)
		if err == nil {
			root.in.put(key, n)
		}
		return err
	})
}

// known reports whether a document is a session: a list of requests, and what only this tool writes beside or in it.
func (d *document) known(root *node) bool {
	if d.requests == nil {
		return d.get(root, "sessionId").isString() && d.get(root, "requests") != nil
	}
	for _, key := range []string{"sessionId", "responderUsername", "requesterUsername", "initialLocation"} {
		if d.get(root, key).isString() {
			return true
		}
	}
	for _, r := range d.requests.in.kids {
		return d.get(r, "requestId").isString() && d.get(r, "message") != nil
	}
	return false
}

// judge makes a unit of each request and leaves out those that cannot be decoded.
func (d *document) judge(ctx context.Context) error {
	if d.requests == nil {
		return nil
	}
	for _, n := range d.requests.in.kids {
		line := d.lineAt(n.off)
		n.give(d.units.add(unit{src: d.file, off: n.off, len: n.len, line: line, name: "request"}))
		switch {
		case !n.isObject():
			d.units.list[n.unit].fate, d.units.list[n.unit].name = fateUnknown, "request that is no object"
			d.losses.unknown(d.file, line, "request that is no object")
			continue
		case !d.sound(n, line):
			d.units.list[n.unit].fate = fateDamaged
			continue
		}
		d.good = append(d.good, n)
		if err := firstError(ctx.Err(), d.err); err != nil {
			return err
		}
	}
	d.requests.in.kids = d.good
	return nil
}

// sound reports whether a request decodes, and counts what in it is no text. One above the bound is decoded value by
// value, later.
func (d *document) sound(n *node, line int32) bool {
	if n.len > maxValue {
		return true
	}
	b, err := d.file.bytes(n.off, n.len)
	if err != nil {
		d.fail(err)
		return true
	}
	if _, err := d.doc.Parse(b); err != nil {
		d.losses.one(d.file, lore.BadJSON, lore.Warning, line, kit.Clip(err.Error()))
		return false
	}
	flaws := d.doc.Flaws()
	d.losses.more(d.file, lore.InvalidUTF8, lore.Warning, line, "bytes that are not UTF-8", flaws.InvalidUTF8)
	d.losses.more(d.file, lore.LoneSurrogate, lore.Info, line, "escapes without their other half", flaws.LoneSurrogates)
	d.losses.more(d.file, lore.NulPadding, lore.Warning, line, "NUL bytes between values", flaws.NULs)
	return true
}

// broken counts what could not be decoded: one unit, from here to the end.
func (d *document) broken(err error) {
	line := d.lineAt(min(d.walker.at(), d.file.size))
	d.units.add(unit{src: d.file, line: line, fate: fateDamaged})
	d.losses.one(d.file, lore.BadJSON, lore.Warning, line, err.Error())
}

// lineAt returns the physical line of a byte. It is asked in rising order.
func (d *document) lineAt(offset int64) int32 {
	if d.room == nil {
		d.room, d.line = make([]byte, windowSize), 1
	}
	for d.counted < offset {
		n, err := d.file.at.ReadAt(d.room[:min(windowSize, offset-d.counted)], d.counted)
		d.line += int32(bytes.Count(d.room[:n], []byte{'\n'}))
		d.counted += int64(n)
		if n == 0 || err != nil && err != io.EOF {
			break
		}
	}
	return d.line
}
