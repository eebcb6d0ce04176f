package copilot

import (
	"strings"

	"lore"
	"lore/adapter/kit"
)

// invoke tells a call that the answer shows, with the arguments and the result that its round tells, if it has one.
func (e *emitter) invoke(n *node, v kit.Value, cut bool, round *called, c *calls) {
	id, tool := v.Get("toolCallId").String(), v.Get("toolId").String()
	input, output := accounts(v, tool)
	part := e.whole(lore.Part{Kind: lore.Call, Name: tool, CallID: id, Text: input}, n, cut)
	failed := v.Get("resultDetails", "isError").Bool() || isSaid(v.Get("resultError"))
	var pictures []lore.Part
	for o := range v.Get("resultDetails", "output").Items() {
		if media := o.Get("mimeType").String(); media != "" && !o.Get("isText").Bool() && o.Get("value").IsString() {
			pictures = append(pictures, picture(o.Get("value"), media))
		}
	}
	from := c.results[plainCall(id)] // v is spent from here on
	if round != nil {
		e.arguments(&part, round)
		if r := c.results[plainCall(round.id)]; r != nil && round.id != "" {
			from = r
		}
	}
	results := e.toolResult(from, id, tool)
	if len(results) > 0 {
		results[0].part.IsError = results[0].part.IsError || failed
	} else if output != "" || failed || len(pictures) > 0 {
		results = []result{{lore.Part{Kind: lore.Result, Name: tool, CallID: id, Text: output, IsError: failed}, n.unit}}
		for _, p := range pictures {
			p.CallID = id
			results = append(results, result{p, n.unit})
		}
	}
	e.call(part, n.unit, results)
	if round != nil {
		e.units.show(round.node.unit)
	}
}

// arguments gives a call the arguments that its round has: a string that holds JSON, or JSON.
func (e *emitter) arguments(part *lore.Part, round *called) {
	if round.args.isNull() {
		return
	}
	a, cut := e.value(round.args)
	text := a.String()
	if !a.IsString() {
		text = plainText(a.Raw())
	}
	if text == "" {
		return
	}
	part.Text, part.Cut, part.Bytes = text, false, 0
	if cut {
		part.Cut, part.Bytes = true, round.args.len
		e.oversized(round.args)
	}
	e.units.show(round.args.unit)
}

// accounts returns what an invocation itself says of its input and of what came of it.
func accounts(v kit.Value, tool string) (input, output string) {
	details, data := v.Get("resultDetails"), v.Get("toolSpecificData")
	input, output = specific(data)
	if t := details.Get("input"); t.IsString() {
		input = t.String()
	}
	switch {
	case details.IsArray():
		output = placesOf(details)
	case details.Get("output").IsArray():
		output = outputs(details.Get("output"))
	}
	doing, done := messageOf(v.Get("invocationMessage")), messageOf(v.Get("pastTenseMessage"))
	if input == "" {
		input = doing
	}
	if input == "" {
		input, done = done, ""
	}
	if output == "" && done != input {
		output = done
	}
	return input, output
}

// specific reads what the editor keeps of calls of its own tools. Where that holds the output too, the input alone is the
// call's.
func specific(data kit.Value) (input, output string) {
	switch data.Get("kind").String() {
	case "input":
		return rawOf(data.Get("rawInput")), ""
	case "simpleToolInvocation":
		return data.Get("input").String(), data.Get("output").String()
	case "terminal":
		output = data.Get("terminalCommandOutput", "text").String()
		if output == "" {
			return rawOf(data), ""
		}
		if line := data.Get("commandLine"); line.IsObject() {
			return rawOf(line), output
		}
		return data.Get("command").String(), output
	case "subagent":
		if output = data.Get("result").String(); output != "" && data.Get("prompt").IsString() {
			return data.Get("prompt").String(), output
		}
		return rawOf(data), output
	}
	return rawOf(data), ""
}

