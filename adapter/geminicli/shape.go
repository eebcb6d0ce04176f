package geminicli

import (
	"path"
	"strings"

	"lore/adapter"
	"lore/adapter/kit"
)

// shape is what sort of file an evidence is.
type shape uint8

const (
	shapeLog        shape = iota // a log of records
	shapeSession                 // one document with the messages of a session
	shapeCheckpoint              // one document, or list, with the turns of a saved chat
	shapeLogs                    // a list of typed prompts
)

// topKeys are the keys that stand first in a record: where reading goes on after damage.
var topKeys = []string{"id", "sessionId", "$set", "$rewindTo", "kind", "startTime", "timestamp", "type"}

// sniffed is how many records a file may have before it has to look like one of this source.
const sniffed = 64

// siblings are folders of tools that were made from this one and write the same files: theirs are not taken for ours.
var siblings = []string{".qwen", ".iflow", ".blackboxcli", ".codebuddy"}

// shapeOf tells what a file is: by its name where Find has found it, else by its name and what is in it.
func shapeOf(in adapter.Input, f *file) (shape, error) {
	trusted := in.Source.Store != ""
	if !trusted && foreignPlace(in.Name(in.Source.Path)) {
		return 0, adapter.ErrNotMine
	}
	if in.Source.Store == storeLogs {
		return shapeLogs, nil
	}
	if strings.HasSuffix(in.Source.Path, ".jsonl") {
		if isDocument(f) {
			return shapeSession, nil
		}
		if !trusted && !looksLikeLog(in) {
			return 0, adapter.ErrNotMine
		}
		return shapeLog, nil
	}
	s, known := sniff(f)
	switch {
	case known:
		return s, nil
	case !trusted:
		return 0, adapter.ErrNotMine
	case in.Source.Store == storeCheckpoints:
		return shapeCheckpoint, nil
	}
	return shapeSession, nil
}

// foreignPlace reports whether a path leads through the folder of another tool.
func foreignPlace(name string) bool {
	for _, part := range strings.Split(path.Dir(name), "/") {
		for _, s := range siblings {
			if part == s {
				return true
			}
		}
	}
	return false
}

// isDocument reports whether a file with a log's name is one document over many lines, as some versions left behind.
func isDocument(f *file) bool {
	const most = 64 << 10
	head, err := f.bytes(0, min(f.size, most))
	if err != nil {
		return false
	}
	line, _, found := strings.Cut(string(head), "\n")
	line = strings.TrimSpace(strings.TrimPrefix(line, "\ufeff"))
	if !found || !strings.HasPrefix(line, "{") || len(line) > 1<<10 {
		return false
	}
	var doc kit.Doc
	if _, err := doc.Parse([]byte(line)); err == nil {
		return false
	}
	l, err := layOut(f)
	return err == nil && l.fault == nil && l.list != "" && l.head["sessionId"].kind == '"'
}

// looksLikeLog reports whether one of the first records of a file that a user named can only be of this format.
func looksLikeLog(in adapter.Input) bool {
	lines, err := kit.OpenLines(in, in.Source.Path, kit.Options{TopKeys: topKeys})
	if err != nil {
		return false
	}
	defer lines.Close()
	for r := range lines.All() {
		if isMine(r.Value) {
			return true
		}
		if lines.Good() >= sniffed {
			break
		}
	}
	return false
}

// isMine reports whether a record can only be one of this format.
func isMine(v kit.Value) bool {
	switch {
	case v.Get("$rewindTo").IsString(), v.Get("$set").IsObject():
		return !v.Get("type").Exists() && !v.Get("uuid").Exists()
	case v.Get("id").IsString():
		return v.Get("type").Is("gemini") && (v.Get("content").Exists() || v.Get("toolCalls").Exists())
	}
	return v.Get("sessionId").IsString() && v.Get("projectHash").IsString()
}

// sniff tells what a document is by what is in it; false when it is none of this source.
func sniff(f *file) (shape, bool) {
	l, err := layOut(f)
	if err != nil {
		return 0, false
	}
	first := kit.Value{}
	for _, s := range l.elements {
		if v, err := f.value(s.off, s.len); err == nil && v.IsObject() {
			first = v
			break
		}
	}
	switch {
	case l.list == "" && l.head["sessionId"].kind == '"' && l.head["projectHash"].kind == '"':
		return shapeSession, true // of which the messages are cut off
	case l.list == "messages":
		mine := l.head["sessionId"].kind == '"' && (l.head["projectHash"].kind == '"' || l.head["lastUpdated"].kind == '"')
		return shapeSession, mine && (len(l.elements) == 0 || isMessage(first))
	case l.list == "" || len(l.elements) == 0:
		return 0, false
	case l.list == rootList && isPrompt(first):
		return shapeLogs, true
	}
	return shapeCheckpoint, isTurn(first)
}

func isMessage(v kit.Value) bool {
	return v.Get("id").IsString() && (v.Get("type").IsString() || v.Get("content").Exists())
}

// isPrompt reports whether a value is an entry of the log of prompts.
func isPrompt(v kit.Value) bool {
	return v.Get("sessionId").IsString() && v.Get("messageId").IsNumber() && v.Get("message").IsString()
}

// isTurn reports whether a value is a turn as the model's API has it.
func isTurn(v kit.Value) bool {
	if !v.Get("role").IsString() || !v.Get("parts").IsArray() {
		return false
	}
	for p := range v.Get("parts").Items() {
		for _, key := range partKeys {
			if p.Get(key).Exists() {
				return true
			}
		}
	}
	return v.Get("parts").Len() == 0
}

// partKeys are the members of which a part of the model's API has one.
var partKeys = []string{"text", "functionCall", "functionResponse", "inlineData", "fileData", "executableCode", "codeExecutionResult"}
