package copilotcli

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"strings"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// document is a file that is one JSON object: a session of the first versions, or the list of commands. Its units are the
// elements of its lists; what stands before a cut is read.
type document struct {
	in     adapter.Input
	bytes  []byte
	at     int
	doc    kit.Doc
	words  map[string]string // members that are strings
	lists  map[string][]span // members that are lists
	losses losses

	line, counted int // lines before the byte at counted

	messages []lore.Message
	ledger   lore.Ledger
	last     lore.Time
	begun    lore.Time
	names    map[string]string // tools by the ids of their calls
}

// span is the place of an element.
type span struct{ offset, length int }

// readDocument reads a document, whichever it is; trusted: it stands where only the tool writes.
func readDocument(ctx context.Context, in adapter.Input, trusted bool, yield yielder) error {
	d := &document{in: in, losses: losses{in: in}, line: 1, names: map[string]string{}, words: map[string]string{}, lists: map[string][]span{}}
	empty, err := d.open()
	if err != nil {
		return err
	}
	fault := !empty && !d.layOut()
	_, commands := d.lists["commandHistory"]
	_, chat := d.lists["chatMessages"]
	_, timeline := d.lists["timeline"]
	known := commands || d.words["sessionId"] != "" && (chat || timeline) || d.isOldest()
	switch {
	case !known && (!trusted || !empty && !fault):
		return adapter.ErrNotMine
	case empty:
		d.losses.one(lore.Empty, lore.Info, 0, "nothing in it")
		return put(yield, account(in, d.ledger, d.losses.list))
	case fault:
		d.ledger.Damage(1)
		d.losses.one(lore.BadJSON, lore.Warning, d.lineAt(d.at), fmt.Sprintf("no JSON from byte %d on", d.at))
	}
	switch {
	case !known:
		if err := put(yield, account(in, d.ledger, d.losses.list)); err != nil {
			return err
		}
		return fmt.Errorf("nothing in it decodes: %w", adapter.ErrMalformed)
	case commands:
		return d.commands(yield)
	case chat || timeline:
		return d.session(ctx, yield)
	}
	return d.oldest(yield)
}

// open reads the file. It reports whether there is nothing in it.
func (d *document) open() (empty bool, err error) {
	info, err := fs.Stat(d.in.FS, d.in.Source.Path)
	if err != nil {
		return false, err
	}
	if info.Size() > kit.DefaultMaxDocument {
		return false, fmt.Errorf("a document of %d bytes: %w", info.Size(), adapter.ErrMalformed)
	}
	if d.bytes, err = fs.ReadFile(d.in.FS, d.in.Source.Path); err != nil {
		return false, err
	}
	if bytes.HasPrefix(d.bytes, []byte("\xef\xbb\xbf")) {
		d.at = 3
		d.losses.one(lore.BOMStripped, lore.Info, 0, "3 bytes")
	}
	return d.peek() == 0, nil
}

