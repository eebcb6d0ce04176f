package antigravity

import (
	"strings"

	"lore"
	"lore/adapter/kit"
)

// request frames what the person said in a prompt; the others frame what is sent with it.
const request = "USER_REQUEST"

var frames = []string{request, "ADDITIONAL_METADATA", "USER_SETTINGS_CHANGE", "EPHEMERAL_MESSAGE", "SYSTEM_MESSAGE"}

// prompt makes the messages of what was typed: the words in their frame are the person's, the other frames are not. A
// prompt in no such frame is the person's as a whole.
func (w *writer) prompt(content kit.Value, by string, cut bool) []lore.Message {
	if by != "USER_EXPLICIT" && by != "user" {
		return []lore.Message{{Role: lore.System, Subtype: subContext, Parts: []lore.Part{kit.RawPart(lore.Text, content)}}}
	}
	if !content.IsString() {
		return []lore.Message{{Role: lore.User, Parts: []lore.Part{kit.RawPart(lore.Text, content)}}}
	}
	var list []lore.Message
	for _, f := range split(content.String(), cut) {
		p := lore.Part{Kind: lore.Text, Text: f.text}
		if content.Cut() {
			p.Cut, p.Bytes = true, content.Size()
		}
		if f.name == request {
			list = append(list, lore.Message{Role: lore.User, Parts: []lore.Part{p}})
			continue
		}
		if model := changedModel(f.text); model != "" && f.name == "USER_SETTINGS_CHANGE" {
			w.model = model
		}
		if n := len(list); n > 0 && list[n-1].Role == lore.System {
			list[n-1].Parts = append(list[n-1].Parts, p)
			continue
		}
		list = append(list, lore.Message{Role: lore.System, Subtype: subContext, Parts: []lore.Part{p}})
	}
	return list
}

// framed is one frame of a prompt: the text of a request without its tags, of any other frame with them.
type framed struct{ name, text string }

// split takes a prompt apart into its frames; where it is not made of known frames alone, it is one request. The last
// frame of a prompt that was cut has lost its end.
func split(s string, cut bool) []framed {
	list := frameList(strings.TrimSpace(s), cut, false)
	for _, f := range list {
		if f.name == request {
			return list
		}
	}
	return []framed{{request, s}}
}

// maxEnds bounds how many possible ends of a request are tried.
const maxEnds = 32

// frameList parses frames one after the other; nil when something else stands between them, or a second request. A person
// may quote the tag that ends a request: it ends where only frames follow.
func frameList(s string, cut, asked bool) []framed {
	name := frameAt(s)
	if name == "" || name == request && asked {
		return nil
	}
	closing := "</" + name + ">"
	end := len(name) + 2
	for try := 0; try < maxEnds && (try == 0 || name == request); try++ {
		i := strings.Index(s[end:], closing)
		if i < 0 {
			break
		}
		end += i + len(closing)
		rest := strings.TrimSpace(s[end:])
		if rest == "" {
			return []framed{frameOf(name, s[:end])}
		}
		if more := frameList(rest, cut, asked || name == request); more != nil {
			return append([]framed{frameOf(name, s[:end])}, more...)
		}
	}
	if cut && !strings.Contains(s, closing) {
		return []framed{frameOf(name, s)}
	}
	return nil
}

// frameAt returns which frame a text begins with; "" for none.
func frameAt(s string) string {
	for _, f := range frames {
		if strings.HasPrefix(s, "<"+f+">") {
			return f
		}
	}
	return ""
}

func frameOf(name, s string) framed {
	if name != request {
		return framed{name, s}
	}
	s = strings.TrimSuffix(strings.TrimPrefix(s, "<"+request+">"), "</"+request+">")
	return framed{name, strings.TrimSuffix(strings.TrimPrefix(s, "\n"), "\n")}
}

// changedModel returns the model that a note says was chosen: "... `Model Selection` from A to B."
func changedModel(note string) string {
	_, rest, ok := strings.Cut(note, "`Model Selection` from ")
	if !ok {
		return ""
	}
	_, rest, ok = strings.Cut(rest, " to ")
	if !ok {
		return ""
	}
	rest, _, _ = strings.Cut(rest, "\n")
	rest, _, _ = strings.Cut(rest, ". ")
	rest = strings.TrimSuffix(strings.TrimSpace(rest), ".")
	if rest == "None" {
		return ""
	}
	return rest
}
