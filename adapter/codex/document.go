package codex

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// maxDocument is the largest file that is read as one document. The tool that wrote them kept them in memory, too.
const maxDocument = kit.DefaultMaxDocument

// document walks over a file that is one JSON value, element by element: a file that was cut while it was written still
// gives what stands before the cut.
type document struct {
	in   adapter.Input
	name string
	b    []byte
	at   int
	doc  kit.Doc

	line, counted int // lines before the byte at counted
	losses        losses
}

func openDocument(in adapter.Input) (*document, error) {
	info, err := fs.Stat(in.FS, in.Source.Path)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxDocument {
		return nil, fmt.Errorf("a document of %d bytes: %w", info.Size(), adapter.ErrMalformed)
	}
	b, err := fs.ReadFile(in.FS, in.Source.Path)
	if err != nil {
		return nil, err
	}
	d := &document{in: in, name: in.Name(in.Source.Path), b: b, line: 1}
	d.losses.make = func(code lore.Code, severity lore.Severity, line int, what string) lore.Loss {
		return lore.Loss{Code: code, Severity: severity, Source: in.Source.Product, File: d.name, Line: line, What: what, Count: 1}
	}
	if bytes.HasPrefix(b, bom) {
		d.at = len(bom)
		d.losses.one(lore.BOMStripped, lore.Info, 1, "3 bytes")
	}
	return d, nil
}

// errSyntax says that the document does not go on as JSON.
var errSyntax = errors.New("no JSON")

// peek returns the next byte that is no white space; 0 at the end.
func (d *document) peek() byte {
	for ; d.at < len(d.b); d.at++ {
		switch c := d.b[d.at]; c {
		case ' ', '\t', '\r', '\n', 0:
		default:
			return c
		}
	}
	return 0
}

// accept consumes a byte when it is the next one.
func (d *document) accept(c byte) bool {
	if d.peek() == c {
		d.at++
		return true
	}
	return false
}

// value parses the next value.
func (d *document) value() (kit.Value, spot, error) {
	d.peek()
	v, n, err := d.doc.ParsePrefix(d.b[d.at:])
	if err != nil {
		return v, spot{}, errSyntax
	}
	where := spot{int64(d.at), int64(n), d.lineAt(d.at)}
	d.at += n
	if f := d.doc.Flaws(); f.InvalidUTF8 > 0 || f.LoneSurrogates > 0 {
		d.flaws(f, where.line)
	}
	return v, where, nil
}

// flaws counts what is not text in a value: one loss for the whole document.
func (d *document) flaws(f kit.Flaws, line int32) {
	for range f.InvalidUTF8 {
		d.losses.more(lore.InvalidUTF8, lore.Warning, line, "bytes that are not UTF-8")
	}
	for range f.LoneSurrogates {
		d.losses.more(lore.LoneSurrogate, lore.Info, line, "escapes without their other half")
	}
}

// lineAt returns the physical line of a byte. It is asked in rising order.
func (d *document) lineAt(at int) int32 {
	d.line += bytes.Count(d.b[d.counted:at], []byte{'\n'})
	d.counted = at
	return int32(d.line)
}

// elements visits each element of the array that begins here.
func (d *document) elements(visit func(kit.Value, spot)) error {
	if !d.accept('[') {
		return errSyntax
	}
	if d.accept(']') {
		return nil
	}
	for {
		v, where, err := d.value()
		if err != nil {
			return err
		}
		visit(v, where)
		if d.accept(']') {
			return nil
		}
		if !d.accept(',') {
			return errSyntax
		}
	}
}

// members visits each member of the object that begins here, before its value is read.
func (d *document) members(visit func(key string) error) error {
	if !d.accept('{') {
		return errSyntax
	}
	if d.accept('}') {
		return nil
	}
	for {
		key, _, err := d.value()
		if err != nil || !key.IsString() || !d.accept(':') {
			return errSyntax
		}
		if err := visit(key.String()); err != nil {
			return err
		}
		if d.accept('}') {
			return nil
		}
		if !d.accept(',') {
			return errSyntax
		}
	}
}