// peek returns the next byte that is no white space; 0 at the end.
func (d *document) peek() byte {
	for ; d.at < len(d.bytes); d.at++ {
		switch c := d.bytes[d.at]; c {
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

// next parses the next value. It is valid until the one after.
func (d *document) next() (kit.Value, span, bool) {
	d.peek()
	v, n, err := d.doc.ParsePrefix(d.bytes[d.at:])
	if err != nil {
		return v, span{}, false
	}
	where := span{d.at, n}
	d.at += n
	flaws, line := d.doc.Flaws(), 0
	if flaws != (kit.Flaws{}) {
		line = d.lineAt(where.offset)
	}
	d.losses.more(lore.InvalidUTF8, lore.Warning, line, "bytes that are not UTF-8", flaws.InvalidUTF8)
	d.losses.more(lore.LoneSurrogate, lore.Info, line, "escapes without their other half", flaws.LoneSurrogates)
	d.losses.more(lore.NulPadding, lore.Warning, line, "NUL bytes between values", flaws.NULs)
	return v, where, true
}

// layOut finds the members of the document and the elements of its lists; false where it ceases to be JSON.
func (d *document) layOut() bool {
	if !d.accept('{') {
		return false
	}
	for !d.accept('}') {
		key, _, ok := d.next()
		if !ok || !key.IsString() {
			return false
		}
		name := key.String()
		if !d.accept(':') || !d.member(name) || d.peek() != '}' && !d.accept(',') {
			return false
		}
	}
	return d.peek() == 0
}

func (d *document) member(name string) bool {
	if d.peek() != '[' {
		v, _, ok := d.next()
		if v.IsString() {
			d.words[name] = v.String()
		}
		return ok
	}
	d.at++
	d.lists[name] = []span{}
	for !d.accept(']') {
		_, where, ok := d.next()
		if !ok {
			return false
		}
		d.lists[name] = append(d.lists[name], where)
		if d.peek() != ']' && !d.accept(',') {
			return false
		}
	}
	return true
}

// value parses an element that was found. It is valid until the next one.
func (d *document) value(s span) kit.Value {
	v, _, err := d.doc.ParsePrefix(d.bytes[s.offset : s.offset+s.length])
	if err != nil {
		return kit.Value{}
	}
	return v
}

// lineAt returns the physical line of a byte.
func (d *document) lineAt(offset int) int {
	if offset < d.counted {
		d.line, d.counted = 1, 0
	}
	d.line += bytes.Count(d.bytes[d.counted:offset], []byte{'\n'})
	d.counted = offset
	return d.line
}

func (d *document) locate(s span) lore.Locator {
	return lore.Locator{File: d.in.Name(d.in.Source.Path), Line: d.lineAt(s.offset), Offset: int64(s.offset), Length: int64(s.length)}
}

// unknown counts an element of an unknown sort.
func (d *document) unknown(s span, name string) {
	d.ledger.Meet(name)
	d.losses.one(lore.UnknownRecord, lore.Info, d.lineAt(s.offset), "type "+name)
}

// commands reads the list of what was typed. The newest stands first in the file, so the record has it last: what is
// typed later then moves no message.
func (d *document) commands(yield yielder) error {
	c := &lore.Conversation{Source: d.in.Source.Product, Store: storeHistory, Kind: lore.Main, Place: d.in.Name(d.in.Source.Path)}
	list := d.lists["commandHistory"]
	spoken := false
	for i := len(list) - 1; i >= 0; i-- {
		v := d.value(list[i])
		if !v.IsString() {
			d.unknown(list[i], "command that is no string")
			continue
		}
		m := lore.Message{Role: lore.User, Active: true, AtFrom: lore.FromNone, Units: 1, Parts: []lore.Part{raw(lore.Text, v)}}
		if isCommand(v.String()) {
			m.Role, m.Subtype = lore.System, "command"
		} else {
			spoken = true
		}
		m.Origins = []lore.Locator{d.locate(list[i])}
		d.messages = append(d.messages, m)
	}
	if !spoken {
		for range d.messages {
			d.ledger.Skip("command")
		}
		if d.ledger.Unknown+d.ledger.Damaged == 0 {
			d.losses.one(lore.Empty, lore.Info, 0, "no prompts")
		}
		return put(yield, account(d.in, d.ledger, d.losses.list))
	}
	d.ledger.Keep(len(d.messages))
	c.Messages, c.Ledger, c.Losses = d.messages, d.ledger, d.losses.list
	return put(yield, c)
}

// isCommand reports whether what was typed is a command to the tool: a slash and a word, not a path.
func isCommand(s string) bool {
	word, _, _ := strings.Cut(strings.TrimSpace(s), " ")
	return len(word) > 1 && word[0] == '/' && !strings.ContainsAny(word[1:], "/*.\n")
}

// end yields a session of the first versions.
func (d *document) end(native, dir string, yield yielder) error {
	if len(d.messages) == 0 && d.ledger.Damaged == 0 {
		d.losses.one(lore.Empty, lore.Info, 0, "no messages")
	}
	if len(d.messages) == 0 {
		return put(yield, account(d.in, d.ledger, d.losses.list))
	}
	c := &lore.Conversation{Source: d.in.Source.Product, Store: d.in.Source.Store, Native: native, Kind: lore.Main, StartedAt: d.begun,
		Project: lore.Project{Dir: dir, Name: kit.ProjectName(dir)}, Messages: d.messages, Ledger: d.ledger, Losses: d.losses.list}
	return put(yield, c)
}

// add puts a message of one element behind the others.
func (d *document) add(s span, m lore.Message, at lore.Time) {
	m.Active, m.Units = true, 1
	m.Origins = []lore.Locator{d.locate(s)}
	switch {
	case !at.IsZero():
		m.At, m.AtFrom, d.last = at, kit.TimeFrom(at), at
	case !d.last.IsZero():
		m.At, m.AtFrom = d.last, lore.FromInherited
	case !d.begun.IsZero():
		m.At, m.AtFrom = d.begun, lore.FromInherited
	default:
		m.AtFrom = lore.FromNone
	}
	d.messages = append(d.messages, m)
	d.ledger.Keep(1)
}
