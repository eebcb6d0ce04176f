package continuedev

import (
	"bytes"
	"errors"
	"fmt"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// span is where a value stands in its file.
type span struct{ off, len int }

// file is a document, laid out: where its members and the entries of its history stand. What is whole is laid out also
// where the document as a whole is no JSON.
type file struct {
	name     string // as locators name it
	data     []byte
	start    byte            // '[' or '{'
	head     map[string]span // members but the history
	elements []span          // of the history, or of the list that the file is
	listed   bool            // a history is there
	fault    error           // why it ceases to be JSON
	damaged  int
	empty    bool
	nuls     int
	doc      kit.Doc
}

// maxTries bounds how often the beginning of an entry is looked for behind damage.
const maxTries = 2000

func openFile(in adapter.Input, losses *kit.Tally) (*file, error) {
	data, err := kit.HoldContent(in, in.Source.Path)
	if err != nil {
		return nil, fmt.Errorf("read: %w", err)
	}
	f := &file{name: in.Name(in.Source.Path), data: data, head: map[string]span{}}
	at := 0
	if bytes.HasPrefix(data, []byte("\xef\xbb\xbf")) {
		at = 3
		losses.One(lore.BOMStripped, lore.Info, 0, "3 bytes")
	}
	f.layOut(at)
	losses.Many(lore.NulPadding, lore.Warning, 0, f.nuls, "NUL bytes between values")
	if f.fault != nil {
		losses.One(lore.BadJSON, lore.Warning, 0, fmt.Sprintf("%v; %d whole entries are read", f.fault, len(f.elements)))
	}
	return f, nil
}

// space returns the place of the next byte that is neither white space nor NUL.
func (f *file) space(at int) int {
	for ; at < len(f.data); at++ {
		switch f.data[at] {
		case 0:
			f.nuls++
		case ' ', '\t', '\r', '\n':
		default:
			return at
		}
	}
	return at
}

func (f *file) layOut(at int) {
	if at = f.space(at); at == len(f.data) {
		f.empty = true
		return
	}
	switch f.start = f.data[at]; f.start {
	case '[':
		at = f.list(at + 1)
	case '{':
		at = f.members(at + 1)
	default:
		f.fails(errors.New("the file is no document"))
		return
	}
	if at = f.space(at); at < len(f.data) {
		f.fails(fmt.Errorf("more behind the document, from byte %d on", at))
	}
}

func (f *file) fails(err error) {
	f.damaged++
	if f.fault == nil {
		f.fault = err
	}
}

// list lays out the entries of a list, and returns where it ends.
func (f *file) list(at int) int {
	for {
		if at = f.space(at); at >= len(f.data) {
			f.fails(errors.New("the list does not end"))
			return at
		}
		switch f.data[at] {
		case ']':
			return at + 1
		case ',':
			at++
			continue
		}
		_, n, err := f.doc.ParsePrefix(f.data[at:])
		if err == nil && n > 0 {
			f.elements = append(f.elements, span{at, n})
			at += n
			continue
		}
		f.fails(fmt.Errorf("no JSON in the entry at byte %d", at))
		if at = f.resume(at + 1); at >= len(f.data) {
			return at
		}
	}
}

// resume finds the next whole entry behind damage; the end of the file when there is none.
func (f *file) resume(at int) int {
	for range maxTries {
		next := bytes.IndexByte(f.data[min(at, len(f.data)):], '{')
		if next < 0 {
			break
		}
		at += next
		if v, _, err := f.doc.ParsePrefix(f.data[at:]); err == nil &&
			(v.Get("message", "role").IsString() || f.start == '[' && v.Get("sessionId").IsString()) {
			return at
		}
		at++
	}
	return len(f.data)
}

// members lays out the members of the document, and returns where it ends.
func (f *file) members(at int) int {
	for {
		if at = f.space(at); at >= len(f.data) {
			if f.fault == nil { // else that is why
				f.fails(errors.New("the document does not end"))
			}
			return at
		}
		switch f.data[at] {
		case '}':
			return at + 1
		case ',':
			at++
			continue
		}
		v, n, err := f.doc.ParsePrefix(f.data[at:])
		if err != nil || !v.IsString() {
			f.fails(fmt.Errorf("no member at byte %d", at))
			return len(f.data)
		}
		key := v.String()
		if at = f.space(at + n); at >= len(f.data) || f.data[at] != ':' {
			f.fails(fmt.Errorf("no value at byte %d", at))
			return len(f.data)
		}
		at = f.space(at + 1)
		if key == "history" && !f.listed && at < len(f.data) && f.data[at] == '[' {
			f.listed = true
			at = f.list(at + 1)
			continue
		}
		if _, n, err = f.doc.ParsePrefix(f.data[min(at, len(f.data)):]); err != nil || n == 0 {
			f.fails(fmt.Errorf("no JSON in the member %q", kit.Clip(key)))
			return len(f.data)
		}
		f.head[key] = span{at, n}
		at += n
	}
}

// value parses a value again. It is valid until the next call.
func (f *file) value(s span) kit.Value {
	v, err := f.doc.Parse(f.data[s.off : s.off+s.len])
	if err != nil {
		return kit.Value{}
	}
	return v
}

// text returns a member that is a string.
func (f *file) text(key string) string {
	s, ok := f.head[key]
	if !ok {
		return ""
	}
	return f.value(s).String()
}

// flaws tells what is odd in the value that was parsed last.
func (f *file) flaws(losses *kit.Tally) {
	x := f.doc.Flaws()
	losses.Many(lore.InvalidUTF8, lore.Warning, 0, x.InvalidUTF8, "bytes that are not UTF-8")
	losses.Many(lore.LoneSurrogate, lore.Info, 0, x.LoneSurrogates, "escapes without their other half")
	losses.Many(lore.NulPadding, lore.Warning, 0, x.NULs, "NUL bytes between values")
}
