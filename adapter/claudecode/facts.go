package claudecode

import (
	"lore"
)

// entitle gives each title to its conversation: a session's own, or the one that holds the leaf which a summary names.
// What a summary says of another file's conversation is a fact about that one.
func (f *file) entitle() {
	for k := range f.titles {
		t := &f.titles[k]
		l := &f.lines[t.line]
		if t.leaf != (key{}) {
			at := f.holder(t.leaf)
			if at < 0 {
				l.flags |= elsewhere
				continue
			}
			l.conv = f.lines[at].conv
		}
		if c := f.convs[l.conv]; t.text != "" && t.rank >= c.rank {
			c.title, c.named, c.rank = t.text, t.line, t.rank
		}
	}
}

// abouts yields what summaries say of the conversations of other files.
func (f *file) abouts(out *sink) {
	for k := range f.titles {
		t := &f.titles[k]
		l := &f.lines[t.line]
		if !l.is(elsewhere) {
			continue
		}
		c := &lore.Conversation{
			Source: source, Store: storeProjects, Partial: true, About: f.names.string(t.leaf),
			Title: t.text, TitleFrom: lore.TitleFromSource, Kind: lore.Main,
		}
		c.Ledger.Keep(1)
		c.Ledger.Merge(int(l.again))
		if !out.put(c) {
			return
		}
	}
}

// started yields, for each sub-agent that a result or a progress record names, which call started it: the sub-agent's own
// file does not say. It is a fact without a unit of its own.
func (f *file) started(out *sink) {
	byAgent := map[string]link{}
	var order []string
	for _, l := range f.links {
		old, ok := byAgent[l.agent]
		if !ok {
			order = append(order, l.agent)
		}
		if !ok || l.said && !old.said {
			byAgent[l.agent] = l
		}
	}
	for _, agent := range order {
		l := byAgent[agent]
		c := f.convs[f.lines[l.line].conv]
		if agent == f.place.agent || c.session == "" || l.call == "" {
			continue
		}
		fact := &lore.Conversation{
			Source: source, Store: storeProjects, Partial: true, Native: c.session + "/agent-" + agent, Kind: lore.Subagent,
			Parent: &lore.Parent{Native: c.native, Call: l.call},
		}
		if !out.put(fact) {
			return
		}
	}
}

// describe reads the file beside a sub-agent's, which says what it was started for and by which call.
func (f *file) describe(meta metaFile) {
	c := f.convs[0]
	if c.kind != lore.Subagent {
		return
	}
	if c.parent != nil && meta.call != "" {
		c.parent.Call = meta.call
	}
	if c.title == "" {
		c.title = meta.description
	}
}
