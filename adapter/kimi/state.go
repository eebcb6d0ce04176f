package kimi

import (
	"path"
	"slices"
	"strings"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// maxState bounds a state file.
const maxState = 16 << 20

// about is what the files beside a session say.
type about struct {
	title, dir string
	custom     bool // the person chose the title
	archived   bool
	parent     string // the agent that started this one
	begun, end lore.Time
	losses     []lore.Loss
}

// aboutOf reads what stands beside a session's files. What is missing or damaged is not known.
func aboutOf(in adapter.Input, pl place) about {
	var a about
	dir := path.Dir(in.Source.Path)
	if pl.store == storeCode {
		dir = path.Dir(path.Dir(dir))
	}
	for _, name := range []string{stateFile, oldState} {
		if p := path.Join(dir, name); slices.Contains(in.Source.Companions, p) {
			if v, ok := a.document(in, p); ok {
				a.read(v, pl.agent)
			}
		}
	}
	if slices.Contains(in.Source.Companions, placesFile) && a.dir == "" {
		if v, ok := a.document(in, placesFile); ok {
			a.dir = folderOf(v, pl.hash)
		}
	}
	return a
}

func (a *about) document(in adapter.Input, p string) (kit.Value, bool) {
	doc, err := kit.Document(in, p, maxState)
	if err != nil {
		a.losses = append(a.losses, lore.Loss{Code: lore.BadJSON, Severity: lore.Warning, Source: source, File: in.Name(p),
			What: "what stands beside the session cannot be read", Count: 1})
		return kit.Value{}, false
	}
	a.losses = append(a.losses, doc.Losses...)
	return doc.Value, true
}

// read takes a session's state, of either product.
func (a *about) read(v kit.Value, agent string) {
	if title := v.Get("custom_title").String(); title != "" && a.title == "" {
		a.title, a.custom = title, true
	}
	if title := v.Get("title").String(); title != "" && title != "Untitled" && a.title == "" {
		a.title, a.custom = title, v.Get("isCustomTitle").Bool()
	}
	if dir := v.Get("workDir").String(); a.dir == "" {
		a.dir = dir
	}
	a.archived = a.archived || v.Get("archived").Bool()
	if p := v.Get("agents", agent, "parentAgentId"); a.parent == "" {
		a.parent = p.String()
	}
	if t, ok := kit.ParseTime(v.Get("createdAt")); ok {
		a.begun = t
	}
	if t, ok := kit.ParseTime(v.Get("updatedAt")); ok {
		a.end = t
	}
}

// folderOf returns the working folder that Kimi CLI names by a hash.
func folderOf(v kit.Value, hash string) string {
	for entry := range v.Get("work_dirs").Items() {
		if dir := entry.Get("path").String(); dir != "" && kit.PathMD5(dir) == hash {
			return dir
		}
	}
	return ""
}

// describe fills the header of the agent's own conversation. A title that only repeats the first prompt is none.
func (a *about) describe(c *lore.Conversation, firstPrompt string) {
	c.Archived = a.archived
	c.Project = lore.Project{Dir: a.dir, Name: kit.ProjectName(a.dir)}
	if c.Kind == lore.Subagent {
		return // the title is the session's
	}
	if repeats := strings.HasPrefix(fold(firstPrompt), strings.TrimRight(fold(a.title), ".… ")); a.title != "" && (a.custom || !repeats) {
		c.Title, c.TitleFrom, c.TitleAt = a.title, lore.TitleFromSource, a.end
	}
}

func fold(s string) string { return strings.Join(strings.Fields(s), " ") }

// readState reads a state that a user named: facts about a session that stands elsewhere. Its agents' folders tell which.
func readState(in adapter.Input, yield yielder) error {
	doc, err := kit.Document(in, in.Source.Path, maxState)
	if err != nil {
		return adapter.ErrNotMine
	}
	home := doc.Value.Get("agents", mainAgent, "homedir").String()
	pl := placeOf(strings.ReplaceAll(home, `\`, "/") + "/" + wireFile)
	if pl.store != storeCode || pl.session == "" {
		return adapter.ErrNotMine
	}
	var a about
	a.read(doc.Value, mainAgent)
	c := &lore.Conversation{Source: source, Store: storeCode, Native: pl.session, Kind: lore.Main, Partial: true, Losses: doc.Losses}
	a.describe(c, doc.Value.Get("lastPrompt").String())
	c.Ledger.Keep(1)
	if !yield(c, nil) {
		return kit.ErrStopped
	}
	return nil
}
