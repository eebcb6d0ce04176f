package grok

import (
	"strings"

	"lore"
	"lore/adapter/kit"
)

// what says what sort of thing was said.
type what uint8

const (
	none what = iota

	// Of the history.
	background // the system prompt
	prompt     // words in a person's place
	answer     // words and calls
	thought    // reasoning
	result     // of a tool
	backend    // a tool that the vendor's servers ran

	// Of the stream of updates.
	typed
	told
	mused
	call
	output
)

// spot is where a record stands.
type spot struct {
	offset, length int64
	line           int32
	next           int32 // in a list of spots: the next one of the same turn; -1: none
}

// turn is one thing that was said, without its words: a record of the history, or the updates that tell one thing.
type turn struct {
	what  what
	spot  spot // of the history's record
	first int32
	last  int32 // spots of the updates
	words words
	id    string    // of the call
	time  lore.Time // of the updates
	twins []int32   // of the history's record: what the updates say of it
	mate  int32     // of the updates: the record that says it, else -1
	after int32     // of the updates without mate: the record after which they stand, -1: the first
}

// history is what the first pass over chat_history.jsonl finds.
type history struct {
	turns   []turn
	calls   map[string]int32 // by id: the record that makes the call
	results map[string]int32
}

// isItem reports whether a record has the form of one of the history's, which others may have too.
func isItem(v kit.Value) bool { return itemOf(v) != none }

// isHistory reports whether a record can only be one of the history.
func isHistory(v kit.Value) bool {
	switch v.Get("type").String() {
	case "user":
		return v.Get("content").IsArray() && (v.Get("prompt_index").IsNumber() || v.Get("synthetic_reason").IsString())
	case "assistant":
		return v.Get("content").IsString() && v.Get("model_id").IsString()
	case "tool_result":
		return v.Get("tool_call_id").IsString() && v.Get("content").Exists() && !v.Get("role").Exists()
	case "backend_tool_call":
		return v.Get("kind", "tool_type").IsString()
	case "":
		return v.Get("role").Is("assistant") && v.Get("content").Exists() && v.Get("model_id").IsString()
	}
	return false
}

// itemOf tells what a record of the history says: by its type, of older files by its role.
func itemOf(v kit.Value) what {
	switch v.Get("type").String() {
	case "system":
		return background
	case "user":
		return prompt
	case "assistant":
		return answer
	case "reasoning":
		return thought
	case "tool_result":
		return result
	case "backend_tool_call":
		return backend
	case "":
		switch v.Get("role").String() {
		case "system":
			return background
		case "user":
			return prompt
		case "assistant":
			return answer
		case "tool":
			return result
		}
	}
	return none
}

// take takes one record in.
func (h *history) take(r *kit.Record) {
	v := r.Value
	at := int32(len(h.turns))
	t := turn{what: itemOf(v), spot: spot{offset: r.Offset, length: r.Length, line: int32(r.Line)}, words: noWords}
	switch t.what {
	case prompt:
		text, _ := unframe(textOf(v.Get("content")))
		t.words = wordsOf(text)
	case answer:
		t.words = wordsOf(textOf(v.Get("content")))
		for call := range v.Get("tool_calls").Items() {
			first(h.calls, call.Get("id").String(), at)
		}
	case thought:
		t.words = wordsOf(textOf(v.Get("summary")))
	case result:
		first(h.results, v.Get("tool_call_id").String(), at)
	case backend:
		first(h.calls, v.Get("kind", "id").String(), at)
	}
	h.turns = append(h.turns, t)
}

// first notes the first record with an id.
func first(m map[string]int32, id string, at int32) {
	if _, taken := m[id]; !taken && id != "" {
		m[id] = at
	}
}

// textOf returns the text of a content: of a string, or of its blocks together.
func textOf(v kit.Value) string {
	if v.IsString() {
		return v.String()
	}
	var b strings.Builder
	for block := range v.Items() {
		b.WriteString(block.Get("text").String())
	}
	return b.String()
}