// broken counts what could not be decoded: one unit, from here to the end.
func (d *document) broken(ledger *lore.Ledger) {
	ledger.Damage(1)
	what := fmt.Sprintf("no JSON from byte %d on", d.at)
	if d.at == len(d.b) {
		what = fmt.Sprintf("ends at byte %d inside of a value", d.at)
	}
	d.losses.one(lore.BadJSON, lore.Warning, d.lineAt(d.at), what)
}

// parse returns a reader of values that were seen before.
func (d *document) parse() func(offset, length int64) (kit.Value, error) {
	doc := new(kit.Doc)
	return func(offset, length int64) (kit.Value, error) { return doc.Parse(d.b[offset : offset+length]) }
}

// readDocument reads a rollout of generation 1: a session and its items in one document.
func readDocument(ctx context.Context, in adapter.Input, yield yielder) error {
	d, err := openDocument(in)
	if err != nil {
		return err
	}
	s := newScan(in.Source.Path)
	if d.peek() != 0 {
		err = s.takeDocument(d)
		if err == nil && !s.head.found {
			return adapter.ErrNotMine
		}
	}
	if err != nil {
		d.broken(&s.ledger)
	}
	s.losses.make = d.losses.make
	s.losses.list = append(d.losses.list, s.losses.list...)
	if s.good == 0 && err != nil {
		c := &lore.Conversation{Source: in.Source.Product, Store: in.Source.Store, Partial: true, Ledger: s.ledger, Losses: s.losses.list}
		if !yield(c, nil) {
			return errStopped
		}
		return fmt.Errorf("nothing in it decodes: %w", adapter.ErrMalformed)
	}
	s.finish()
	e := &emitter{scan: s, in: in, read: d.parse(), mates: d.parse(), yield: yield, file: d.name}
	return e.run(ctx, 0)
}

func (s *scan) takeDocument(d *document) error {
	s.losses.make = d.losses.make
	return d.members(func(key string) error {
		switch {
		case key == "items" && d.peek() == '[':
			return d.elements(func(v kit.Value, where spot) { s.take(v, where) })
		case key == "session" && d.peek() == '{':
			v, where, err := d.value()
			if err != nil {
				return err
			}
			s.good++
			s.takeMeta(&record{body: v, time: v.Get("timestamp"), meta: true}, where)
			return nil
		}
		_, _, err := d.value()
		return err
	})
}

// readOldHistory reads history.json, the list of commands of the earliest generation. It names no sessions: the list is
// one conversation, anchored by its place.
func readOldHistory(in adapter.Input, yield yielder) error {
	d, err := openDocument(in)
	if err != nil {
		return err
	}
	c := &lore.Conversation{Source: in.Source.Product, Store: in.Source.Store, Place: d.name, Kind: lore.Main}
	if d.peek() != 0 {
		err = d.elements(func(v kit.Value, where spot) {
			command := first(v.Get("command"), v.Get("text"))
			if !command.IsString() {
				c.Ledger.Meet(oldEntry)
				d.losses.unknown(where.line, oldEntry)
				return
			}
			m := typedMessage(command, v.Get("timestamp"))
			m.Origins = []lore.Locator{{File: d.name, Line: int(where.line), Offset: where.offset, Length: where.length}}
			c.Messages = append(c.Messages, m)
			c.Ledger.Keep(1)
		})
	}
	switch {
	case err != nil:
		d.broken(&c.Ledger)
	case len(c.Messages) == 0 && c.Ledger.Units > 0:
		return adapter.ErrNotMine
	case len(c.Messages) == 0:
		d.losses.one(lore.Empty, lore.Info, 0, "no entries")
	}
	if len(c.Messages) == 0 {
		c.Partial, c.Place = true, ""
	}
	c.Losses = d.losses.list
	if !yield(c, nil) {
		return errStopped
	}
	if err != nil && len(c.Messages) == 0 {
		return fmt.Errorf("nothing in it decodes: %w", adapter.ErrMalformed)
	}
	return nil
}

const oldEntry = "history entry without command"
