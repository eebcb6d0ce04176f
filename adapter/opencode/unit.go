package opencode

import (
	"errors"

	"lore"
	"lore/adapter/kit"
)

// unit is a session, message, part or other document as a store holds it: a file, or a row.
type unit struct {
	id    string
	at    lore.Locator
	time  lore.Time // of the row, beside the document; absent in a tree
	value kit.Value // an object; absent unless state is good
	state state
	size  int64  // bytes of a document that was left
	what  string // says what is wrong with it

	flaws  kit.Flaws   // of a row
	losses []lore.Loss // of a file
}

// state is what has become of a unit.
type state uint8

const (
	good    state = iota
	blank         // an empty file, NULL, {} or []: it says nothing
	damaged       // no JSON, or no object
	left          // too large to be read
	absent        // it was there when the tree was searched
)

const notObject = "not an object"

// maxUnit is how large a document may be to be read, in bytes. The largest that OpenCode writes hold an output or a
// picture.
const maxUnit = kit.DefaultMaxValue

// judge takes a decoded document, or the error of decoding it.
func (u *unit) judge(v kit.Value, err error) {
	var syntax *kit.SyntaxError
	switch {
	case errors.Is(err, kit.ErrTooLarge):
		u.state = left
	case errors.As(err, &syntax):
		u.state, u.what = damaged, syntax.Error()
	case errors.Is(err, kit.ErrTooDeep):
		u.state, u.what = damaged, kit.ErrTooDeep.Error()
	case err != nil:
		u.state, u.what = damaged, err.Error()
	case !v.Exists() || v.IsNull() || (v.IsArray() || v.IsObject()) && v.Len() == 0:
		u.state = blank
	case !v.IsObject():
		u.state, u.what = damaged, notObject
	default:
		u.value = v
	}
}

// session is what a store says of a conversation as a whole.
type session struct {
	id, title, dir, parent string
	worktree               string // folder of its project, where nothing nearer is known
	created, updated       lore.Time
	archived               bool
	revertMessage          string // the first message that was undone; empty: none
	revertPart             string // in it, the first part that was; empty: all
}

// sessionOf reads a session's document.
func sessionOf(v kit.Value) session {
	s := session{id: v.Get("id").String(), title: v.Get("title").String(), dir: v.Get("directory").String(), parent: v.Get("parentID").String()}
	s.created, _ = kit.ParseTime(v.Get("time", "created"))
	s.updated, _ = kit.ParseTime(v.Get("time", "updated"))
	_, s.archived = kit.ParseTime(v.Get("time", "archived"))
	s.revert(v.Get("revert"))
	return s
}

func (s *session) revert(v kit.Value) {
	s.revertMessage, s.revertPart = v.Get("messageID").String(), v.Get("partID").String()
}

// message is what a store says of a message beside its parts. Its document is not kept: it may hold whole files.
type message struct {
	id     string
	unit   unit      // without its value; the zero unit for parts whose message is not there
	there  bool      // there is a unit
	folder string    // where the tree has its parts
	role   lore.Role // empty: not known
	order  lore.Time // what the messages of a session are ordered by, then id
	time   lore.Time // when it was written, as the unit says
	answer string    // the message that it answers
	dir    string
	model  string
	usage  *lore.Usage
	digest bool   // it is a compaction's summary
	error  string // words of the error that ended it
	inline string // parts in the document itself, raw, as the oldest versions had them
}

// speaks reports whether the message's own unit says that there is a message.
func (m *message) speaks() bool { return m.there && (m.unit.state == good || m.unit.state == left) }

// read takes what the message's document says.
func (m *message) read(v kit.Value) {
	switch role := v.Get("role").String(); role {
	case "user", "assistant":
		m.role = lore.Role(role)
	case "":
	default:
		m.role = lore.System
	}
	m.time, _ = kit.ParseTime(v.Get("time", "created"))
	m.dir = v.Get("path", "cwd").String()
	if m.dir == "" {
		m.dir = v.Get("path").String()
	}
	m.error = errorWords(v.Get("error"))
	if parts := v.Get("parts"); parts.IsArray() && parts.Len() > 0 {
		m.inline = kit.RawPart(lore.Unknown, parts).Text
	}
	if m.role != lore.Assistant {
		return
	}
	m.answer = v.Get("parentID").String()
	m.digest = v.Get("summary").Bool()
	m.model = v.Get("modelID").String()
	if m.model == "" {
		m.model = v.Get("model", "modelID").String()
	}
	m.usage = usageOf(v.Get("tokens"))
}

// usageOf reads a count of tokens. Those of reasoning are not added: versions differ on whether the output has them.
func usageOf(v kit.Value) *lore.Usage {
	if !v.IsObject() {
		return nil
	}
	n := func(path ...string) int64 { i, _ := v.Get(path...).Int(); return max(i, 0) }
	u := lore.Usage{Input: n("input"), Output: n("output"), CacheRead: n("cache", "read"), CacheWrite: n("cache", "write")}
	if u == (lore.Usage{}) {
		return nil
	}
	return &u
}

// errorWords returns the name and the message of an error. What else stands there, headers and bodies, is not for reading.
func errorWords(v kit.Value) string {
	name, words := v.Get("name").String(), v.Get("data", "message").String()
	if words == "" {
		words = v.Get("message").String()
	}
	switch {
	case v.IsString():
		return v.String()
	case name == "" || words == "":
		return name + words
	}
	return name + ": " + words
}
