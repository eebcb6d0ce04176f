package codex

import (
	"lore"
	"lore/adapter/kit"
)

// sayCall makes a message of a call. The item of a generated image holds the image too: the result, as the tool's.
func (e *emitter) sayCall(i int32, u *unit, r *record, body kit.Value) {
	m := e.message(u, r, lore.Assistant)
	m.Native = idOf(body.Get("id"))
	m.Parts = []lore.Part{e.builder.callPart(body)}
	m.Usage = e.usage.spentAt(i)
	e.put(u, 1, m)
	if r.kind == "image_generation_call" && holds(body.Get("result")) {
		e.put(u, 0, e.result(u, r, body, e.builder.eventResult(body)))
	}
}

// result begins the message of a tool.
func (e *emitter) result(u *unit, r *record, body kit.Value, parts []lore.Part) lore.Message {
	m := e.message(u, r, lore.Tool)
	if id := callID(body); id.Exists() {
		m.Native = kit.SplitNative(lore.Tool, id.String())
	}
	m.Parts = parts
	return m
}

// sayOutput makes a message of a tool's output. The event at the end of the run may know more of how it went.
func (e *emitter) sayOutput(u *unit, r *record, body kit.Value) error {
	value := first(body.Get("output"), body.Get("tools"), body.Get("result"), body.Get("content"))
	id := callID(body).String()
	parts := e.builder.output(value, id)
	if failedFlag(body.Get("success")) || body.Get("is_error").Bool() {
		markFailed(parts)
	}
	m, kept := e.result(u, r, body, parts), 1
	if u.mate >= 0 {
		more, err := e.mateKnows(u, m.Parts)
		if err != nil {
			return err
		}
		if more != nil {
			m.Parts = more
			e.ledger.Remerge(-1)
			kept++
		}
	}
	e.put(u, kept, m)
	return nil
}

// mateKnows returns an output's parts with what only the event says of it: that it failed, what it wrote as errors. Nil
// when that is nothing new.
func (e *emitter) mateKnows(u *unit, parts []lore.Part) ([]lore.Part, error) {
	mate, before := &e.units[u.mate], len(parts)
	if mate.flags&stderr != 0 {
		v, err := e.readMate(mate)
		if err != nil {
			return nil, err
		}
		id, body := parts[0].CallID, peel(v).body
		parts = e.builder.withStderr(parts, first(body.Get("item"), body))
		for n := before; n < len(parts); n++ {
			parts[n].CallID = id
		}
	}
	if fresh := mate.flags&failed != 0 && markFailed(parts); fresh || len(parts) > before {
		return parts, nil
	}
	return nil, nil
}

// markFailed marks results as errors. It returns whether one was not yet.
func markFailed(parts []lore.Part) bool {
	fresh := false
	for n := range parts {
		if p := &parts[n]; p.Kind == lore.Result && !p.IsError {
			p.IsError, fresh = true, true
		}
	}
	return fresh
}

// sayRun makes messages of a tool's event: the call where no item says it, and the result likewise.
func (e *emitter) sayRun(i int32, u *unit, r *record, body kit.Value) {
	kept := 1
	if u.flags&saysCall != 0 {
		m := e.message(u, r, lore.Assistant)
		m.Native = idOf(body.Get("id"))
		m.Parts = []lore.Part{e.builder.callPart(body)}
		m.Usage = e.usage.spentAt(i)
		e.put(u, kept, m)
		kept = 0
	}
	if u.flags&saysOut != 0 {
		e.put(u, kept, e.result(u, r, body, e.builder.eventResult(body)))
	}
}
