package claudecode

import (
	"fmt"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// maxIndex bounds a session index, in bytes.
const maxIndex = 64 << 20

// readIndex reads a session index. It is often stale and never decides what exists: each entry is a fact about a session
// whose body, if there is one, is a file.
func readIndex(in adapter.Input, out *sink) error {
	doc, err := kit.Document(in, in.Source.Path, maxIndex)
	if err != nil {
		return err
	}
	entries := doc.Value.Get("entries")
	if !doc.Value.IsObject() || !entries.IsArray() {
		if in.Source.Store == "" {
			return adapter.ErrNotMine
		}
		return fmt.Errorf("%w: %q has no list of entries", adapter.ErrMalformed, in.Source.Path)
	}
	whole := &lore.Conversation{Source: source, Store: storeProjects, Partial: true, Kind: lore.Main, Losses: doc.Losses}
	for e := range entries.Items() {
		session := e.Get("sessionId").String()
		if session == "" {
			whole.Ledger.Meet("index entry")
			continue
		}
		if !out.put(indexed(e, session)) {
			return nil
		}
	}
	if whole.Ledger.Units > 0 || len(whole.Losses) > 0 {
		out.put(whole)
	}
	return nil
}

// indexed makes the fact of one entry.
func indexed(e kit.Value, session string) *lore.Conversation {
	dir := e.Get("projectPath").String()
	c := &lore.Conversation{
		Source: source, Store: storeProjects, Partial: true, Native: session, Kind: lore.Main,
		Project: lore.Project{Dir: dir, Name: kit.ProjectName(dir), Branch: e.Get("gitBranch").String()},
	}
	if t := firstOf(e, "customTitle", "summary"); t.Exists() {
		c.Title, c.TitleFrom = t.String(), lore.TitleFromSource
	}
	c.StartedAt, _ = kit.ParseTime(e.Get("created"))
	c.EndedAt, _ = kit.ParseTime(e.Get("modified"))
	c.Ledger.Keep(1)
	return c
}
