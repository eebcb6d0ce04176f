package codex

import (
	"strings"

	"lore/adapter/kit"
)

// record is one line in the form that all generations share.
type record struct {
	top  string    // the envelope's type; empty for a bare item
	body kit.Value // the payload; the bare item itself
	kind string    // the body's type, empty when it names none
	time kit.Value // the line's own time; absent in generations 1 and 2
	meta bool      // a bare first line: the head of generation 2
}

// peel takes a line out of its envelope.
func peel(v kit.Value) record {
	if body := v.Get("payload"); body.IsObject() && v.Get("type").IsString() {
		return record{top: v.Get("type").String(), body: body, kind: body.Get("type").String(), time: v.Get("timestamp")}
	}
	r := record{body: v, kind: v.Get("type").String(), time: v.Get("timestamp"), meta: isHead(v)}
	if !r.time.Exists() {
		r.time = v.Get("created_at")
	}
	return r
}

// turnID returns the id of the turn that the record names; absent for most.
func (r *record) turnID() kit.Value {
	if r.top == "response_item" {
		if id := r.body.Get("internal_chat_message_metadata_passthrough", "turn_id"); id.Exists() {
			return id
		}
		return r.body.Get("metadata", "turn_id")
	}
	if id := r.body.Get("turn_id"); id.Exists() {
		return id
	}
	return r.body.Get("turnId")
}

// turn returns a digest of that id, 0 when there is none.
func turnOf(id kit.Value) uint64 {
	if !id.IsString() || len(id.Raw()) == 2 {
		return 0
	}
	return uint64(foldValue(id))
}

// plain brings a type name to one form: item types come as UserMessage or user_message, block types as text or Text.
func plain(typ string) string {
	flat := true
	for i := range len(typ) {
		if c := typ[i]; c == '_' || 'A' <= c && c <= 'Z' {
			flat = false
			break
		}
	}
	if flat {
		return typ
	}
	return strings.ToLower(strings.ReplaceAll(typ, "_", ""))
}

// first returns the first of the values that is there and not null.
func first(values ...kit.Value) kit.Value {
	for _, v := range values {
		if v.Exists() && !v.IsNull() {
			return v
		}
	}
	return kit.Value{}
}

// id returns a native id: a string that is not empty.
func idOf(v kit.Value) string {
	if v.IsString() {
		return v.String()
	}
	return ""
}
