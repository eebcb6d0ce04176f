package copilot

import (
	"lore"
	"lore/adapter/kit"
)

// turn makes the messages of one request: the prompt, what the answer was before, and the answer.
func (e *emitter) turn(t *turn) {
	if t.req == nil {
		e.scripted(t.script.events, true)
		return
	}
	before, size := len(e.messages), e.size
	e.begin(t)
	role := lore.User
	if e.yes(e.get(t.req, "isSystemInitiated")) {
		role = lore.System
	}
	e.prompt(t, role)
	e.answerTime(t.req)
	seen := e.look(t)
	e.former(t, seen)
	e.answer(t, seen)
	e.canceled(t)
	e.summary(t)
	if failure := e.get(t.req, "result", "errorDetails", "message"); failure.isString() {
		v, _ := e.value(failure)
		e.notice(v.String(), failure.unit)
	}
	e.endTurn()
	if t.script != nil && !e.now.answered {
		e.scripted(t.script.events[1:], !t.gone)
	}
	if len(e.messages) == before && e.size == size {
		e.units.pass(t.req.unit, "request without content")
	}
	e.silent(t.req)
}

// silent notes what stands in a request and says nothing, so that it is not taken for overruled.
func (e *emitter) silent(req *node) {
	m := e.of(req)
	for i, key := range m.keys {
		if k := m.kids[i]; k != nil {
			e.units.pass(k.unit, "requests."+key)
		}
	}
}

// begin finds out what the messages of a request have in common.
func (e *emitter) begin(t *turn) {
	e.now = voice{active: !t.gone && !e.withdrawn(t.req), twins: t.twins}
	if id := e.text(e.shownText(e.get(t.req, "responseId"))); id != "" {
		e.now.answer = id
	} else {
		e.now.answer = kit.SplitNative(lore.Assistant, t.id)
	}
	for _, at := range []*node{e.get(t.req, "result", "metadata", "resolvedModel"), e.get(t.req, "modelId")} {
		if model := e.text(at); model != "" {
			e.now.model = model
			e.units.show(at.unit)
			break
		}
	}
	e.now.usage = e.usage(t.req)
	e.now.at, e.now.from = e.time(e.get(t.req, "timestamp"), t.req)
}

// shownText notes that the record shows a value.
func (e *emitter) shownText(n *node) *node {
	if n != nil {
		e.units.show(n.unit)
	}
	return n
}

// withdrawn reports whether a request is marked to go away at the next one, or as hidden.
func (e *emitter) withdrawn(req *node) bool {
	for _, key := range []string{"shouldBeRemovedOnSend", "isHidden"} {
		if n := e.get(req, key); n.isObject() || e.yes(n) {
			e.units.show(n.unit)
			return true
		}
	}
	return false
}

// yes reports whether a flag is set, and notes that the record shows it.
func (e *emitter) yes(n *node) bool {
	if n == nil || n.kind != 't' {
		return false
	}
	e.units.show(n.unit)
	return true
}

// time reads a time. A missing one is that of the message before, or of the session.
func (e *emitter) time(n *node, of *node) (lore.Time, lore.TimeFrom) {
	if !n.isNull() && n.len < 128 {
		v, _ := e.value(n)
		if t, ok := kit.ParseTime(v); ok {
			e.units.show(n.unit)
			e.last = t
			return t, kit.TimeFrom(t)
		}
		e.losses.more(of.src, lore.BadTime, lore.Warning, e.lineOf(of), "times that cannot be read", 1)
	}
	if e.last.IsZero() {
		return lore.Time{}, lore.FromNone
	}
	return e.last, lore.FromInherited
}

// answerTime gives the messages of the answer their time: their own in newer versions, else that of the request.
func (e *emitter) answerTime(req *node) {
	if n := e.get(req, "responseTimestamp"); !n.isNull() {
		e.now.at, e.now.from = e.time(n, req)
		return
	}
	if e.now.from != lore.FromNone {
		e.now.from = lore.FromInherited
	}
}

// usage reads what an answer took: as the sum over models, or as one of the older fields says.
func (e *emitter) usage(req *node) *lore.Usage {
	var u lore.Usage
	found := false
	add := func(n *node, into *int64) {
		if n.isNull() || n.len > 32 {
			return
		}
		v, _ := e.value(n)
		if x, ok := v.Int(); ok && x > 0 {
			*into += x
			found = true
			e.units.show(n.unit)
		}
	}
	totals := e.get(req, "modelTotals")
	if !totals.isArray() {
		totals = e.get(req, "result", "usage", "modelTotals")
	}
	for _, m := range e.items(totals) {
		add(e.get(m, "inputTokens"), &u.Input)
		add(e.get(m, "cachedTokens"), &u.CacheRead)
		add(e.get(m, "outputTokens"), &u.Output)
	}
	for _, at := range []*node{e.get(req, "result", "usage"), e.get(req, "result", "metadata"), req} {
		if found {
			break
		}
		add(e.get(at, "promptTokens"), &u.Input)
		add(e.get(at, "completionTokens"), &u.Output)
		if u.Output == 0 {
			add(e.get(at, "outputTokens"), &u.Output)
		}
	}
	if !found {
		return nil
	}
	return &u
}

// notice says what the editor told the person.
func (e *emitter) notice(text string, unit int32) {
	if text != "" {
		e.say(lore.System, "notice", lore.Part{Kind: lore.Text, Text: text}, unit)
	}
}

// summary tells how the model was told, from then on, what had been said before.
func (e *emitter) summary(t *turn) {
	n := e.get(t.req, "result", "metadata", "summary", "text")
	if !n.isString() || n.len <= 2 {
		return
	}
	v, cut := e.value(n)
	e.say(lore.System, "compaction", e.whole(lore.Part{Kind: lore.Text, Text: v.String()}, n, cut), n.unit)
}

// canceled marks the last message of an answer that was broken off.
func (e *emitter) canceled(t *turn) {
	flag := e.get(t.req, "isCanceled")
	off := e.yes(flag)
	if state := e.get(t.req, "modelState", "value"); !off && state != nil && state.len == 1 {
		v, _ := e.value(state)
		n, _ := v.Int()
		if off = n == stateCanceled; off {
			e.units.show(state.unit)
		}
	}
	if !off {
		return
	}
	e.finishSentence()
	if e.run.open && e.run.msg.Role == lore.Assistant {
		e.run.msg.Subtype = "canceled"
	}
}

// stateCanceled is how the editor writes that an answer was broken off.
const stateCanceled = 2
