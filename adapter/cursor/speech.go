package cursor

import (
	"strings"

	"lore"
	"lore/adapter/kit"
)

// speech makes messages of what has a role and a content: a line of a transcript, a blob of a chat. Blocks come in the
// spellings of several libraries.
type speech struct {
	losses *losses
	at     spot
	runs   runs
	time   lore.Time // that stands in the frame around the words
}

// said takes a role and its content apart. False: the role is not known.
func (s *speech) said(role string, content kit.Value) bool {
	s.runs, s.time = nil, lore.Time{}
	switch role {
	case "user", "human":
		s.user(content)
	case "assistant", "ai":
		s.blocks(lore.Assistant, content)
	case "tool":
		if content.IsString() {
			s.runs.add(lore.Tool, "", text(lore.Result, content))
		} else {
			s.blocks(lore.Tool, content)
		}
	case "system", "developer":
		s.blocks(lore.System, content)
		for i := range s.runs {
			if s.runs[i].Role == lore.System {
				s.runs[i].Subtype = subContext
			}
		}
	default:
		return false
	}
	return true
}

// user takes a person's turn apart: where any of its texts has the frame, what stands outside of it is context.
func (s *speech) user(content kit.Value) {
	frame := false
	for _, v := range texts(content) {
		frame = frame || unframe(v.String()).frame
	}
	if content.IsString() {
		s.userText(content.String(), content, frame)
		return
	}
	for block := range content.Items() {
		if v, ok := textOf(block); ok {
			s.userText(v.String(), v, frame)
		} else {
			s.block(lore.User, block)
		}
	}
}

// texts returns the texts of a content: of a plain string, or of the text blocks of a list.
func texts(content kit.Value) (list []kit.Value) {
	if content.IsString() {
		return []kit.Value{content}
	}
	for block := range content.Items() {
		if v, ok := textOf(block); ok {
			list = append(list, v)
		}
	}
	return list
}

func textOf(block kit.Value) (kit.Value, bool) {
	if block.IsString() {
		return block, true
	}
	v := block.Get("text")
	return v, block.Get("type").Is("text") && v.IsString()
}

// userText takes one text of a person's turn apart. It comes from a value, which tells whether it is whole.
func (s *speech) userText(t string, v kit.Value, frame bool) {
	f := unframe(t)
	if f.badTime {
		s.losses.more(lore.BadTime, lore.Warning, s.at, "times that cannot be read", 1)
	}
	if s.time.IsZero() {
		s.time = f.at
	}
	if !f.frame && (frame || strings.HasPrefix(strings.TrimSpace(f.words), userInfo)) {
		if strings.TrimSpace(f.words) != "" {
			s.runs.add(lore.System, subContext, cut(lore.Part{Kind: lore.Text, Text: f.words}, v))
		}
		return
	}
	if f.before != "" {
		s.runs.add(lore.System, subContext, lore.Part{Kind: lore.Text, Text: f.before})
	}
	s.runs.add(lore.User, "", cut(lore.Part{Kind: lore.Text, Text: f.words}, v))
	if f.after != "" {
		s.runs.add(lore.System, subContext, lore.Part{Kind: lore.Text, Text: f.after})
	}
}

// userInfo begins what cursor-agent tells the model about the machine, in the person's place.
const userInfo = "<user_info>"

// blocks takes the content of another role apart.
func (s *speech) blocks(role lore.Role, content kit.Value) {
	switch {
	case content.IsString():
		s.words(role, content)
	case content.IsArray():
		for block := range content.Items() {
			s.block(role, block)
		}
	case content.IsObject():
		s.block(role, content)
	}
}

// redacted is what Cursor writes where it keeps an output to itself.
const redacted = "[REDACTED]"

func (s *speech) words(role lore.Role, v kit.Value) {
	p := text(lore.Text, v)
	if role == lore.Tool {
		p.Kind = lore.Result
	}
	s.redaction(p.Text)
	s.runs.add(role, "", p)
}

