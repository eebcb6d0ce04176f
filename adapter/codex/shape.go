package codex

import (
	"bytes"
	"errors"
	"io"
	"path"
	"strings"

	"lore/adapter"
	"lore/adapter/kit"
)

// errStopped ends a reading whose caller wants no more. It never leaves the package.
var errStopped = errors.New("stopped")

// shape is what sort of file an evidence is.
type shape uint8

const (
	shapeForeign shape = iota
	shapeLines
	shapeDocument
	shapeHistory
	shapeOldHistory
	shapeIndex
	shapeState
)

// topKeys are the keys that stand first in a record: where reading goes on after damage.
var topKeys = []string{"timestamp", "type", "id", "record_type", "session_id", "payload", "ordinal"}

// sniffed is how many records of a file are looked at to tell whether it is a rollout.
const sniffed = 64

// shapeOf tells what a file is: by its place when Find has found it, else by its name and its first records.
func shapeOf(in adapter.Input) (shape, error) {
	if isState(in.Source.Path) {
		return shapeState, nil
	}
	base := strings.TrimSuffix(path.Base(in.Source.Path), ".zst")
	if in.Source.Store != "" {
		switch base {
		case historyFile:
			return shapeHistory, nil
		case historyOld:
			return shapeOldHistory, nil
		case indexFile:
			return shapeIndex, nil
		}
	}
	if strings.HasSuffix(base, ".json") {
		return sniffDocument(in)
	}
	if in.Source.Store != "" {
		return shapeLines, nil
	}
	return sniffLines(in)
}

// sniffLines looks at the first record of a file that a user named. A file of which nothing decodes is taken for a
// rollout only by its name.
func sniffLines(in adapter.Input) (shape, error) {
	lines, err := kit.OpenLines(in, in.Source.Path, kit.Options{TopKeys: topKeys})
	if err != nil {
		return shapeForeign, err
	}
	defer lines.Close()
	for r := range lines.All() {
		switch v := r.Value; {
		case isHistoryEntry(v):
			return shapeHistory, nil
		case isIndexEntry(v):
			return shapeIndex, nil
		}
		return shapeLines, nil
	}
	if err := lines.Err(); err != nil {
		return shapeForeign, err
	}
	if name := parseName(in.Source.Path); name.rollout {
		return shapeLines, nil
	}
	return shapeForeign, adapter.ErrNotMine
}

func isHistoryEntry(v kit.Value) bool {
	return v.Get("session_id").IsString() && v.Get("ts").IsNumber() && v.Get("text").IsString()
}

func isIndexEntry(v kit.Value) bool {
	return v.Get("id").IsString() && v.Get("thread_name").Exists()
}

// sniffDocument looks at the head of a JSON file: a foreign document may be large and is not to be parsed.
func sniffDocument(in adapter.Input) (shape, error) {
	f, err := in.FS.Open(in.Source.Path)
	if err != nil {
		return shapeForeign, err
	}
	defer f.Close()
	head := make([]byte, 1024)
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return shapeForeign, err
	}
	head = bytes.TrimLeft(bytes.TrimPrefix(head[:n], bom), " \t\r\n\x00")
	rollout := parseName(in.Source.Path).rollout
	switch {
	case len(head) == 0 && rollout:
		return shapeDocument, nil
	case len(head) == 0:
		return shapeForeign, adapter.ErrNotMine
	case head[0] == '{' && (rollout || firstKey(head, `"session"`) || firstKey(head, `"items"`)):
		return shapeDocument, nil
	case head[0] == '[' && bytes.Contains(head, []byte(`"command"`)) && bytes.Contains(head, []byte(`"timestamp"`)):
		return shapeOldHistory, nil
	}
	return shapeForeign, adapter.ErrNotMine
}

// bom is the byte order mark in UTF-8.
var bom = []byte("\xef\xbb\xbf")

// firstKey reports whether the object that begins in head has this key first, as written with its quotes.
func firstKey(head []byte, key string) bool {
	return bytes.HasPrefix(bytes.TrimLeft(head[1:], " \t\r\n"), []byte(key))
}

// looksMine reports whether a record can only be of this format: an envelope, a head, or a bare item of the API. Other
// tools write lines with a type and a role too, but with their own ids or a message inside; bare reasoning is written by
// others alike, and proves nothing.
func looksMine(v kit.Value) bool {
	typ, payload := v.Get("type"), v.Get("payload")
	switch {
	case payload.IsObject():
		switch typ.String() {
		case "session_meta", "turn_context", "response_item", "event_msg", "compacted", "world_state",
			"inter_agent_communication_metadata", "inter_agent_communication":
			return true
		}
		return false
	case isHead(v) || v.Get("record_type").IsString():
		return true
	case v.Get("uuid").Exists() || v.Get("sessionId").Exists() || v.Get("parentId").Exists() || v.Get("data").Exists():
		return false
	case typ.IsString():
		switch typ.String() {
		case "message":
			return v.Get("role").IsString() && v.Get("content").IsArray()
		case "function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output", "local_shell_call":
			return v.Get("call_id").IsString() || v.Get("arguments").Exists()
		}
		return false
	}
	return isPlainTurn(v)
}

// isEnvelope reports whether a record has the form of generation 3, of whatever type.
func isEnvelope(v kit.Value) bool {
	return v.Get("payload").IsObject() && v.Get("type").IsString() && v.Get("timestamp").Exists()
}

// isHead reports whether a bare record is the first line of generation 2.
func isHead(v kit.Value) bool {
	return v.Get("id").IsString() && v.Get("timestamp").IsString() && !v.Get("type").Exists() && !v.Get("role").Exists() &&
		(v.Get("instructions").Exists() || v.Get("git").Exists())
}

// isPlainTurn reports whether a bare record is a turn without type: a time, a role and words.
func isPlainTurn(v kit.Value) bool {
	return (v.Get("timestamp").IsString() || v.Get("created_at").IsString()) && v.Get("role").IsString() &&
		(v.Get("content").IsString() || v.Get("message").IsString())
}
