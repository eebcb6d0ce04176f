package opencode

import (
	"path"
	"slices"
	"strings"

	"lore/adapter"
	"lore/adapter/kit"
)

// maxIndex is how large a message may be to be opened for its id while the tree is searched, in bytes.
const maxIndex = 4 << 20

// forest is a tree while it is searched: its evidences, and the folders that none has claimed yet.
type forest struct {
	*finder
	layout
	found    []adapter.Source
	messages map[string]bool // by session
	parts    map[string]bool // by key
	diffs    map[string]adapter.Source
	silent   []silent // messages for whose name there is no folder of parts
}

// silent is a message that has no parts, or is named otherwise than its file.
type silent struct {
	source  int // index in found
	session string
	path    string
}

// tree yields one evidence for each session, with its messages, parts and diff as companions; then what stands in the
// tree and belongs to no session that is there.
func (f *finder) tree(l layout) {
	t := &forest{finder: f, layout: l, messages: map[string]bool{}, parts: map[string]bool{}, diffs: map[string]adapter.Source{}}
	for _, session := range f.folders(l.messages) {
		t.messages[session] = true
	}
	for _, name := range f.folders(l.parts) {
		if !l.old {
			t.parts[name] = true
			continue
		}
		for _, message := range f.folders(path.Join(l.parts, name)) {
			t.parts[name+"/"+message] = true
		}
	}
	if !l.old {
		for src := range f.list(l.diffs, isJSON) {
			t.diffs[stem(src.Path)] = src
		}
	}
	t.sessions()
	t.named()
	t.orphans()
	if !l.old {
		for src := range f.list(l.projects, isJSON) {
			t.found = append(t.found, src)
		}
	}
	for _, src := range t.found {
		if src.Store = storeTree; !f.stopped {
			f.put(src)
		}
	}
}

// key names the folder of a message's parts.
func (t *forest) key(session, message string) string {
	if t.old {
		return session + "/" + message
	}
	return message
}

func (t *forest) sessions() {
	walk := kit.WalkFiles(t.ctx, t.fsys, t.layout.sessions, func(name string) bool { return t.isSession(name) })
	if t.old {
		walk = kit.ListFiles(t.ctx, t.fsys, t.layout.sessions, isJSON)
	}
	for src := range t.only(walk) {
		id := t.idOf(stem(src.Path))
		t.found = append(t.found, src)
		at := len(t.found) - 1
		if t.messages[id] {
			delete(t.messages, id)
			for m := range t.list(path.Join(t.layout.messages, id), isJSON) {
				t.message(at, id, m.Path)
			}
		}
		if d, ok := t.diffs[stem(src.Path)]; ok {
			delete(t.diffs, stem(src.Path))
			t.found[at].Companions = append(t.found[at].Companions, d.Path)
		}
	}
}

// isSession reports whether a file below the folder of sessions is one: PROJECT/ID.json. The old layout has its folders
// beside those of the projects.
func (t *forest) isSession(name string) bool {
	rest := strings.TrimPrefix(name, t.layout.sessions+"/")
	project, file, ok := strings.Cut(rest, "/")
	return ok && isJSON(file) && !strings.Contains(file, "/") && !slices.Contains([]string{"info", "message", "part"}, project)
}

// idOf returns the name under which a session has its messages: its file's, or that without the mark of a session.
func (t *forest) idOf(name string) string {
	if short := strings.TrimPrefix(name, "ses_"); !t.messages[name] && t.messages[short] {
		return short
	}
	return name
}

// message takes a message, and the parts that stand under its name, into an evidence.
func (t *forest) message(at int, session, name string) {
	src := &t.found[at]
	if src.Path != name {
		src.Companions = append(src.Companions, name)
	}
	if key := t.key(session, stem(name)); t.parts[key] {
		t.claim(at, key)
	} else {
		t.silent = append(t.silent, silent{at, session, name})
	}
}

// claim takes the parts of a folder into an evidence.
func (t *forest) claim(at int, key string) {
	delete(t.parts, key)
	src := &t.found[at]
	for p := range t.list(path.Join(t.layout.parts, key), isJSON) {
		if p.Path != src.Path {
			src.Companions = append(src.Companions, p.Path)
		}
	}
}

// named looks into messages without parts, where there are parts without a message: a message may be named otherwise
// than its file. In a tree as OpenCode writes it, no file is opened.
func (t *forest) named() {
	for _, s := range t.silent {
		if len(t.parts) == 0 || t.stopped {
			return
		}
		doc, err := kit.Document(adapter.Input{FS: t.fsys}, s.path, maxIndex)
		if err != nil {
			continue // it is told when it is read
		}
		if key := t.key(s.session, doc.Value.Get("id").String()); t.parts[key] {
			t.claim(s.source, key)
		}
	}
}

// orphans makes an evidence of each folder of messages whose session is not there, of each folder of parts whose message
// is not, and of each diff of neither. The first file of a folder stands for it.
func (t *forest) orphans() {
	for _, session := range sorted(t.messages) {
		at := -1
		for m := range t.list(path.Join(t.layout.messages, session), isJSON) {
			if at < 0 {
				at = len(t.found)
				t.found = append(t.found, m)
			}
			t.message(at, session, m.Path)
		}
	}
	t.named()
	for _, key := range sorted(t.parts) {
		at := -1
		for p := range t.list(path.Join(t.layout.parts, key), isJSON) {
			if at < 0 {
				at = len(t.found)
				t.found = append(t.found, p)
			} else {
				t.found[at].Companions = append(t.found[at].Companions, p.Path)
			}
		}
	}
	for _, name := range sorted(t.diffs) {
		t.found = append(t.found, t.diffs[name])
	}
}

func sorted[V any](set map[string]V) []string {
	names := make([]string, 0, len(set))
	for name := range set {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
