package claudecode

import (
	"bytes"
	"context"
	"iter"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// records is where an evidence's records come from: the lines of a file, or the list in a document.
type records interface {
	All() iter.Seq[*kit.Record]
	At(offset, length int64) (kit.Value, error)
	Losses() []lore.Loss
	Damaged() int
	Err() error
}

// file is one transcript while it is read.
type file struct {
	in    adapter.Input
	place place
	src   records
	sides sides

	names  *names
	lines  []line
	byHash table
	byUUID table
	tail   []int32 // while folding: the last line of the message that begins at a line
	byConv []int32 // lines by conversation, each in record order
	order  []int32 // lines in record order; nil: the order of the file
	convs  []*conv

	titles  []title
	links   []link
	tasks   []task
	logical map[int32]key // compact boundary → its logical parent
	sources map[int32]key // queued command → source_uuid
	gone    []key         // uuids that a later record supersedes
	bodies  []*body       // of a small file: decoded in the first pass, so that it is read once; nil: on demand

	mine, foreign int           // records that only Claude Code writes, and that only others write
	messages      int           // user and assistant records of ours
	sessions      map[int32]int // how many records name a session
	onlyAgent     int32         // the agent that all of them name; 0: none, or not one alone; -1 once that is clear
	session       int32         // the inner session id that stands first; 0: none
	forked        int32         // the session that the first records were copied from; 0: none
	lastSession   int32
	prompts       map[uint64]struct{} // what people said, by hash of the words; made when a last-prompt asks
	losses        losses
	frozen        []byte // what the first pass has found, for Save; nil: not asked for
}

// title is a title that a record gives: to the session that it names, or to the conversation that holds a leaf.
type title struct {
	line    int32
	session int32
	leaf    key // zero: of the session itself
	rank    int8
	text    string
}

// The ranks of titles: the higher one stands, and of equal ones the later.
const (
	rankSummary = iota
	rankAI
	rankCustom
)

// link says that a call started a sub-agent.
type link struct {
	line  int32
	agent string
	call  string
	said  bool // by the result itself; else only by a progress record
}

// task is a call that starts a sub-agent.
type task struct {
	line   int32
	call   string
	prompt uint64
	taken  bool
}

func hashText(s string) uint64 { return xxhash.Sum64String(s) }

// scan is the first pass.
func (f *file) scan(ctx context.Context) error {
	cache := f.in.PieceBound()
	f.bodies = []*body{}
	for r := range f.src.All() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if cache -= r.Length; cache < 0 {
			f.bodies = nil
		}
		f.add(r)
	}
	return f.src.Err()
}

// add keeps what the structure needs of one record. An identical one is only counted.
func (f *file) add(r *kit.Record) {
	twin, slot := f.byHash.find(r.Hash, func(i int32) bool {
		return f.lines[i].hash == r.Hash && f.lines[i].length == r.Length
	})
	if twin >= 0 {
		f.repeat(twin, r)
		return
	}
	v := r.Value
	i := int32(len(f.lines))
	f.lines = append(f.lines, line{
		offset: r.Offset, length: r.Length, no: int32(r.Line), hash: r.Hash,
		up: -1, rep: i, next: -1, near: -1, last: i, conv: f.sessionOf(v),
	})
	f.byHash.add(i, slot, r.Hash, func(i int32) uint64 { return f.lines[i].hash })
	l := &f.lines[i]
	l.uuid = f.key(v.Get("uuid"))
	l.parent = f.key(v.Get("parentUuid"))
	if l.uuid == (key{}) {
		l.flags |= noUUID
	}
	if v.Get("isSidechain").Bool() {
		l.flags |= sidechain
	}
	if t := v.Get("timestamp"); t.Exists() && !t.IsNull() {
		l.when = xxhash.Sum64(t.Raw())
	}
	if from := v.Get("forkedFrom"); from.IsObject() {
		l.flags |= inherited
		if f.forked == 0 {
			f.forked = f.id(from.Get("sessionId"))
		}
	}
	f.classify(i, l, v)
	if f.bodies != nil {
		f.bodies = append(f.bodies, decode(l.kind, v))
	}
}

// repeat counts an identical line. A title that is said again is the newest one again.
func (f *file) repeat(twin int32, r *kit.Record) {
	l := &f.lines[twin]
	l.again++
	f.losses.tally(lore.DuplicateLine, r.Line)
	if l.kind == kindTitle || l.kind == kindSummary {
		for k := range f.titles {
			if t := f.titles[k]; t.line == twin {
				f.titles = append(append(f.titles[:k:k], f.titles[k+1:]...), t)
				break
			}
		}
	}
}

// sessionOf returns the session of a record, interned; 0 when it names none. It stands in line.conv until the
// conversations are known.
func (f *file) sessionOf(v kit.Value) int32 {
	s := f.id(v.Get("sessionId"))
	if s == 0 {
		return 0
	}
	if f.session == 0 {
		f.session = s
	}
	f.sessions[s]++
	return s
}

// id interns a string value without making it twice.
func (f *file) id(v kit.Value) int32 {
	if !v.IsString() {
		return 0
	}
	raw := plain(v)
	if raw == nil {
		return f.names.intern(v.String())
	}
	if string(raw) == f.names.text[f.lastSession] {
		return f.lastSession
	}
	i, ok := f.names.number[string(raw)]
	if !ok {
		i = f.names.intern(string(raw))
	}
	f.lastSession = i
	return i
}

// key makes the key of a uuid value.
func (f *file) key(v kit.Value) key {
	if !v.IsString() {
		return key{}
	}
	if raw := plain(v); raw != nil {
		if k, ok := parseUUID(raw); ok && k != (key{}) && !k.interned() {
			return k
		}
	}
	return f.names.key(v.String())
}

// plain returns the bytes of a string value that stand for themselves; nil when it has to be decoded.
func plain(v kit.Value) []byte {
	raw := v.Raw()
	raw = raw[1 : len(raw)-1]
	if bytes.IndexByte(raw, '\\') >= 0 || !utf8.Valid(raw) {
		return nil
	}
	if raw == nil {
		return []byte{}
	}
	return raw
}
