package cursor

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"lore"
	"lore/adapter/kit"
)

// blob is what is known of a blob before its messages are made.
type blob struct {
	id     string
	kind   blobKind
	nth    int
	offset int64 // place in a row set
	length int64
	held   []byte   // its value, while there is memory for it
	names  []string // of a node: the blobs that it lists
	words  uint64   // of a message: what it says
	listed bool     // the root lists it
}

type blobKind uint8

const (
	blobOther   blobKind = iota // absent, damaged or not understood: look gives it its place
	blobMessage                 // {role, content}
	blobNode                    // a list of blobs
)

// look notes what each blob is.
func (r *chatReader) look() error {
	return eachRow(r.ctx, r.rows, kit.Query{Table: tableBlobs, Order: true}, func(row kit.Row) error {
		cell := row.Get("data")
		b := blob{id: row.Key.Text(), nth: row.Nth, offset: row.Offset, length: row.Length}
		switch {
		case cell.IsAbsent() || cell.Left:
			value(&r.doc, cell, kit.Object, row.Name(), &r.w.ledger, &r.w.losses)
		case r.message(cell.Bytes, &b) || r.node(cell.Bytes, &b):
		default:
			r.other(cell, row.Name())
		}
		if b.kind == blobMessage {
			if r.budget -= int64(len(cell.Bytes)); r.budget >= 0 {
				b.held = bytes.Clone(cell.Bytes)
			}
		}
		r.byID[b.id] = len(r.blobs)
		r.blobs = append(r.blobs, b)
		return nil
	})
}

// message notes that a blob is a message, and what it says.
func (r *chatReader) message(b []byte, to *blob) bool {
	v, ok := r.open(b)
	if !ok {
		return false
	}
	s := speech{losses: &losses{}}
	if !s.said(v.Get("role").String(), v.Get("content")) {
		return false
	}
	to.kind, to.words = blobMessage, runsHash(s.runs)
	return true
}

// open returns the {role, content} that a blob is, or that it has as a field.
func (r *chatReader) open(b []byte) (kit.Value, bool) {
	is := func(b []byte) (kit.Value, bool) {
		if !bytes.HasPrefix(bytes.TrimLeft(b, " \t\r\n"), []byte("{")) {
			return kit.Value{}, false
		}
		v, err := r.doc.Parse(b)
		return v, err == nil && v.Get("role").IsString() && v.Get("content").Exists()
	}
	if v, ok := is(b); ok {
		return v, true
	}
	const fieldJSON = 4 // of the blob of a turn
	for f, err := range fields(b) {
		if err != nil {
			break
		}
		if f.number == fieldJSON {
			if v, ok := is(f.bytes); ok {
				return v, true
			}
		}
	}
	return kit.Value{}, false
}

// node notes that a blob is a list of blobs, and which.
func (r *chatReader) node(b []byte, to *blob) bool {
	const fieldMessage = 1
	for f, err := range fields(b) {
		if err != nil {
			return false
		}
		if id, ok := blobID(f.bytes); ok && f.number == fieldMessage {
			to.names = append(to.names, id)
		}
	}
	if len(to.names) == 0 {
		return false
	}
	to.kind = blobNode
	return true
}

// other gives a blob that is neither its place.
func (r *chatReader) other(cell kit.Cell, name string) {
	if !bytes.HasPrefix(bytes.TrimLeft(cell.Bytes, " \t\r\n"), []byte("{")) {
		r.w.ledger.Meet("binary blob")
		r.w.losses.unknown(spot{row: name}, "binary blob")
		return
	}
	if v, state := value(&r.doc, cell, kit.Object, name, &r.w.ledger, &r.w.losses); state == rowGood {
		typ := "blob " + clip(v.Get("role").String())
		r.w.ledger.Meet(typ)
		r.w.losses.unknown(spot{row: name}, typ)
	}
}

// order returns the messages as the root lists them, and behind them, inactive, those that it does not. Where there is no
// root, all messages count, in the order in which they were written.
func (r *chatReader) order() (order []int) {
	root, ok := r.byID[r.root]
	ok = ok && r.blobs[root].kind == blobNode
	if ok {
		order = r.list(root, nil, 0)
	}
	r.account(root, ok)
	var left []int
	said := map[uint64]bool{}
	for _, n := range order {
		said[r.blobs[n].words] = true
	}
	for n := range r.blobs {
		if b := &r.blobs[n]; b.kind == blobMessage && !b.listed {
			left = append(left, n)
		}
	}
	slices.SortStableFunc(left, func(i, j int) int { return cmp.Compare(r.blobs[i].nth, r.blobs[j].nth) })
	if !ok && len(left) > 0 {
		r.w.losses.one(lore.MissingHeader, lore.Warning, spot{row: tableMeta + "/0"}, fmt.Sprintf("%d messages without a root, in the order of writing", len(left)))
	}
	for _, n := range left {
		b := &r.blobs[n]
		if b.listed = !ok; ok && said[b.words] {
			r.w.ledger.Merge(1)
			continue
		}
		said[b.words] = true
		order = append(order, n)
	}
	return order
}

// list walks over what a node lists.
func (r *chatReader) list(node int, order []int, depth int) []int {
	const deepest = 8
	for _, id := range r.blobs[node].names {
		n, ok := r.byID[id]
		switch {
		case !ok:
			r.w.losses.one(lore.MissingRow, lore.Warning, spot{row: tableBlobs + "/" + id}, "a blob that the root lists")
		case r.blobs[n].listed:
		case r.blobs[n].kind == blobNode && depth < deepest:
			r.blobs[n].listed = true
			order = r.list(n, order, depth+1)
		default:
			r.blobs[n].listed = true
			if r.blobs[n].kind == blobMessage {
				order = append(order, n)
			}
		}
	}
	return order
}

// account gives each list its place.
func (r *chatReader) account(root int, rooted bool) {
	for n := range r.blobs {
		b := &r.blobs[n]
		switch {
		case b.kind != blobNode:
		case rooted && (n == root || b.listed):
			r.w.ledger.Keep(1)
		default:
			r.w.ledger.Skip("older root")
		}
	}
}

// runsHash is what two blobs share that say the same.
func runsHash(list runs) uint64 {
	var b strings.Builder
	for i := range list {
		if list[i].Role == lore.System && list[i].Subtype == subContext && len(list) > 1 {
			continue
		}
		b.WriteString(string(list[i].Role))
		for _, p := range list[i].Parts {
			b.WriteString("\x00" + string(p.Kind) + "\x00" + p.CallID + "\x00" + p.Name + "\x00" + p.Text)
		}
	}
	return wordHash(b.String())
}
