package kit

import (
	"bytes"
	"errors"
	"slices"

	"github.com/cespare/xxhash/v2"

	"lore"
)

// The search for a record behind damage may cost a multiple of the segment's length and no more. Honest damage is found
// at the first try; lines that are made to look like a thousand record starts must not cost the square of their length.
const (
	searchCost = 8
	searchFree = 64 << 10
	keyWindow  = 256 // bytes of an open damage that are looked at again, so that a key at the edge is not overlooked
)

// region is damage that reaches over the end of what one look at the line shows.
type region struct {
	open bool
	from int64
}

// cutShort remembers a damaged end of line: if the next record begins with the same bytes, it is its complete retry.
type cutShort struct {
	length int
	hash   uint64
	loss   int // index in the losses
}

// retriedBy reports whether a record begins with the bytes of the damage.
func (c cutShort) retriedBy(record []byte) bool {
	return c.length > 0 && len(record) > c.length && xxhash.Sum64(record[:c.length]) == c.hash
}

// searchFrom returns where a record may begin, given that what stands at i did not parse: an unfinished string runs into
// the `{"` of the next record and breaks behind its quote, two bytes after its start. Damage at the very end of the
// bytes leaves no place: all of them were read as one value.
func searchFrom(b []byte, i int, err error) int {
	var syntax *SyntaxError
	if errors.As(err, &syntax) && !syntax.AtEnd {
		return max(i+1, i+syntax.Offset-2)
	}
	return len(b)
}

// findRetry returns where, behind i, the damaged value at i is written again from its start; -1 when it is not. The
// place is where the first writing breaks, or, when that does not break before the end, anywhere.
func (l *Lines) findRetry(b []byte, i, from int) int {
	if b[i] != '{' {
		return -1
	}
	if from < len(b) {
		for p := from; p < min(from+3, len(b)); p++ {
			if l.retriedAt(b, i, p) {
				return p
			}
		}
		return -1
	}
	for p, head := i+1, b[i:min(i+16, len(b))]; l.budget > 0; p++ {
		n := bytes.Index(b[p:], head)
		if n < 0 {
			break
		}
		if p += n; l.retriedAt(b, i, p) {
			return p
		}
	}
	for p := i + 2; p < min(i+16, len(b)); p++ { // it broke off within the bytes that were looked for
		if l.retriedAt(b, i, p) {
			return p
		}
	}
	return -1
}

// retriedAt reports whether a whole record stands at p that begins with what stands from i to p.
func (l *Lines) retriedAt(b []byte, i, p int) bool {
	if b[p] != '{' || !bytes.HasPrefix(b[p:], trimNULs(b[i:p])) {
		return false
	}
	l.budget -= len(b) - p
	return l.recordAt(b, p)
}

// findRecord returns where, at or after from, a whole record begins with one of the source's keys; -1 when none does.
func (l *Lines) findRecord(b []byte, from int) int {
	for p := from; p < len(b) && l.budget > 0; {
		n := bytes.Index(b[p:], []byte(`{"`))
		if n < 0 {
			return -1
		}
		l.budget -= n
		p += n
		if !l.beginsRecord(b[p:]) {
			p++
			continue
		}
		v, n, err := l.doc.ParsePrefix(b[p:])
		if err == nil && v.IsObject() && bounded(b[p+n:]) {
			return p
		}
		next := searchFrom(b, p, err)
		if err == nil || next == len(b) { // what it swallowed may still hold a record
			l.budget -= max(n, next-p)
			next = p + 1
		}
		l.budget -= next - p
		p = next
	}
	return -1
}

// beginsRecord reports whether b begins with `{"KEY"` of this source.
func (l *Lines) beginsRecord(b []byte) bool {
	window := b[2:min(len(b), keyWindow)]
	end := bytes.IndexByte(window, '"')
	return end > 0 && slices.Contains(l.opts.TopKeys, string(window[:end]))
}

// recordAt reports whether a whole object stands at p.
func (l *Lines) recordAt(b []byte, p int) bool {
	v, n, err := l.doc.ParsePrefix(b[p:])
	return err == nil && v.IsObject() && bounded(b[p+n:])
}

// bounded reports whether what follows a value lets it be a record of its own: a nested object of a broken line is
// followed by a comma or a closing bracket.
func bounded(after []byte) bool {
	return len(after) == 0 || after[0] <= ' ' || after[0] == '{'
}

func trimNULs(b []byte) []byte { return bytes.TrimRight(b, "\x00") }

// damage handles what stands at seg[i:] and is no record. It returns where reading goes on: at a record, or at the end.
func (l *Lines) damage(seg []byte, i, from int, off int64, how ending, err error) int {
	next := l.findRetry(seg, i, from)
	retried := next >= 0
	if !retried && from < len(seg) {
		next = l.findRecord(seg, from)
	}
	if next >= 0 {
		bad := trimNULs(seg[i:next])
		l.here.nuls += int64(next - i - len(bad))
		if retried {
			l.lose(lore.RetriedRecord, lore.Info, off+int64(i), int64(len(bad)), err)
		} else {
			l.lose(lore.BadJSON, lore.Warning, off+int64(i), int64(len(bad)), err)
		}
		return next
	}
	bad := bytes.TrimRight(seg[i:], "\x00 \t\r")
	nuls := bytes.Count(seg[i+len(bad):], []byte{0})
	if how == atBound {
		l.broken = region{true, off + int64(i)}
		return max(i+1, len(seg)-keyWindow)
	}
	if how == atEOF && nuls == 0 {
		l.unfinished(off+int64(i), int64(len(seg)-i))
		return len(seg)
	}
	l.here.nuls += int64(nuls)
	at := l.lose(lore.BadJSON, lore.Warning, off+int64(i), int64(len(bad)), err)
	if at >= 0 && searchFrom(seg, i, err) == len(seg) {
		l.last = cutShort{len(bad), xxhash.Sum64(bad), at}
	}
	return len(seg)
}

// mend looks for the record that ends an open damage, and returns where reading goes on.
func (l *Lines) mend(seg []byte, off int64, how ending) int {
	next, end := l.findRecord(seg, 0), len(seg)
	switch {
	case next >= 0:
		end = next
	case how == atBound:
		return max(1, len(seg)-keyWindow)
	case how == atEOF:
		l.broken.open = false
		l.unfinished(l.broken.from, off+int64(len(seg))-l.broken.from)
		return len(seg)
	}
	l.lose(lore.BadJSON, lore.Warning, l.broken.from, off+int64(end)-l.broken.from, nil)
	l.broken.open = false
	return end
}
