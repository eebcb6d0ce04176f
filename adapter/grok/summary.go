package grok

import (
	"io"
	"net/url"
	"path"
	"slices"
	"strings"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// about is what stands beside a session: its summary, and the names of its folders.
type about struct {
	id, title, dir, branch, remote, model string
	kind, parent                          string
	inherited                             int // records taken over from the parent
	begun, ended                          lore.Time
	folder                                string // name of the session's folder, when it has the form of an id
	losses                                []lore.Loss
}

// maxSummary bounds a summary.
const maxSummary = 4 << 20

// aboutOf reads what stands beside a session's files. What is missing or damaged is not known.
func aboutOf(in adapter.Input) about {
	dir, folder := path.Dir(in.Source.Path), path.Dir(in.Name(in.Source.Path))
	a := about{}
	for _, name := range []string{path.Base(folder), stemOf(in.Source.Path)} {
		if a.folder == "" && isID(name) {
			a.folder = name
		}
	}
	if slices.Contains(in.Source.Companions, path.Join(dir, summaryFile)) {
		doc, err := kit.Document(in, path.Join(dir, summaryFile), maxSummary)
		if err == nil {
			a.losses = doc.Losses
			a.summary(doc.Value)
		} else {
			a.losses = append(a.losses, lore.Loss{Code: lore.BadJSON, Severity: lore.Warning, Source: source,
				File: in.Name(path.Join(dir, summaryFile)), What: "the summary cannot be read", Count: 1})
		}
	}
	for _, p := range []string{path.Join(dir, cwdFile), path.Join(path.Dir(dir), cwdFile)} {
		if a.dir == "" && slices.Contains(in.Source.Companions, p) {
			a.dir = firstLine(in, p)
		}
	}
	if a.dir == "" {
		if plain, err := url.PathUnescape(path.Base(path.Dir(folder))); err == nil && strings.ContainsAny(plain, `/\`) {
			a.dir = plain
		}
	}
	return a
}

// firstLine reads a file that holds one line.
func firstLine(in adapter.Input, p string) string {
	f, err := in.FS.Open(p)
	if err != nil {
		return ""
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, 64<<10))
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(strings.ToValidUTF8(string(b), "\ufffd"), "\n")
	return strings.Trim(line, "\r\x00 \t")
}

func (a *about) summary(v kit.Value) {
	text := func(path ...string) string { return v.Get(path...).String() }
	a.id, a.dir = text("info", "id"), text("info", "cwd")
	if a.title = text("generated_title"); a.title == "" {
		a.title = text("session_summary")
	}
	a.branch, a.remote = text("head_branch"), v.Get("git_remotes").Index(0).String()
	a.kind, a.parent = text("session_kind"), text("parent_session_id")
	if n, ok := v.Get("inherited_prefix_len").Int(); ok && n > 0 && n < 1<<20 {
		a.inherited = int(n)
	}
	a.begun, _ = kit.ParseTime(v.Get("created_at"))
	a.ended, _ = kit.ParseTime(v.Get("updated_at"))
}

// describe fills the header of a conversation.
func (a *about) describe(c *lore.Conversation) {
	c.Kind = lore.Main
	c.StartedAt = a.begun
	if a.title != "" {
		c.Title, c.TitleFrom, c.TitleAt = a.title, lore.TitleFromSource, a.ended
	}
	c.Project = lore.Project{Dir: a.dir, Name: kit.ProjectName(a.dir), Branch: a.branch, Remote: a.remote}
	forked := a.parent != "" && a.kind != "subagent"
	if strings.HasPrefix(a.kind, "subagent") {
		c.Kind = lore.Subagent
		if a.parent != "" {
			c.Parent = &lore.Parent{Native: a.parent}
		}
	}
	if forked {
		c.Lineage = &lore.Lineage{Kind: lore.Fork, OfNative: a.parent, Shared: a.inherited}
	}
}

// readSummary reads a summary that a user named: facts about a conversation that stands elsewhere.
func readSummary(in adapter.Input, yield yielder) error {
	doc, err := kit.Document(in, in.Source.Path, maxSummary)
	if err != nil {
		return adapter.ErrNotMine
	}
	var a about
	a.summary(doc.Value)
	if a.id == "" || !doc.Value.Get("session_summary").Exists() || !doc.Value.Get("created_at").Exists() {
		return adapter.ErrNotMine
	}
	c := &lore.Conversation{Source: source, Store: storeHistory, Native: a.id, Partial: true, Losses: doc.Losses}
	a.describe(c)
	c.Ledger.Keep(1)
	if !yield(c, nil) {
		return kit.ErrStopped
	}
	return nil
}

func stemOf(p string) string { return strings.TrimSuffix(path.Base(p), ".jsonl") }

// isID reports whether a name has the form of a session's id, a uuid.
func isID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		switch i {
		case 8, 13, 18, 23:
			if s[i] != '-' {
				return false
			}
		default:
			if !strings.ContainsRune("0123456789abcdefABCDEF", rune(s[i])) {
				return false
			}
		}
	}
	return true
}
