package kimi

import (
	"strings"

	"lore"
	"lore/adapter/kit"
)

// isMemory reports whether a record can only be one of a memory: other tools write roles and contents too.
func isMemory(v kit.Value) bool {
	switch v.Get("role").String() {
	case "_checkpoint":
		return v.Get("id").IsNumber()
	case "_usage":
		return v.Get("token_count").IsNumber()
	case "_system_prompt":
		return v.Get("content").IsString()
	}
	return false
}

// isRemembered reports whether a record has the form of one of a memory's.
func isRemembered(v kit.Value) bool {
	return v.Get("role").IsString() && (v.Get("content").Exists() || strings.HasPrefix(v.Get("role").String(), "_"))
}

// checkpoint begins the text by which the tool marks a place in the memory that it may return to.
const checkpoint = "<system>CHECKPOINT "

// remember takes a record of a memory in.
func (t *track) remember(v kit.Value, at spot) {
	content := v.Get("content")
	switch role := v.Get("role").String(); role {
	case "_checkpoint", "_usage", "_system_prompt":
		t.ledger.Skip(role)
	case "user":
		text := strings.TrimSpace(textOf(content))
		n := turn{what: prompt}
		switch {
		case strings.HasPrefix(text, checkpoint) && strings.Count(text, "<") == 2:
			t.ledger.Skip("checkpoint")
			return
		case strings.HasPrefix(text, "<system>Previous context has been compacted"):
			n = turn{what: injected, sub: subCompaction}
		case strings.HasPrefix(text, "<system"):
			n = turn{what: injected, sub: subContext}
		}
		n.words = wordsOf(text)
		t.begin(n, at)
	case "system":
		t.begin(turn{what: injected, sub: subContext, words: wordsOf(textOf(content))}, at)
	case "assistant":
		n := t.begin(turn{what: step, words: wordsOf(textOf(content)), musing: wordsOf(musingOf(content))}, at)
		for call := range v.Get("tool_calls").Items() {
			if id := call.Get("id").String(); id != "" {
				if _, taken := t.calls[id]; !taken {
					t.calls[id] = n
				}
			}
		}
	case "tool":
		t.answer(v.Get("tool_call_id").String(), at, lore.Time{})
	default:
		t.meet("role "+role, at)
	}
}
