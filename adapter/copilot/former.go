package copilot

import (
	"bytes"

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
		seen.text = dense(seen.text, t)
	}
}

// maxCompared is how many bytes of an answer those are compared with that were cut from it.
const maxCompared = 8 << 20

// dense appends a text without its white space.
func dense(dst []byte, t string) []byte {
	from := 0
	for i := 0; i < len(t); i++ {
		if c := t[i]; c == ' ' || c >= '\t' && c <= '\r' {
			dst = append(dst, t[from:i]...)
			from = i + 1
		}
	}
	return append(dst, t[from:]...)
}

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
	e.now = voice{answered: true, model: was.model, at: was.at, from: was.from}
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
	seen.room = dense(seen.room[:0], bare(v))
	if len(seen.room) == 0 {
		return v.Get("kind").String() == "" || seen.keys[keyOf(v)]
	}
	for _, start := range seen.starts {
		if bytes.HasPrefix(seen.text[start:], seen.room) {
			return true
		}
	}
	return false
}

// cutAgain reports whether something was cut that was cut later in a newer state: words that begin other words, a call
// under its id.
func (e *emitter) cutAgain(later []*node, v kit.Value) bool {
	t, key := dense(nil, bare(v)), keyOf(v)
	var words []byte
	for _, n := range later[:min(len(later), maxLater)] {
		if n == nil {
			continue
		}
		w, _ := e.value(n)
		words = dense(words[:0], bare(w))
		if len(t) == 0 && len(words) == 0 && keyOf(w) == key || len(t) > 0 && bytes.HasPrefix(words, t) {
			return true
		}
	}
	return false
}

// maxLater is how many elements one that was cut is compared with.
const maxLater = 64
