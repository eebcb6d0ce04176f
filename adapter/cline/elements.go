package cline

import (
	"bytes"
	"errors"
	"fmt"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// span is where an element stands in its file.
type span struct{ off, len int }

// list is a file that holds a JSON array, of which each element is read by itself: what stands before a cut, and behind
// a hole, is there although the file as a whole is no JSON.
type list struct {
	name     string // as locators name the file
	data     []byte
	elements []span
	single   bool  // the file is one object, not a list
	listed   bool  // it begins as a list
	fault    error // why it ceases to be JSON
	damaged  int   // places at which it does
	empty    bool
	doc      kit.Doc
}

// maxTries bounds how often the beginning of an element is looked for behind damage.
const maxTries = 2000

// openList reads a file and finds its elements; those of an object are those of its member messages. Losses of the whole
// file go to the tally. The error is one of reading.
func openList(in adapter.Input, path string, losses *kit.Tally) (*list, error) {
	data, err := kit.HoldContent(in, path)
	if err != nil {
		return nil, fmt.Errorf("read %q: %w", path, err)
	}
	l := &list{name: in.Name(path), data: data}
	losses.In(l.name)
	at := 0
	if bytes.HasPrefix(data, []byte("\xef\xbb\xbf")) {
		at = 3
		losses.One(lore.BOMStripped, lore.Info, 0, "3 bytes")
	}
	nuls := l.layOut(at)
	losses.Many(lore.NulPadding, lore.Warning, 0, nuls, "NUL bytes between values")
	if l.fault != nil {
		losses.One(lore.BadJSON, lore.Warning, 0, fmt.Sprintf("%v; %d whole elements are read", l.fault, len(l.elements)))
	}
	return l, nil
}

// space returns the place of the next byte that is neither white space nor NUL.
func (l *list) space(at int, nuls *int) int {
	for ; at < len(l.data); at++ {
		switch l.data[at] {
		case 0:
			*nuls++
		case ' ', '\t', '\r', '\n':
		default:
			return at
		}
	}
	return at
}

func (l *list) layOut(at int) (nuls int) {
	at = l.space(at, &nuls)
	if at == len(l.data) {
		l.empty = true
		return nuls
	}
	if l.data[at] != '[' {
		if v, n, err := l.doc.ParsePrefix(l.data[at:]); err == nil && v.IsObject() && l.space(at+n, &nuls) == len(l.data) {
			l.member(v, span{at, n})
			return nuls
		}
		l.fails(errors.New("the file is no list"))
		at = l.resume(at)
	} else {
		l.listed = true
		at++
	}
	for {
		at = l.space(at, &nuls)
		if at >= len(l.data) {
			l.fails(errors.New("the list does not end"))
			return nuls
		}
		switch l.data[at] {
		case ']':
			if rest := l.space(at+1, &nuls); rest < len(l.data) {
				l.fails(fmt.Errorf("more behind the list, from byte %d on", rest))
			}
			return nuls
		case ',':
			at++
			continue
		}
		_, n, err := l.doc.ParsePrefix(l.data[at:])
		if err == nil && n > 0 {
			l.elements = append(l.elements, span{at, n})
			at += n
			continue
		}
		l.fails(fmt.Errorf("no JSON in the element at byte %d", at))
		if at = l.resume(at + 1); at >= len(l.data) {
			return nuls
		}
	}
}

// member takes the elements of an object that holds its list under a key; without one the object is the one element.
func (l *list) member(v kit.Value, whole span) {
	if !v.Get("messages").IsArray() {
		l.single, l.elements = true, []span{whole}
		return
	}
	at := whole.off
	for e := range v.Get("messages").Items() {
		raw := e.Raw()
		n := bytes.Index(l.data[at:], raw) // they stand in this order
		if n < 0 {
			return
		}
		l.elements = append(l.elements, span{at + n, len(raw)})
		at += n + len(raw)
	}
}

func (l *list) fails(err error) {
	l.damaged++
	if l.fault == nil {
		l.fault = err
	}
}

// resume finds the next whole element behind damage; the end of the file when there is none.
func (l *list) resume(at int) int {
	for range maxTries {
		next := bytes.IndexByte(l.data[min(at, len(l.data)):], '{')
		if next < 0 {
			break
		}
		at += next
		if v, _, err := l.doc.ParsePrefix(l.data[at:]); err == nil && (isRequest(v) || isRow(v) || isTask(v)) {
			return at
		}
		at++
	}
	return len(l.data)
}

// value parses an element again. It is valid until the next call.
func (l *list) value(i int) kit.Value {
	s := l.elements[i]
	v, err := l.doc.Parse(l.data[s.off : s.off+s.len])
	if err != nil {
		return kit.Value{}
	}
	return v
}

// flaws tells what is odd in the element that was parsed last.
func (l *list) flaws(losses *kit.Tally) {
	f := l.doc.Flaws()
	losses.Many(lore.InvalidUTF8, lore.Warning, 0, f.InvalidUTF8, "bytes that are not UTF-8")
	losses.Many(lore.LoneSurrogate, lore.Info, 0, f.LoneSurrogates, "escapes without their other half")
	losses.Many(lore.NulPadding, lore.Warning, 0, f.NULs, "NUL bytes between values")
}

func (l *list) locator(i int) lore.Locator {
	return lore.Locator{File: l.name, Offset: int64(l.elements[i].off), Length: int64(l.elements[i].len)}
}
