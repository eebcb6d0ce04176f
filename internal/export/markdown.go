package export

import (
	"strconv"
	"strings"

	"lore"
	"lore/internal/text"
)

// markdown writes a note: front matter in YAML, then a section for each message. Words stand as they were written, what
// tools were given and gave back stands in fenced code.
type markdown struct{ out }

func (m *markdown) Begin(h *Head) error {
	c := h.Record
	m.write("---\n")
	m.fact("id", c.ID.String())
	m.fact("short_id", h.ShortID)
	m.fact("uuid", c.ID.UUID())
	m.fact("content_hash", c.ContentHash.String())
	m.fact("source", c.Source)
	m.fact("store", c.Store)
	m.fact("native_id", c.Native)
	m.fact("title", c.Title)
	m.fact("kind", string(c.Kind))
	m.fact("project", c.Project.Name)
	m.fact("directory", c.Project.Dir)
	m.fact("branch", c.Project.Branch)
	m.fact("remote", c.Project.Remote)
	m.time("started", c.StartedAt)
	m.time("ended", c.EndedAt)
	m.write("messages: ", strconv.Itoa(c.MessageCount), "\n")
	m.list("models", c.Models)
	for _, l := range h.Links {
		m.fact(l.Kind, l.target())
	}
	if !h.InSource {
		m.write("in_source: false\n")
	}
	m.list("tags", h.Tags)
	m.write("---\n\n# ", heading(c.Title), "\n")
	for _, note := range h.Notes {
		m.quoted("note", note)
	}
	return m.err
}

// quoted writes a text that nobody said in the conversation: a note, a thought.
func (m *markdown) quoted(what, s string) {
	m.write("\n> *", what, "*\n>\n")
	for line := range strings.Lines(text.Visible(s)) {
		m.write("> ", strings.TrimRight(line, "\n"), "\n")
	}
}

// fact writes a line of front matter; nothing when there is no value. A JSON string is a YAML string.
func (m *markdown) fact(name, value string) {
	if value != "" {
		m.write(name, ": ", yaml(value), "\n")
	}
}

// time writes a time as YAML has it: without quotes.
func (m *markdown) time(name string, at lore.Time) {
	if !at.IsZero() {
		m.write(name, ": ", at.String(), "\n")
	}
}

func (m *markdown) list(name string, values []string) {
	if len(values) == 0 {
		return
	}
	m.write(name, ":\n")
	for _, v := range values {
		m.write("  - ", yaml(v), "\n")
	}
}

func yaml(s string) string { return string(lore.AppendJSON(nil, text.Visible(s))) }

// target is how front matter names another conversation: as a link to its note where notes are linked.
func (l Link) target() string {
	if l.File != "" {
		return "[[" + l.File + "]]"
	}
	return l.ID.String()
}

func heading(title string) string {
	if title = text.VisibleLine(title); title == "" {
		return "(no title)"
	}
	// What would be a link, a tag or markup in a heading is words here.
	return strings.NewReplacer("[", `\[`, "]", `\]`, "<", `\<`, "#", `\#`, "`", "\\`", "*", `\*`, "_", `\_`).Replace(title)
}

func (m *markdown) Message(msg *lore.Message) error {
	m.write("\n## ", speaker(msg))
	if !msg.At.IsZero() {
		m.write(" · ", clock(msg.At))
	}
	facts := []string{"`" + msg.ShortID() + "`"}
	if msg.Model != "" {
		facts = append(facts, "`"+strings.ReplaceAll(text.VisibleLine(msg.Model), "`", "'")+"`")
	}
	if !msg.Active {
		facts = append(facts, "not active")
	}
	m.write("\n\n", strings.Join(facts, " · "), "\n")
	for i := range msg.Parts {
		m.part(&msg.Parts[i])
	}
	return m.err
}

// speaker is the role in words, with what refines it.
func speaker(m *lore.Message) string {
	role := string(m.Role)
	if role != "" {
		role = strings.ToUpper(role[:1]) + role[1:]
	}
	if m.Subtype != "" {
		role += " (" + text.VisibleLine(m.Subtype) + ")"
	}
	return role
}

// clock is a time to the second, in UTC unless the source did not say the zone.
func clock(at lore.Time) string {
	s := at.Time().Format("2006-01-02 15:04:05")
	if !at.Naive() {
		s += " UTC"
	}
	return s
}

func (m *markdown) part(p *lore.Part) {
	switch p.Kind {
	case lore.Text:
		m.words(p.Text)
	case lore.Thinking:
		if p.Unreadable {
			m.write("\n*thinking that the source holds encrypted*\n")
			return
		}
		m.quoted("thinking", p.Text)
	case lore.Call:
		m.write("\n**", label("call", p.Name), "**\n")
		m.code(language(p.Text), p.Text)
	case lore.Result:
		what := "result"
		if p.IsError {
			what = "failed"
		}
		m.write("\n*", label(what, p.Name), "*\n")
		m.code("", p.Text)
	default:
		m.write("\n*", label(string(p.Kind), p.Name), "*\n")
		m.code("", p.Text)
	}
	if p.Cut {
		m.write("\n*cut: the archive holds all of it*\n")
	}
}

func label(what, name string) string {
	if name = text.VisibleLine(name); name == "" {
		return what
	}
	return what + " " + strings.NewReplacer("*", `\*`, "_", `\_`, "<", `\<`, "[", `\[`, "`", "\\`").Replace(name)
}

func language(input string) string {
	if strings.HasPrefix(input, "{") {
		return "json"
	}
	return ""
}

// words writes a text as it is. A fence that it opens and does not close is closed, so that it ends with the message.
func (m *markdown) words(s string) {
	s = strings.TrimRight(text.Visible(s), "\n")
	m.write("\n", s, "\n")
	if open := openFence(s); open != "" {
		m.write(open, "\n")
	}
}

// openFence returns the fence that a text leaves open; empty when there is none.
func openFence(s string) string {
	open := ""
	for line := range strings.Lines(s) {
		line = strings.TrimRight(line, "\n")
		trimmed := strings.TrimLeft(line, " ")
		if len(line)-len(trimmed) > 3 || len(trimmed) < 3 || trimmed[0] != '`' && trimmed[0] != '~' {
			continue
		}
		n := len(trimmed) - len(strings.TrimLeft(trimmed, trimmed[:1]))
		switch {
		case n < 3:
		case open == "":
			if trimmed[0] == '~' || !strings.Contains(trimmed[n:], "`") {
				open = trimmed[:n]
			}
		case trimmed[0] == open[0] && n >= len(open) && strings.TrimSpace(trimmed[n:]) == "":
			open = ""
		}
	}
	return open
}

// code writes a text in a fence that is longer than any row of backticks inside it.
func (m *markdown) code(language, s string) {
	s = strings.TrimRight(text.Visible(s), "\n")
	if s == "" {
		return
	}
	longest, row := 2, 0
	for i := 0; i < len(s); i++ {
		if s[i] != '`' {
			row = 0
			continue
		}
		row++
		longest = max(longest, row)
	}
	fence := strings.Repeat("`", longest+1)
	m.write("\n", fence, language, "\n", s, "\n", fence, "\n")
}

func (m *markdown) End(t *Tail) error {
	if len(t.Losses) > 0 {
		m.write("\n## Losses\n\n")
		for _, l := range t.Losses {
			m.write("- ", string(l.Severity), ": ", heading(l.Error()), "\n")
		}
	}
	return m.err
}
