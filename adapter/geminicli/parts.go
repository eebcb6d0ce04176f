package geminicli

import (
	"strings"

	"lore"
	"lore/adapter/kit"
)

// text makes a part of a string value; a cut one says so.
func text(kind lore.PartKind, v kit.Value) lore.Part {
	p := lore.Part{Kind: kind, Text: v.String()}
	if v.Cut() {
		p.Cut, p.Bytes = true, v.Size()
	}
	return p
}

// raw makes a part of any value: a string by its text, all else as it is written.
func raw(kind lore.PartKind, v kit.Value) lore.Part {
	switch v.Kind() {
	case kit.String:
		return text(kind, v)
	case kit.Absent, kit.Null:
		return lore.Part{Kind: kind}
	}
	p := lore.Part{Kind: kind, Text: strings.ToValidUTF8(string(v.Raw()), "\ufffd")}
	if v.Cut() {
		p.Cut, p.Bytes = true, v.Size()
	}
	return p
}

// holds reports whether a value says anything.
func holds(v kit.Value) bool { return v.Exists() && !v.IsNull() }

// first returns the first of the values that says anything.
func first(values ...kit.Value) kit.Value {
	for _, v := range values {
		if holds(v) {
			return v
		}
	}
	return kit.Value{}
}

// blob makes a part of embedded bytes: by digest, or of the value as it is written where it is no base64.
func blob(v kit.Value) lore.Part {
	media := v.Get("mimeType").String()
	p := lore.Part{Kind: lore.File, MediaType: media, Name: v.Get("displayName").String()}
	if strings.HasPrefix(media, "image/") {
		p.Kind = lore.Image
	}
	data := v.Get("data")
	if data.Cut() {
		p.Cut, p.Bytes = true, data.Size()
		return p
	}
	if b, ok := kit.Base64(data, media); ok {
		p.Text, p.Bytes = b.Ref, b.Bytes
	} else {
		p.Text = data.String()
	}
	return p
}

// reference makes a part of a file that is named and not embedded.
func reference(v kit.Value) lore.Part {
	media := v.Get("mimeType").String()
	p := lore.Part{Kind: lore.File, MediaType: media, Text: v.Get("fileUri").String(), Name: v.Get("displayName").String()}
	if strings.HasPrefix(media, "image/") {
		p.Kind = lore.Image
	}
	return p
}

// Parts of user messages that the tool puts there itself.
const (
	filesBegin = "--- Content from referenced files ---"
	filesEnd   = "--- End of content ---"
)

// aside tells what a text in a user message is that no person typed; "" for what a person may have typed. Each is known
// by the whole frame that the tool puts around it.
func aside(s string) string {
	s = strings.TrimSpace(s)
	switch {
	case framed(s, "session_context"):
		return "context"
	case framed(s, "hook_context"):
		return "hook"
	case strings.HasPrefix(s, "<state_snapshot>"):
		return "compaction"
	case s == "System: Please continue.":
		return "notice"
	}
	for _, begin := range preludes {
		if strings.HasPrefix(s, begin) {
			return "context"
		}
	}
	return ""
}

// preludes begin the texts with which the tool tells the model where it is.
var preludes = []string{
	"This is the Gemini CLI. We are setting up the context for our chat.",
	"Here is the user's editor context as a JSON object",
	"Here is a summary of changes in the user's editor context",
}

func framed(s, tag string) bool {
	return strings.HasPrefix(s, "<"+tag+">") && strings.HasSuffix(s, "</"+tag+">")
}

// isContext reports whether a user message holds nothing that a person typed and nothing that a tool answered.
func isContext(v kit.Value) bool {
	if holds(v.Get("displayContent")) {
		return false
	}
	content := first(v.Get("content"), v.Get("parts"))
	if content.IsString() {
		return aside(content.String()) != ""
	}
	if !content.IsArray() {
		return false
	}
	n := 0
	for p := range content.Items() {
		s := p
		if p.IsObject() {
			s = p.Get("text")
		}
		if !s.IsString() || aside(s.String()) == "" {
			return false
		}
		n++
	}
	return n > 0
}

// isCommand reports whether a typed text is a command to the tool: a slash and a word, not a path.
func isCommand(s string) bool {
	word, _, _ := strings.Cut(strings.TrimSpace(s), " ")
	if len(word) < 2 || word[0] != '/' {
		return false
	}
	return !strings.ContainsAny(word[1:], "/*.\n")
}