func (s *speech) redaction(t string) {
	if strings.HasSuffix(strings.TrimSpace(t), redacted) {
		s.losses.more(lore.TruncatedBySource, lore.Info, s.at, redacted+" in the place of a text", 1)
	}
}

// block takes one block.
func (s *speech) block(role lore.Role, b kit.Value) {
	if b.IsString() {
		s.words(role, b)
		return
	}
	kind := b.Get("type").String()
	switch kind {
	case "text":
		s.words(role, b.Get("text"))
	case "thinking", "reasoning":
		s.runs.add(lore.Assistant, "", thinking(first(b.Get("thinking"), b.Get("text"), b.Get("reasoning"))))
	case "redacted_thinking", "redacted-reasoning":
		s.runs.add(lore.Assistant, "", lore.Part{Kind: lore.Thinking, Unreadable: true})
	case "tool_use", "tool_call", "tool-call", "toolCall":
		s.runs.add(lore.Assistant, "", callPart(b))
	case "tool_result", "tool-result", "toolResult":
		s.result(b)
	case "image", "input_image", "image_url", "file", "media":
		s.runs.add(role, "", media(kind, b))
	default:
		s.losses.unknown(s.at, "block "+kind)
		p := raw(lore.Unknown, b)
		p.Name = clip(kind)
		s.runs.add(role, "", p)
	}
}

// thinking makes a part of thoughts; of those that hold only a signature, one that says that there were some.
func thinking(v kit.Value) lore.Part {
	p := text(lore.Thinking, v)
	p.Unreadable = strings.TrimSpace(p.Text) == ""
	if p.Unreadable {
		p.Text = ""
	}
	return p
}

func callPart(b kit.Value) lore.Part {
	p := raw(lore.Call, first(b.Get("input"), b.Get("args"), b.Get("arguments")))
	p.Name = first(b.Get("name"), b.Get("toolName")).String()
	p.CallID = idOf(first(b.Get("id"), b.Get("toolCallId"), b.Get("tool_use_id")))
	return p
}

// result takes a tool's result: its texts as one, its images behind.
func (s *speech) result(b kit.Value) {
	p := lore.Part{Kind: lore.Result}
	var images []lore.Part
	v := first(b.Get("result"), b.Get("content"), b.Get("output"), b.Get("experimental_content"))
	switch {
	case v.IsArray():
		var list []string
		for block := range v.Items() {
			switch t, ok := textOf(block); {
			case ok:
				list = append(list, t.String())
				p = cut(p, t)
			case block.Get("type").Is("image"):
				images = append(images, media("image", block))
			default:
				list = append(list, valid(block.Raw()))
			}
		}
		p.Text = strings.Join(list, "\n")
	default:
		p = raw(lore.Result, v)
	}
	p.Name = first(b.Get("name"), b.Get("toolName")).String()
	p.CallID = idOf(first(b.Get("tool_use_id"), b.Get("toolCallId"), b.Get("tool_call_id"), b.Get("id")))
	p.IsError = b.Get("is_error").Bool() || b.Get("isError").Bool()
	s.redaction(p.Text)
	s.runs.add(lore.Tool, "", p)
	for _, i := range images {
		s.runs.add(lore.Tool, "", i)
	}
}

// media makes a part of an embedded or named image or file.
func media(kind string, b kit.Value) lore.Part {
	v := first(b.Get("source", "data"), b.Get("source", "url"), b.Get("image_url", "url"), b.Get("image_url"), b.Get("image"), b.Get("data"),
		b.Get("url"), b.Get("path"))
	p := image(v, first(b.Get("source", "media_type"), b.Get("mediaType"), b.Get("mimeType")))
	if v.Kind() != kit.String {
		p.Text = raw(lore.Image, v).Text
	}
	if kind == "file" {
		p.Kind = lore.File
		p.Name = first(b.Get("filename"), b.Get("name")).String()
	}
	return p
}

// own is the role that the words of a turn have.
func own(role string) lore.Role {
	switch role {
	case "user", "human":
		return lore.User
	case "tool":
		return lore.Tool
	case "system", "developer":
		return lore.System
	}
	return lore.Assistant
}
