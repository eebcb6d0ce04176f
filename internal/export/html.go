package export

import (
	"crypto/sha256"
	"encoding/base64"
	"html"
	"strings"

	"lore"
	"lore/internal/text"
)

// page writes a page of HTML that needs nothing but itself: no script, no picture, no font, no address is loaded, and its
// policy forbids it. Every word of a conversation is text: nothing in it becomes markup.
type page struct{ out }

// style is the one style sheet; the policy of the page names its hash, and so no other.
const style = `:root{color-scheme:light dark;--text:#1d1d1f;--dim:#6b6b70;--back:#fff;--user:#eef4ff;--code:#f5f5f7;--line:#dcdce0;--alert:#a33}
@media (prefers-color-scheme:dark){:root{--text:#e6e6ea;--dim:#9a9aa2;--back:#17171a;--user:#1c2638;--code:#222226;--line:#36363c;--alert:#f08080}}
body{margin:0 auto;max-width:52rem;padding:1.5rem 1rem 4rem;color:var(--text);background:var(--back);font:16px/1.5 system-ui,sans-serif}
h1{font-size:1.5rem;line-height:1.25;overflow-wrap:anywhere}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem;font-size:.85rem;color:var(--dim)}
dd{margin:0;overflow-wrap:anywhere}
article{border-top:1px solid var(--line);padding:.75rem 0}
article.user{background:var(--user);padding:.75rem;border-radius:.5rem;border-top:0}
article.inactive{opacity:.6}
header.turn{font-size:.85rem;color:var(--dim);display:flex;gap:.75rem;flex-wrap:wrap}
header.turn b{color:var(--text)}
a{color:inherit}
pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:.5rem 0;font:inherit}
details pre,pre.code{font:13px/1.45 ui-monospace,monospace;background:var(--code);padding:.6rem;border-radius:.4rem}
summary{cursor:pointer;color:var(--dim);font-size:.9rem}
.failed,.loss{color:var(--alert)}
`

// policy lets the page show itself and nothing else.
var policy = func() string {
	sum := sha256.Sum256([]byte(style))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
}()

func (p *page) Begin(h *Head) error {
	c := h.Record
	title := text.VisibleLine(c.Title)
	if title == "" {
		title = "(no title)"
	}
	p.write("<!doctype html>\n<html>\n<head>\n<meta charset=\"utf-8\">\n",
		`<meta http-equiv="Content-Security-Policy" content="`, policy, "\">\n",
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"referrer\" content=\"no-referrer\">\n",
		"<title>", escaped(title), "</title>\n<style>", style, "</style>\n</head>\n<body>\n<main>\n<h1>", escaped(title), "</h1>\n<dl>\n")
	p.fact("source", c.Source)
	p.fact("project", c.Project.Name)
	p.fact("directory", c.Project.Dir)
	p.fact("branch", c.Project.Branch)
	if !c.StartedAt.IsZero() {
		p.fact("started", clock(c.StartedAt))
	}
	if !c.EndedAt.IsZero() {
		p.fact("ended", clock(c.EndedAt))
	}
	p.fact("models", strings.Join(c.Models, ", "))
	if c.Kind != lore.Main {
		p.fact("kind", string(c.Kind))
	}
	for _, l := range h.Links {
		p.fact(l.Kind, strings.TrimSpace(l.ShortID+" "+l.Title))
	}
	p.fact("tags", strings.Join(h.Tags, ", "))
	p.fact("native id", c.Native)
	p.fact("id", c.ID.String())
	p.write("</dl>\n")
	for _, note := range h.Notes {
		p.write("<pre>", escaped("note: "+note), "</pre>\n")
	}
	return p.err
}

func (p *page) fact(name, value string) {
	if value = text.VisibleLine(value); value != "" {
		p.write("<dt>", escaped(name), "</dt><dd>", escaped(value), "</dd>\n")
	}
}

// escaped is the only way that a text of a conversation gets into the page.
func escaped(s string) string { return html.EscapeString(text.Visible(s)) }

