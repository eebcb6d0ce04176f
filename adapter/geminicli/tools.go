package geminicli

import (
	"strings"

	"lore"
	"lore/adapter/kit"
)

// call puts a call behind the words.
func (b *builder) call(c kit.Value, id string) {
	p := raw(lore.Call, first(c.Get("args"), c.Get("arguments")))
	p.Name, p.CallID = c.Get("name").String(), id
	b.add(lore.Assistant, "", p)
	b.calls = append(b.calls, id)
}

// tools makes the calls of an answer, then their results. A call that the answer's content shows already is there once.
func (b *builder) tools(list kit.Value) {
	shown := map[string]int{}
	for _, r := range b.runs {
		for i := range r.parts {
			if p := &r.parts[i]; p.Kind == lore.Call {
				shown[callKey(p.Name, p.CallID)]++
			}
		}
	}
	for c := range list.Items() {
		id := c.Get("id").String()
		if key := callKey(c.Get("name").String(), id); shown[key] > 0 {
			shown[key]--
		} else {
			b.call(c, id)
		}
		if a := c.Get("agentId").String(); a != "" {
			b.agents = append(b.agents, agent{a, id})
		}
		b.folders(c.Get("args"))
	}
	own := map[string]bool{}
	for c := range list.Items() {
		own[c.Get("id").String()] = true
	}
	for c := range list.Items() {
		b.results(c, own)
	}
}

func callKey(name, id string) string {
	if id != "" {
		return id
	}
	return "\x00" + name
}

// results makes what a call gave: the answer of the function, or, where that is absent, what was shown.
func (b *builder) results(c kit.Value, own map[string]bool) {
	name, id := c.Get("name").String(), c.Get("id").String()
	failed := c.Get("status").Is("error")
	before := b.answers()
	for p := range elements(c.Get("result")) {
		r := p.Get("functionResponse")
		switch other := r.Get("id").String(); {
		case other != "" && other != id && own[other]: // the answers of all calls of a turn, given to each
		case holds(r):
			b.response(r, name, id, failed)
		case textOf(p).IsString():
			b.result(text(lore.Result, textOf(p)), name, id, failed)
		default:
			b.add(lore.Tool, "", b.block(p))
		}
	}
	if b.answers() == before {
		b.shown(c.Get("resultDisplay"), name, id, failed)
	}
	if n := len(b.runs) - 1; b.answers() > before && !holds(b.runs[n].time) {
		b.runs[n].time = c.Get("timestamp")
	}
}

// answers counts the parts of results so far.
func (b *builder) answers() int {
	n := 0
	for i := range b.runs {
		if b.runs[i].role == lore.Tool {
			n += len(b.runs[i].parts)
		}
	}
	return n
}

// shown makes a result of what the screen showed of it.
func (b *builder) shown(v kit.Value, name, id string, failed bool) {
	switch {
	case v.IsString():
		b.result(text(lore.Result, v), name, id, failed)
	case v.Get("fileDiff").IsString():
		b.result(text(lore.Result, v.Get("fileDiff")), name, id, failed)
	case holds(v):
		b.result(raw(lore.Result, v), name, id, failed)
	}
}

// response makes a result of the answer of a function.
func (b *builder) response(r kit.Value, name, id string, failed bool) {
	if own := r.Get("id").String(); id == "" {
		id = own
	}
	answer := r.Get("response")
	output, fault := answer.Get("output"), answer.Get("error")
	switch {
	case output.IsString():
		b.result(text(lore.Result, output), name, id, failed)
	case holds(fault):
		b.result(raw(lore.Result, fault), name, id, true)
	default:
		b.result(raw(lore.Result, answer), name, id, failed)
	}
	for p := range r.Get("parts").Items() {
		b.add(lore.Tool, "", b.block(p))
	}
}

// result puts a result behind what is there. A long output that the tool moved into a file of its own is read there.
func (b *builder) result(p lore.Part, name, id string, failed bool) {
	p.Name, p.CallID, p.IsError = name, id, failed
	if side := sideFile(p.Text); side != "" {
		b.whole(&p, side)
	}
	b.add(lore.Tool, "", p)
	b.joined = false
}

// folders notes the folders that the input of a call names, as candidates for the project's.
func (b *builder) folders(args kit.Value) {
	for _, key := range []string{"cwd", "dir_path", "directory", "absolute_path", "file_path", "path"} {
		if s := args.Get(key).String(); isAbsolute(s) && len(s) < 4096 {
			b.dirs = append(b.dirs, s)
		}
	}
}

// The words with which the tool tells the model where it works; a path follows.
var workMarks = []string{"working in the directory: ", "- **Workspace Directories:**\n  - "}

// workspace notes the folder that the tool tells the model it works in.
func (b *builder) workspace(s string) {
	for _, mark := range workMarks {
		if _, rest, ok := strings.Cut(s, mark); ok {
			dir, _, _ := strings.Cut(rest, "\n")
			if dir = strings.TrimSpace(dir); isAbsolute(dir) {
				b.dirs = append(b.dirs, dir)
			}
		}
	}
}

// isAbsolute reports whether a path of any system is absolute.
func isAbsolute(s string) bool {
	return strings.HasPrefix(s, "/") || len(s) > 3 && s[1] == ':' && (s[2] == '\\' || s[2] == '/')
}