// rawOf returns a string's text, and of all else its JSON as written.
func rawOf(v kit.Value) string {
	switch v.Kind() {
	case kit.String:
		return v.String()
	case kit.Absent, kit.Null:
		return ""
	}
	return plainText(v.Raw())
}

// placesOf lists files and other places, one a line.
func placesOf(v kit.Value) string {
	var lines []string
	for at := range v.Items() {
		if _, name, ok := uriOf(at); ok {
			lines = append(lines, name)
		}
	}
	return strings.Join(lines, "\n")
}

// outputs joins the texts of a result.
func outputs(v kit.Value) string {
	var texts []string
	for o := range v.Items() {
		switch value := o.Get("value"); {
		case o.IsString():
			texts = append(texts, o.String())
		case value.IsString() && (o.Get("isText").Bool() || o.Get("mimeType").String() == ""):
			texts = append(texts, value.String())
		case o.Get("uri").Exists():
			if _, name, ok := uriOf(o); ok {
				texts = append(texts, name)
			}
		}
	}
	return strings.Join(texts, "\n")
}

// extras tells what only the rounds have.
func (e *emitter) extras(list []extra, c *calls) {
	for _, x := range list {
		switch x.what {
		case 'c':
			part := lore.Part{Kind: lore.Call, Name: x.call.name, CallID: x.call.id}
			e.arguments(&part, x.call)
			var results []result
			if x.call.id != "" {
				results = e.toolResult(c.results[plainCall(x.call.id)], x.call.id, x.call.name)
			}
			e.call(part, x.call.node.unit, results)
		case 't':
			if v, cut := e.value(e.thought(x.node)); v.Exists() {
				if t := joined(v); t != "" {
					e.say(lore.Assistant, "", e.whole(lore.Part{Kind: lore.Thinking, Text: t}, x.node, cut), x.node.unit)
				}
			}
		case 'w':
			v, cut := e.value(x.node)
			e.say(lore.Assistant, "", e.whole(lore.Part{Kind: lore.Text, Text: v.String()}, x.node, cut), x.node.unit)
		}
	}
}

// thought returns the words of a round's thinking; its other members are ciphers and marks.
func (e *emitter) thought(n *node) *node {
	if n.isObject() {
		return e.get(n, "text")
	}
	return n
}

// joined returns a text that may be a list of pieces.
func joined(v kit.Value) string {
	if !v.IsArray() {
		return v.String()
	}
	var b strings.Builder
	for w := range v.Items() {
		b.WriteString(w.String())
	}
	return b.String()
}

// prepare tells a call that was announced. Mostly its invocation follows and says more; one that never came is a call
// without input.
func (e *emitter) prepare(n *node, i int, tool string, seen *look) {
	for _, v := range seen.invocations {
		if v.at > i && !v.announced && sameTool(v.tool, tool) {
			v.announced = true
			return
		}
	}
	e.losses.more(n.src, lore.UnpairedCall, lore.Info, e.lineOf(n), "a call that was announced and never made", 1)
	e.call(lore.Part{Kind: lore.Call, Name: tool}, n.unit, nil)
}

// carousel tells questions that the person was asked, and the answers. Where a call shows the questions too, only the
// answers are told.
func (e *emitter) carousel(n *node, v kit.Value, seen *look) {
	const name = "questionCarousel"
	id := v.Get("resolveId").String()
	var answers []result
	if data := v.Get("data"); isSaid(data) {
		answers = []result{{lore.Part{Kind: lore.Result, Name: name, CallID: id, Text: plainText(data.Raw())}, n.unit}}
	}
	for _, i := range seen.invocations {
		if id != "" && plainCall(i.id) == plainCall(id) {
			e.finishSentence()
			e.pending = append(e.pending, answers...)
			return
		}
	}
	e.call(lore.Part{Kind: lore.Call, Name: name, CallID: id, Text: plainText(v.Get("questions").Raw())}, n.unit, answers)
}
