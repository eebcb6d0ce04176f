package crush

import (
	"strings"

	"lore"
	"lore/adapter/kit"
)

// The subtypes of what is no plain speech.
const (
	subContext    = "context"
	subNotice     = "notice"
	subCompaction = "compaction"
	subShell      = "shell"
)

// blocks takes the parts of a message, a list of {type, data}.
func (t *talk) blocks(m *message, v kit.Value) {
	role, sub := m.own()
	if !v.IsArray() {
		t.lost.more(lore.UnexpectedShape, lore.Warning, m.unit, "parts that are no list, kept raw")
		m.say(role, sub, kit.UnknownPart("parts", v))
		return
	}
	for block := range v.Items() {
		t.block(m, block)
	}
	m.answered()
}

// block takes one part of a message.
func (t *talk) block(m *message, v kit.Value) {
	role, sub := m.own()
	data := v.Get("data")
	switch typ := v.Get("type").String(); typ {
	case "text":
		kind := lore.Text
		switch {
		case data.Get("hidden").Bool():
			role, sub = lore.System, subContext
		case role == lore.Tool:
			kind = lore.Result
		}
		m.say(role, sub, kit.TextPart(kind, data.Get("text")))
	case "reasoning":
		p := kit.TextPart(lore.Thinking, data.Get("thinking"))
		p.Unreadable = p.Text == "" && (data.Get("signature").String()+data.Get("thought_signature").String() != "" || data.Get("responses_data").Len() > 0)
		if p.Text != "" || p.Unreadable {
			m.say(role, sub, p)
		}
	case "tool_call":
		p := kit.RawPart(lore.Call, data.Get("input"))
		p.Name, p.CallID = data.Get("name").String(), data.Get("id").String()
		m.say(lore.Assistant, "", p)
	case "tool_result":
		m.say(lore.Tool, "", resultParts(data)...)
	case "shell_command":
		m.shell(data)
	case "image_url":
		m.say(role, sub, kit.MediaPart(lore.Image, data.Get("url"), "", false))
	case "binary":
		m.say(role, sub, binaryPart(data))
	case "finish":
		m.finish(data)
	default:
		t.lost.more(lore.UnknownRecord, lore.Info, m.unit, "part of type "+kit.Clip(typ))
		m.say(role, sub, kit.UnknownPart(typ, v))
	}
}

// say adds to the run at the end, or begins another. Results that wait come first.
func (m *message) say(role lore.Role, sub string, parts ...lore.Part) {
	m.answered()
	m.add(role, sub, parts...)
}

func (m *message) add(role lore.Role, sub string, parts ...lore.Part) {
	if n := len(m.runs); n > 0 && m.runs[n-1].role == role && m.runs[n-1].subtype == sub {
		m.runs[n-1].parts = append(m.runs[n-1].parts, parts...)
		return
	}
	m.runs = append(m.runs, run{role, sub, parts})
}

// answered says the results that wait.
func (m *message) answered() {
	if results := m.results; len(results) > 0 {
		m.results = nil
		m.add(lore.Tool, "", results...)
	}
}

// shell takes a command and its output. One that a person ran is no speech of theirs.
func (m *message) shell(data kit.Value) {
	role, sub := m.own()
	if role == lore.User {
		role, sub = lore.System, subShell
	}
	call := kit.RawPart(lore.Call, data.Get("command"))
	call.Name = "shell"
	m.add(role, sub, call)
	result := kit.RawPart(lore.Result, data.Get("output"))
	code, _ := data.Get("exit_code").Int()
	result.Name, result.IsError = "shell", code != 0
	m.results = append(m.results, result)
}

// finish takes the end of an answer: an error that ended it is told, and its time where the message has none.
func (m *message) finish(data kit.Value) {
	if n, ok := data.Get("time").Int(); ok && n > 0 && m.at.IsZero() {
		m.at, _ = kit.ParseTime(data.Get("time"))
	}
	var words []string
	for _, key := range []string{"message", "details"} {
		if s := data.Get(key).String(); s != "" {
			words = append(words, s)
		}
	}
	if len(words) > 0 {
		m.say(lore.System, subNotice, lore.Part{Kind: lore.Text, Text: strings.Join(words, ": ")})
	}
}

// resultParts makes a result of what a tool gave back, and of the image or file with it.
func resultParts(data kit.Value) []lore.Part {
	p := kit.RawPart(lore.Result, data.Get("content"))
	p.Name, p.CallID, p.IsError = data.Get("name").String(), data.Get("tool_call_id").String(), data.Get("is_error").Bool()
	parts := []lore.Part{p}
	if bytes := data.Get("data"); bytes.String() != "" {
		mime := data.Get("mime_type").String()
		parts = append(parts, kit.MediaPart(mediaKind(mime), bytes, mime, true))
	}
	return parts
}

// binaryPart makes an image or file of bytes. The names of its fields are Go's own.
func binaryPart(data kit.Value) lore.Part {
	field := func(names ...string) kit.Value {
		for _, name := range names {
			if v := data.Get(name); v.Exists() {
				return v
			}
		}
		return kit.Value{}
	}
	mime := field("MIMEType", "mime_type").String()
	p := kit.MediaPart(mediaKind(mime), field("Data", "data"), mime, true)
	p.Name = field("Path", "path").String()
	return p
}

func mediaKind(mime string) lore.PartKind {
	if strings.HasPrefix(mime, "image/") {
		return lore.Image
	}
	return lore.File
}
