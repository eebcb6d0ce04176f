package claudecode

import (
	"strings"

	"lore"
	"lore/adapter/kit"
)

// body is what the second pass needs of a record: its words, decoded.
type body struct {
	typ    string // the record's type, for the ledger: "attachment/hook_success"
	known  bool   // this version knows the type
	blocks []block
	who    speaker // who says the blocks that are no results

	at      lore.Time
	badTime string // the time as written, when it cannot be read

	cwd, branch string
	automation  bool // an SDK says that it started the session
	origin      bool // the record says what started it at all

	model   string
	usage   *lore.Usage
	subtype string // of an answer: "notice", "incomplete"

	notes []note
}

// note is a loss inside of a record.
type note struct {
	code lore.Code
	what string
}

// block is one part of a message, with what decides where it goes.
type block struct {
	part  lore.Part
	role  lore.Role // of a result or a reminder; empty: the record's own side
	sig   uint64    // of a thinking block's signature: two empty ones differ by it
	side  string    // base name of the side file that holds the whole text
	twin  string    // the text of the richer twin, should the side file be missing
	added bool      // the side file's text comes beside the block's own, which is no preview

	written []byte // of a result: its text as written; while the record is decoded
}

// decode reads the body of a record.
func decode(k kind, v kit.Value) *body {
	b := &body{typ: v.Get("type").String(), known: k != kindUnknown}
	if k > kindQueue {
		b.rest(k, v)
		return b
	}
	b.frame(v)
	switch k {
	case kindUser:
		b.user(v)
	case kindAssistant:
		b.assistant(v)
	case kindSystem:
		b.system(v)
	case kindContext:
		b.context(v)
	case kindQueued:
		a := v.Get("attachment")
		b.typ = "attachment/queued_command"
		if b.content(a.Get("prompt")); len(b.blocks) == 0 {
			b.strange("prompt", a.Get("prompt"))
		}
		b.who = b.hear().speaker(queuedSpeaker(a))
	case kindQueue:
		b.typ = "queue-operation/" + v.Get("operation").String()
		if b.content(v.Get("content")); len(b.blocks) == 0 {
			b.strange("content", v.Get("content"))
		}
		b.who = b.hear().speaker(person)
	case kindUnknown:
		if b.typ == "" {
			b.typ = "(none)"
		}
	}
	for i := range b.blocks {
		b.blocks[i].written = nil // these bytes are not ours
	}
	return b
}

// rest names the records that are no conversation.
func (b *body) rest(k kind, v kit.Value) {
	if k != kindProgress {
		return
	}
	d := v.Get("data")
	b.typ = "progress/" + d.Get("type").String()
	if d.Get("type").Is("agent_progress") || d.Get("normalizedMessages").Exists() {
		b.subtype = "twin" // the sub-agent's own file says it
	}
}

// frame reads what all records of a conversation carry.
func (b *body) frame(v kit.Value) {
	if t := v.Get("timestamp"); t.Exists() && !t.IsNull() {
		at, ok := kit.ParseTime(t)
		if !ok {
			b.badTime = string(t.Raw())
		}
		b.at = at
	}
	b.cwd, b.branch = v.Get("cwd").String(), v.Get("gitBranch").String()
	if e := v.Get("entrypoint").String(); e != "" {
		b.origin = true
		b.automation = strings.HasPrefix(e, "sdk")
	}
	if s := v.Get("promptSource").String(); s != "" {
		b.origin = true
		b.automation = b.automation || s == "sdk"
	}
}

func (b *body) user(v kit.Value) {
	m := v.Get("message")
	content := m.Get("content")
	if !m.IsObject() || !m.Get("role").IsString() || !content.Exists() {
		b.strange("message", m)
		return
	}
	b.content(content)
	w := b.hear()
	b.who = w.speaker(flagged(v))
	if b.who != person {
		for i := range b.blocks { // a reminder beside the client's own words is one of them
			if b.blocks[i].role == lore.System {
				b.blocks[i].role = ""
			}
		}
	}
	if w.results > 0 {
		b.twin(v.Get("toolUseResult"))
	}
}

// hear tells, as hear does of a content, who speaks in the blocks. A block that is only a <system-reminder> goes to the
// system.
func (b *body) hear() words {
	var w words
	for i := range b.blocks {
		switch p := &b.blocks[i]; {
		case p.role == lore.Tool:
			w.results++
		case p.part.Kind != lore.Text:
			w.others++
		case onlyReminder(p.part.Text):
			p.role = lore.System
			w.reminders++
		default:
			if w.texts++; w.texts == 1 {
				w.who = opening(p.part.Text)
			}
		}
	}
	return w
}

func (b *body) assistant(v kit.Value) {
	m := v.Get("message")
	content := m.Get("content")
	if !m.IsObject() || !m.Get("role").IsString() || !content.Exists() {
		b.strange("message", m)
		return
	}
	b.content(content)
	b.usage = usage(m.Get("usage"))
	if model := m.Get("model").String(); model != synthetic {
		b.model = model
	} else {
		b.subtype = "notice"
	}
	switch {
	case v.Get("isApiErrorMessage").Bool():
		b.subtype = "notice"
	case v.Get("isAbortedMidStream").Bool():
		b.subtype = "incomplete"
	}
}

// synthetic is the model of what the client itself wrote in the model's place.
const synthetic = "<synthetic>"

// usage reads the tokens of one answer; nil when the record does not say. Other providers name them their own way.
func usage(v kit.Value) *lore.Usage {
	if !v.IsObject() {
		return nil
	}
	first := func(names ...string) int64 {
		for _, name := range names {
			if n, ok := v.Get(name).Int(); ok {
				return n
			}
		}
		return 0
	}
	return &lore.Usage{
		Input:      first("input_tokens", "prompt_tokens"),
		Output:     first("output_tokens", "completion_tokens"),
		CacheRead:  first("cache_read_input_tokens"),
		CacheWrite: first("cache_creation_input_tokens"),
	}
}

// strange keeps a value of a shape that this version does not know.
func (b *body) strange(name string, v kit.Value) {
	b.blocks = append(b.blocks, block{part: raw(lore.Unknown, name, v)})
	b.notes = append(b.notes, note{lore.UnexpectedShape, name + " is " + shape(v)})
}

// shape says in a word what a value is.
func shape(v kit.Value) string {
	switch v.Kind() {
	case kit.Null:
		return "null"
	case kit.Bool:
		return "a boolean"
	case kit.Number:
		return "a number"
	case kit.String:
		return "a string"
	case kit.Array:
		return "a list"
	case kit.Object:
		if t := v.Get("type").String(); t != "" {
			return "of type " + t
		}
		return "an object of another shape"
	}
	return "absent"
}