// roles are the classes that a message may have: no other word gets into an attribute.
var roles = map[lore.Role]string{lore.User: "user", lore.Assistant: "assistant", lore.Tool: "tool", lore.System: "system"}

func (p *page) Message(m *lore.Message) error {
	class := roles[m.Role]
	if !m.Active {
		class += " inactive"
	}
	short := m.ShortID()
	p.write(`<article id="m-`, short, `" class="`, class, "\">\n<header class=\"turn\"><b>", escaped(speaker(m)), "</b>")
	if m.Model != "" {
		p.write("<span>", escaped(text.VisibleLine(m.Model)), "</span>")
	}
	if !m.At.IsZero() {
		p.write("<time>", escaped(clock(m.At)), "</time>")
	}
	if !m.Active {
		p.write("<span>not active</span>")
	}
	p.write(`<a href="#m-`, short, `">`, short, "</a></header>\n")
	for i := range m.Parts {
		p.part(&m.Parts[i])
	}
	p.write("</article>\n")
	return p.err
}

func (p *page) part(x *lore.Part) {
	switch x.Kind {
	case lore.Text:
		p.write("<pre>", linked(x.Text), "</pre>\n")
	case lore.Thinking:
		if x.Unreadable {
			p.write("<p>thinking that the source holds encrypted</p>\n")
			return
		}
		p.folded("thinking", "", x.Text)
	case lore.Call:
		p.folded("call "+x.Name, "", x.Text)
	case lore.Result:
		what, class := "result "+x.Name, ""
		if x.IsError {
			what, class = "failed "+x.Name, ` class="failed"`
		}
		p.folded(what, class, x.Text)
	default:
		p.folded(string(x.Kind)+" "+x.Name, "", x.Text)
	}
	if x.Cut {
		p.write("<p>cut: the archive holds all of it</p>\n")
	}
}

// folded writes a text that opens when it is asked for.
func (p *page) folded(what, class, s string) {
	p.write("<details><summary", class, ">", escaped(text.VisibleLine(what)), "</summary><pre>", escaped(s), "</pre></details>\n")
}

// linked is a text in which addresses of the web can be followed. Nothing else becomes a link.
func linked(s string) string {
	s = text.Visible(s)
	var b strings.Builder
	for {
		at := strings.Index(s, "http")
		if at < 0 {
			break
		}
		end := at + addressLen(s[at:])
		if end == at || at > 0 && isWord(s[at-1]) {
			end = at + len("http")
			b.WriteString(html.EscapeString(s[:end]))
			s = s[end:]
			continue
		}
		address := html.EscapeString(s[at:end])
		b.WriteString(html.EscapeString(s[:at]))
		b.WriteString(`<a rel="noopener noreferrer nofollow" href="` + address + `">` + address + `</a>`)
		s = s[end:]
	}
	b.WriteString(html.EscapeString(s))
	return b.String()
}

// addressLen returns how much of a text is an address of the web; 0: it begins with none.
func addressLen(s string) int {
	scheme := len("http://")
	if strings.HasPrefix(s, "https://") {
		scheme++
	} else if !strings.HasPrefix(s, "http://") {
		return 0
	}
	end := strings.IndexFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7f || strings.ContainsRune("<>\"'`\\|^{}", r) })
	if end < 0 {
		end = len(s)
	}
	end = len(strings.TrimRight(s[:end], ".,;:!?)]*_"))
	if end <= scheme {
		return 0
	}
	return end
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

func (p *page) End(t *Tail) error {
	if len(t.Losses) > 0 {
		p.write("<section>\n<h2>Losses</h2>\n<ul>\n")
		for _, l := range t.Losses {
			p.write(`<li class="loss">`, escaped(string(l.Severity)+": "+l.Error()), "</li>\n")
		}
		p.write("</ul>\n</section>\n")
	}
	p.write("</main>\n</body>\n</html>\n")
	return p.err
}
