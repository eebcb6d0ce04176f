package copilot

import (
	"strings"

	"lore"
	"lore/adapter/kit"
)

// say notes what an answer says, so that what was cut from it can be told from what it still has.
func (seen *look) say(v kit.Value) {
	t := bare(v)
	if t == "" {
		if key := keyOf(v); key != "" {
			if seen.keys == nil {
				seen.keys = map[string]bool{}
			}
			seen.keys[key] = true
		}
		return
	}
	if len(seen.text) < maxCompared {
		seen.starts = append(seen.starts, len(seen.text))
		seen.text = append(seen.text, dense(t)...)
	}
}

// maxCompared is how many bytes of an answer those are compared with that were cut from it.
const maxCompared = 8 << 20

// dense leaves out white space.
func dense(t string) string { return strings.Join(strings.Fields(t), "") }

// bare returns the words of an element that has some, be it thinking or a name inside a sentence.
func bare(v kit.Value) string {
	switch v.Get("kind").String() {
	case "inlineReference":
		return referred(v)
	case "thinking":
		return thinkingOf(v)
	case "", "markdownContent", "markdownVuln":
		return textOf(v)
	}
	return ""
}

// keyOf names what an element without words is about, so that a later state of it is known: a call by its id, an edit by
// its file.
func keyOf(v kit.Value) string {
	kind := v.Get("kind").String()
	if id := v.Get("toolCallId").String(); id != "" {
		return kind + " " + id
	}
	if id := v.Get("resolveId").String(); id != "" {
		return kind + " " + id
	}
	if ref, _, ok := uriOf(v.Get("uri")); ok {
		return kind + " " + ref
	}
	return kind + " " + string(v.Raw())
}

// former tells what an answer had and has no more: not active. A text that begins what the answer says now was its
// beginning while it was written; a call that came back is the same call.
func (e *emitter) former(t *turn, seen *look) {
	if len(t.cut) == 0 {
		return
	}
	was := e.now
	e.now = voice{nameless: true, model: was.model, at: was.at, from: was.from}
	for i, n := range t.cut {
		if n == nil || e.err != nil {
			continue
		}
		v, cut := e.value(n)
		if seen.has(v) || e.cutAgain(t.cut[i+1:], v) {
			continue
		}
		v, cut = e.value(n)
		seen.say(v)
		e.formerly(n, v, cut)
	}
	e.endTurn()
	e.now = was
}

// formerly tells one element.
func (e *emitter) formerly(n *node, v kit.Value, cut bool) {
	switch kind := v.Get("kind").String(); {
	case kind == "thinking":
		e.say(lore.Assistant, "", e.whole(lore.Part{Kind: lore.Thinking, Text: thinkingOf(v)}, n, cut), n.unit)
	case kind == "inlineReference":
		e.refer(referred(v), n.unit)
	case bare(v) != "":
		e.spoken(n, v, cut)
	case kind == "toolInvocationSerialized":
		e.invoke(n, v, cut, nil, &calls{})
	case kind == "textEditGroup" || kind == "notebookEditGroup":
		e.edit(n, v, kind, cut)
	}
}

// has reports whether the answer says what an element does: its words from some place on, or the same thing later.
func (seen *look) has(v kit.Value) bool {
	t := dense(bare(v))
	if t == "" {
		return v.Get("kind").String() == "" || seen.keys[keyOf(v)]
	}
	for _, start := range seen.starts {
		if rest := seen.text[start:]; len(rest) >= len(t) && string(rest[:len(t)]) == t {
			return true
		}
	}
	return false
}

// cutAgain reports whether words that were cut begin others that were cut later: the same text, as it grew.
func (e *emitter) cutAgain(later []*node, v kit.Value) bool {
	t := dense(bare(v))
	if t == "" {
		return false
	}
	for _, n := range later[:min(len(later), 64)] {
		if n == nil {
			continue
		}
		w, _ := e.value(n)
		if strings.HasPrefix(dense(bare(w)), t) {
			return true
		}
	}
	return false
}
