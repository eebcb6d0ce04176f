package kit

import (
	"bytes"
	"encoding/hex"
	"errors"
	"strconv"
)

// errRowLine is said of a line that the writer of row sets would not have written.
var errRowLine = errors.New("not a line of a row set")

// rowLine is a parsed line of a row set: the row without its values.
type rowLine struct {
	table string
	key   Cell
	nth   int
	cells []Cell // with kind, size and left; a number's size is that of its decimal
}

// parse reads a line without its end. Names and keys are copied; names that repeat are not copied again.
func (l *rowLine) parse(line []byte) error {
	p := rowParser{rest: line}
	l.table = p.after(rowsTable, l.table)
	l.key = Cell{Column: p.after(`,"by":`, l.key.Column)}
	p.expect(`,"key":`)
	p.key(&l.key)
	l.nth = -1
	if p.next(`,"nth":`) {
		l.nth = int(p.number())
	}
	p.expect(`,"values":[`)
	old := l.cells
	l.cells = l.cells[:0]
	for !p.next("]") && !p.bad {
		if len(l.cells) > 0 {
			p.expect(",")
		}
		name := ""
		if len(l.cells) < len(old) {
			name = old[len(l.cells)].Column
		}
		l.cells = append(l.cells, p.cell(name))
	}
	p.expect("}")
	if p.bad || len(p.rest) > 0 {
		return errRowLine
	}
	return nil
}

type rowParser struct {
	rest []byte
	bad  bool
	text []byte
}

// next takes a literal when it is there.
func (p *rowParser) next(literal string) bool {
	if !bytes.HasPrefix(p.rest, []byte(literal)) {
		return false
	}
	p.rest = p.rest[len(literal):]
	return true
}

func (p *rowParser) expect(literal string) { p.bad = !p.next(literal) || p.bad }

// after takes a literal and a string, which is likely to be the same as last time.
func (p *rowParser) after(literal, last string) string {
	p.expect(literal)
	if s := p.string(); string(s) != last {
		return string(s)
	}
	return last
}

// string takes a JSON string, valid until the next one.
func (p *rowParser) string() []byte {
	p.expect(`"`)
	end := bytes.IndexAny(p.rest, `"\`)
	if !p.bad && end >= 0 && p.rest[end] == '"' {
		s := p.rest[:end]
		p.rest = p.rest[end+1:]
		return s
	}
	p.text = p.text[:0]
	for !p.bad {
		switch {
		case p.next(`"`):
			return p.text
		case p.next(`\u00`):
			var c [1]byte
			if len(p.rest) < 2 {
				p.bad = true
			} else if _, err := hex.Decode(c[:], p.rest[:2]); err != nil {
				p.bad = true
			} else {
				p.text, p.rest = append(p.text, c[0]), p.rest[2:]
			}
		case p.next(`\"`):
			p.text = append(p.text, '"')
		case p.next(`\\`):
			p.text = append(p.text, '\\')
		case len(p.rest) > 0 && p.rest[0] != '\\':
			p.text, p.rest = append(p.text, p.rest[0]), p.rest[1:]
		default:
			p.bad = true
		}
	}
	return nil
}

// number takes an integer.
func (p *rowParser) number() int64 {
	n := 0
	for n < len(p.rest) && (p.rest[n] >= '0' && p.rest[n] <= '9' || p.rest[n] == '-' && n == 0) {
		n++
	}
	v, err := strconv.ParseInt(string(p.rest[:n]), 10, 64)
	p.bad = p.bad || err != nil
	p.rest = p.rest[n:]
	return v
}

// key takes a key.
func (p *rowParser) key(key *Cell) {
	switch {
	case p.next("null"):
		key.Kind = NullCell
	case bytes.HasPrefix(p.rest, []byte(`"`)):
		key.Kind, key.Bytes = TextCell, append([]byte{}, p.string()...)
	case p.next("{"):
		kind := p.kind()
		p.expect(":")
		b, err := hex.DecodeString(string(p.string()))
		p.expect("}")
		p.bad = p.bad || err != nil || kind == NullCell || kind == IntegerCell || !key.setValue(kind, b)
	default:
		key.Kind, key.Int = IntegerCell, p.number()
	}
	key.Size = int64(len(key.Bytes))
}

func (p *rowParser) kind() CellKind {
	name := p.string()
	for kind, text := range cellKinds {
		if text == string(name) {
			return kind
		}
	}
	p.bad = true
	return NoCell
}

// cell takes what a line says of a value.
func (p *rowParser) cell(last string) Cell {
	c := Cell{Column: p.after("[", last)}
	p.expect(",")
	if c.Kind = p.kind(); c.Kind != NullCell {
		p.expect(",")
		c.Size = p.number()
		c.Left = p.next(`,"left"`)
	}
	p.expect("]")
	number := c.Kind == IntegerCell || c.Kind == RealCell
	p.bad = p.bad || c.Size < 0 || number && (c.Left || c.Size > 32)
	return c
}

// setValue gives a cell its value from the bytes of a row set, which it keeps.
func (c *Cell) setValue(kind CellKind, b []byte) bool {
	var err error
	switch c.Kind = kind; kind {
	case IntegerCell:
		c.Int, err = strconv.ParseInt(string(b), 10, 64)
		c.Size = 0
	case RealCell:
		c.Real, err = strconv.ParseFloat(string(b), 64)
		c.Size = 0
	default:
		c.Bytes = b
	}
	return err == nil && c.Real == c.Real
}
