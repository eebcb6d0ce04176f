package cline

import (
	"strings"

	"lore"
	"lore/adapter/kit"
)

// run is a stretch of one role in a request.
type run struct {
	role    lore.Role
	subtype string
	parts   []lore.Part
}

// runs parts a request into stretches of one role, in its order.
type runs struct {
	list    []run
	waiting string // name of a call whose result stands in the blocks to come
	strange []string
}

// runsOf reads one entry of the history that the model gets.
func runsOf(v kit.Value) *runs {
	r := &runs{}
	content := v.Get("content")
	person := v.Get("role").Is("user")
	if content.IsString() {
		r.text(person, content)
	}
	for b := range content.Items() {
		r.block(person, b)
	}
	if len(r.list) == 0 {
		role := lore.Assistant
		if person {
			role = lore.User
		}
		r.list = append(r.list, run{role: role})
	}
	if v.Get("isSummary").Bool() {
		for i := range r.list {
			r.list[i].role, r.list[i].subtype = lore.System, "compaction"
		}
	}
	return r
}

func (r *runs) add(role lore.Role, subtype string, p lore.Part) {
	if n := len(r.list); n > 0 && r.list[n-1].role == role && r.list[n-1].subtype == subtype {
		r.list[n-1].parts = append(r.list[n-1].parts, p)
		return
	}
	r.list = append(r.list, run{role, subtype, []lore.Part{p}})
}

func (r *runs) block(person bool, b kit.Value) {
	speaker := lore.Assistant
	if person {
		speaker = lore.User
	}
	switch typ := b.Get("type").String(); typ {
	case "text":
		r.text(person, b.Get("text"))
	case "thinking", "reasoning":
		words := b.Get("thinking")
		if !words.Exists() {
			words = b.Get("text")
		}
		r.add(lore.Assistant, "", kit.TextPart(lore.Thinking, words))
	case "redacted_thinking":
		r.add(lore.Assistant, "", lore.Part{Kind: lore.Thinking, Unreadable: true})
	case "tool_use":
		p := kit.RawPart(lore.Call, b.Get("input"))
		p.Name, p.CallID = b.Get("name").String(), b.Get("id").String()
		r.call(p)
	case "tool_result":
		r.result(b)
	case "image":
		p := imagePart(b)
		if r.waiting != "" {
			speaker = lore.Tool
		}
		r.add(speaker, "", p)
	default:
		r.strange = append(r.strange, typ)
		r.add(lore.System, "", kit.UnknownPart(typ, b))
	}
}

func imagePart(b kit.Value) lore.Part {
	src := b.Get("source")
	data, base64 := src.Get("data"), true
	if !data.Exists() {
		data, base64 = src.Get("url"), false
	}
	return kit.MediaPart(lore.Image, data, src.Get("media_type").String(), base64)
}

// call adds a call, and what it says to the person as words.
func (r *runs) call(p lore.Part) {
	r.add(lore.Assistant, "", p)
	if key := spoken[p.Name]; key != "" {
		if words := argument(p.Text, key); words != "" {
			r.add(lore.Assistant, "", lore.Part{Kind: lore.Text, Text: words})
		}
	}
}

func (r *runs) result(b kit.Value) {
	content := b.Get("content")
	part := lore.Part{Kind: lore.Result, CallID: b.Get("tool_use_id").String(), IsError: b.Get("is_error").Bool()}
	if content.IsString() || !content.IsArray() {
		p := kit.RawPart(lore.Result, content)
		part.Text, part.Cut, part.Bytes = p.Text, p.Cut, p.Bytes
		r.answered(part)
		return
	}
	any := false
	for inner := range content.Items() {
		switch typ := inner.Get("type").String(); typ {
		case "text":
			part.Text = inner.Get("text").String()
			r.answered(part)
			any = true
		case "image":
			r.add(lore.Tool, "", imagePart(inner))
		default:
			r.strange = append(r.strange, typ)
			r.add(lore.Tool, "", kit.UnknownPart(typ, inner))
		}
	}
	if !any {
		part.Text = ""
		r.add(lore.Tool, "", part)
	}
}

// answered adds a result. What the person says in it is a message of the person.
func (r *runs) answered(p lore.Part) {
	rest, notes := cutEnvironment(p.Text)
	before, typed, ok := cutReply(rest)
	if ok {
		rest = before
	}
	p.Text = rest
	r.add(lore.Tool, "", p)
	if ok {
		r.add(lore.User, "", lore.Part{Kind: lore.Text, Text: typed})
	}
	if notes != "" {
		r.add(lore.System, "context", lore.Part{Kind: lore.Text, Text: notes})
	}
}

func (r *runs) text(person bool, v kit.Value) {
	if !person {
		r.tags(v)
		return
	}
	p := kit.TextPart(lore.Text, v)
	rest, notes := cutEnvironment(p.Text)
	p.Text = rest
	if rest != "" || notes == "" {
		r.typed(p)
	}
	if notes != "" {
		r.waiting = ""
		r.add(lore.System, "context", lore.Part{Kind: lore.Text, Text: notes})
	}
}

// typed adds a text of a request's user block: a person's words, or what the tool writes in that place.
func (r *runs) typed(p lore.Part) {
	name, body, isResult := cutResult(p.Text)
	typed, around, isTask := cutTask(p.Text)
	before, reply, isReply := cutReply(p.Text)
	switch {
	case isResult && strings.TrimSpace(body) == "":
		r.waiting = name
		r.list = append(r.list, run{role: lore.Tool, parts: []lore.Part{{Kind: lore.Result, Name: name}}})
	case isResult:
		r.waiting = ""
		r.answered(lore.Part{Kind: lore.Result, Name: name, Text: body, Cut: p.Cut, Bytes: p.Bytes})
	case isTask:
		p.Text = typed
		r.add(lore.User, "", p)
		if around != "" {
			r.add(lore.System, "context", lore.Part{Kind: lore.Text, Text: around})
		}
	case isReply:
		if before != "" {
			r.add(lore.System, "notice", lore.Part{Kind: lore.Text, Text: before})
		}
		r.waiting = ""
		r.add(lore.User, "", lore.Part{Kind: lore.Text, Text: reply})
	case isNotice(p.Text):
		r.waiting = ""
		r.add(lore.System, "notice", p)
	case r.waiting != "":
		last := &r.list[len(r.list)-1]
		if part := &last.parts[len(last.parts)-1]; part.Kind == lore.Result && part.Text == "" {
			part.Text, part.Cut, part.Bytes = p.Text, p.Cut, p.Bytes
		} else {
			r.add(lore.Tool, "", lore.Part{Kind: lore.Result, Name: r.waiting, Text: p.Text, Cut: p.Cut, Bytes: p.Bytes})
		}
		r.waiting = ""
	default:
		r.add(lore.User, "", p)
	}
}

// tags adds an assistant's text, with the thinking and the calls that older versions wrote into it.
func (r *runs) tags(v kit.Value) {
	whole := kit.TextPart(lore.Text, v)
	for _, x := range cutTags(whole.Text) {
		p := whole
		p.Text = x.text
		switch x.name {
		case "":
			r.add(lore.Assistant, "", p)
		case "thinking":
			p.Kind = lore.Thinking
			r.add(lore.Assistant, "", p)
		default:
			p.Kind, p.Name = lore.Call, x.name
			r.call(p)
		}
	}
}
