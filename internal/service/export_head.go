package service

import (
	"slices"

	"lore"
	"lore/internal/export"
	"lore/internal/index"
	"lore/internal/redact"
)

// head returns what an export says of a conversation before its messages.
func (x *exporting) head(c *lore.Conversation, short string, e *index.Entry) (*export.Head, error) {
	header, err := x.header(c, e.InSource)
	if err != nil {
		return nil, err
	}
	if !x.req.NoRedact {
		for i := range header.Marks {
			header.Marks[i].Value = x.secrets.Text(header.Marks[i].Value)
		}
	}
	gone, err := x.withoutOrigin(c)
	if err != nil {
		return nil, err
	}
	h := &export.Head{Record: c, ShortID: short, InSource: e.InSource, JSON: Listed{Header: header, Messages: c.MessageCount, Losses: e.Losses + len(gone)}}
	if x.format.Ending == ".json" {
		h.JSON = header // as `show --json` has it: messages and losses are lists there
	}
	if c.Parent != nil && !c.Parent.ID.IsZero() {
		h.Links = append(h.Links, x.link("parent", c.Parent.ID))
	}
	if c.Lineage != nil && !c.Lineage.Of.IsZero() {
		h.Links = append(h.Links, x.link(string(c.Lineage.Kind), c.Lineage.Of))
	}
	if x.req.Obsidian {
		h.Tags = []string{"lore", "lore/" + c.Source}
		if t := export.Tag(c.Project.Name); t != "" {
			h.Tags = append(h.Tags, "project/"+t)
		}
		if c.Kind != "" && c.Kind != lore.Main {
			h.Tags = append(h.Tags, "lore/"+string(c.Kind))
		}
	}
	for _, mark := range header.Marks {
		switch tag := export.Tag(mark.Value); {
		case mark.Kind == "note":
			h.Notes = append(h.Notes, mark.Value)
		case mark.Kind == "star" && !slices.Contains(h.Tags, "starred"):
			h.Tags = append(h.Tags, "starred")
		case mark.Kind == "tag" && tag != "" && !slices.Contains(h.Tags, tag):
			h.Tags = append(h.Tags, tag)
		}
	}
	return h, nil
}

// link names another conversation, and in a vault its note.
func (x *exporting) link(kind string, id lore.ID) export.Link {
	l := export.Link{Kind: kind, ID: id, ShortID: id.Short()}
	e, err := x.index.Conversation(id)
	if err != nil {
		return l // the archive does not hold it
	}
	c, err := e.Conversation()
	if err != nil {
		return l
	}
	var uncounted redact.Counter
	if !x.req.NoRedact {
		c.Title = uncounted.Text(c.Title)
	}
	l.ShortID, l.Title = x.short([]lore.ID{id})[0], c.Title
	if x.req.Obsidian {
		l.File = x.folder.Known(x.sub(e.Source), id, x.format.Ending)
		if l.File == "" {
			l.File = x.name(c, l.ShortID)
		}
	}
	return l
}

// sub returns the folder of a source below the folder of the export; empty for that folder itself.
func (x *exporting) sub(source string) string {
	if x.req.Obsidian {
		return export.Tag(source)
	}
	return ""
}

// name returns the name of a new file, without its ending.
func (x *exporting) name(c *lore.Conversation, short string) string {
	if x.req.Obsidian {
		return export.Name(c, short, " ")
	}
	return export.Name(c, short, "-")
}

// redactHeader replaces credentials in what a header says. A title that was made from a prompt says what a message says
// too, and is not counted a second time.
func (x *exporting) redactHeader(c *lore.Conversation) {
	if x.req.NoRedact {
		return
	}
	var uncounted redact.Counter
	if c.TitleFrom == lore.TitleFromSource {
		c.Title = x.secrets.Text(c.Title)
	} else {
		c.Title = uncounted.Text(c.Title)
	}
	for _, s := range []*string{&c.Project.Dir, &c.Project.Name, &c.Project.Branch, &c.Project.Remote} {
		*s = x.secrets.Text(*s)
	}
	for i := range c.Models {
		c.Models[i] = x.secrets.Text(c.Models[i])
	}
}

// redactMessage replaces credentials in what a message says. The input of a call is JSON and stays it.
func (x *exporting) redactMessage(m *lore.Message) {
	if x.req.NoRedact {
		return
	}
	for i := range m.Parts {
		p := &m.Parts[i]
		p.Text, p.Name = x.secrets.Text(p.Text), x.secrets.Text(p.Name)
	}
}

func (x *exporting) redactLosses(list []lore.Loss) {
	if x.req.NoRedact {
		return
	}
	for i := range list {
		list[i].What = x.secrets.Text(list[i].What)
	}
}
