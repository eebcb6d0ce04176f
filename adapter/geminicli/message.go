package geminicli

import (
	"lore"
	"lore/adapter/kit"
)

// builder makes the messages of one record: one for each run of one role, in the record's order, the results of calls
// behind the message that made them.
type builder struct {
	*chat
	f      *file
	at     ref
	quiet  bool // the record is only compared: what is lost in it is told elsewhere
	runs   []run
	joined bool // the last part is a text that the next one goes on
	files  bool // inside of the content of referenced files

	calls   []string // ids of the calls, for what answers them
	agents  []agent
	dirs    []string       // folders that calls name
	sides   []lore.Locator // files that hold outputs of the calls
	missing string         // such a file that is not there
}

// record makes the messages of a record; none when it says nothing.
func (b *builder) record(v kit.Value) []lore.Message {
	content := first(v.Get("content"), v.Get("parts"))
	switch b.at.kind {
	case kindNotice:
		b.notice(content)
	case kindModel:
		b.answer(v, content)
	default:
		b.prompt(v, content)
	}
	return b.messages(v)
}

func (b *builder) notice(content kit.Value) {
	b.runs = append(b.runs, run{role: lore.System, subtype: "notice"})
	for p := range elements(content) {
		b.add(lore.System, "notice", raw(lore.Text, textOf(p)))
	}
}

// prompt makes what stands in a user message. Where the tool expanded what was typed (a command, mostly), both are kept:
// the typed words as the person's, the expanded ones as context.
func (b *builder) prompt(v, content kit.Value) {
	typed := v.Get("displayContent")
	if !holds(typed) {
		for p := range elements(content) {
			b.userPart(p)
		}
	} else {
		b.expanded(typed, content)
	}
	if len(b.runs) == 0 {
		b.runs = append(b.runs, run{role: lore.User})
	}
}

func (b *builder) expanded(typed, content kit.Value) {
	for p := range elements(typed) {
		b.userPart(p)
	}
	for p := range elements(content) { // what was attached to the words
		if !textOf(p).IsString() {
			b.userPart(p)
		}
	}
	if plain(content) == plain(typed) {
		return
	}
	for p := range elements(content) {
		switch s := textOf(p); {
		case !s.IsString():
		case aside(s.String()) != "":
			b.userPart(p)
		case len(s.Raw()) > 2:
			b.add(lore.System, "context", text(lore.Text, s))
		}
	}
}

// plain is the text of a content without its structure.
func plain(content kit.Value) string {
	var all []byte
	for p := range elements(content) {
		all = textOf(p).AppendString(all)
	}
	return string(all)
}

// userPart puts a part of a user message to the one who said it.
func (b *builder) userPart(p kit.Value) {
	if r := p.Get("functionResponse"); holds(r) {
		b.response(r, r.Get("name").String(), r.Get("id").String(), false)
		return
	}
	s := textOf(p)
	if !s.IsString() {
		b.add(lore.User, "", b.block(p))
		return
	}
	if len(s.Raw()) == 2 {
		return // an empty text says nothing
	}
	role, subtype := lore.User, aside(s.String())
	switch line := s.String(); {
	case subtype != "":
		role = lore.System
	case isLine(line, filesBegin):
		b.files = true
		role, subtype = lore.System, "context"
	case b.files:
		b.files = !isLine(line, filesEnd)
		role, subtype = lore.System, "context"
	}
	if subtype == "context" && !b.files {
		b.workspace(s.String())
	}
	b.add(role, subtype, text(lore.Text, s))
}

// answer makes what the model wrote: thoughts, words and calls in one message, then what the calls gave.
func (b *builder) answer(v, content kit.Value) {
	b.runs = append(b.runs, run{role: lore.Assistant})
	for t := range v.Get("thoughts").Items() {
		b.add(lore.Assistant, "", thought(t))
	}
	var responses []kit.Value
	for p := range elements(content) {
		switch {
		case holds(p.Get("functionResponse")):
			responses = append(responses, p.Get("functionResponse"))
		case holds(p.Get("functionCall")):
			c := p.Get("functionCall")
			b.call(c, c.Get("id").String())
		case p.Get("thought").Bool() && textOf(p).IsString():
			b.add(lore.Assistant, "", text(lore.Thinking, textOf(p)))
		case textOf(p).IsString():
			if s := textOf(p); len(s.Raw()) > 2 {
				b.add(lore.Assistant, "", text(lore.Text, s))
			}
		default:
			b.add(lore.Assistant, "", b.block(p))
		}
	}
	b.joined = false
	b.tools(v.Get("toolCalls"))
	for _, r := range responses {
		b.response(r, r.Get("name").String(), r.Get("id").String(), false)
	}
}

// thought makes a part of a thought: its subject over what it says.
func thought(v kit.Value) lore.Part {
	if !v.IsObject() {
		return raw(lore.Thinking, v)
	}
	p := text(lore.Thinking, v.Get("description"))
	if s := v.Get("subject").String(); s != "" {
		if p.Text != "" {
			s += "\n" + p.Text
		}
		p.Text = s
	}
	return p
}

// block makes a part of what is no text.
func (b *builder) block(p kit.Value) lore.Part {
	switch {
	case p.Get("inlineData").IsObject():
		return blob(p.Get("inlineData"))
	case p.Get("fileData").IsObject():
		return reference(p.Get("fileData"))
	case p.Get("executableCode").IsObject():
		c := text(lore.Call, p.Get("executableCode", "code"))
		c.Name = "code_execution"
		return c
	case p.Get("codeExecutionResult").IsObject():
		r := text(lore.Result, p.Get("codeExecutionResult", "output"))
		r.Name = "code_execution"
		return r
	}
	u := raw(lore.Unknown, p)
	for key := range p.Fields() {
		u.Name = clip(key)
		break
	}
	if !b.quiet {
		b.losses.more(b.f, lore.UnexpectedShape, lore.Info, int(b.at.line), "part "+u.Name, 1)
	}
	return u
}

// elements are the parts of a content: of a list its elements, else the value itself.
func elements(content kit.Value) func(func(kit.Value) bool) {
	return func(yield func(kit.Value) bool) {
		switch {
		case !holds(content):
		case content.IsArray():
			content.Items()(yield)
		default:
			yield(content)
		}
	}
}

// textOf returns the text of a part: a string, or an object that holds one.
func textOf(p kit.Value) kit.Value {
	if p.IsObject() {
		return p.Get("text")
	}
	return p
}

// isLine reports whether a text is one of the lines by which the tool frames what it puts into a prompt.
func isLine(s, line string) bool {
	return len(s) <= len(line)+2 && len(s) >= len(line) && trimLine(s) == line
}

func trimLine(s string) string {
	for len(s) > 0 && s[0] == '\n' {
		s = s[1:]
	}
	for len(s) > 0 && s[len(s)-1] == '\n' {
		s = s[:len(s)-1]
	}
	return s
}
