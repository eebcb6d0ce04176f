package export

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lore"
)

var update = flag.Bool("update", false, "write the goldens instead of comparing")

// hostile is what tries to become markup, code or a link, in each place where a source can put a text.
const hostile = "\"><script>alert(1)</script><img src=x onerror=alert(2)> &lt;b&gt; </textarea></pre></style><svg/onload=alert(3)> \x1b[31m\u202e"

func sample() (*Head, []lore.Message, *Tail) {
	at := func(minute int) lore.Time {
		return lore.NewTime(time.Date(2026, 3, 2, 9, minute, 0, 0, time.UTC).UnixNano(), 3, false)
	}
	c := &lore.Conversation{Source: "claude-code", Store: "projects", Native: "n-1", Title: "Why [is] the *lamp* <dark>?", TitleFrom: lore.TitleFromSource,
		Kind: lore.Main, Project: lore.Project{Dir: "/proj/lantern", Name: "lantern", Branch: "main"}, Models: []string{"m-1"},
		Parent: &lore.Parent{Native: "n-0"},
		Messages: []lore.Message{
			{Native: "a", Role: lore.User, At: at(1), Active: true, Parts: []lore.Part{{Kind: lore.Text, Text: "Why is it dark?\n\n```go\nfunc open() {"}}},
			{Native: "b", Role: lore.Assistant, At: at(2), Model: "m-1", Active: true, Parts: []lore.Part{
				{Kind: lore.Thinking, Text: "The fuse.\nOr the cat."},
				{Kind: lore.Thinking, Unreadable: true},
				{Kind: lore.Text, Text: "See https://example.org/a?b=1&c=2. Not javascript:alert(1) nor xhttp://no."},
				{Kind: lore.Call, Name: "Bash", Text: `{"command":"ls"}`},
			}},
			{Native: "c", Role: lore.Tool, At: at(3), Active: true, Parts: []lore.Part{{Kind: lore.Result, Name: "Bash", IsError: true, Text: "no ```` such\n```\nfile", Cut: true}}},
			{Native: "d", Role: lore.User, Active: false, Subtype: "queued", Parts: []lore.Part{{Kind: lore.Image, Name: "x.png", Text: "sha256:00"}}},
		}}
	lore.Seal(c)
	h := &Head{Record: c, ShortID: c.ID.Short(), Tags: []string{"lore", "project/lantern"}, Notes: []string{"the fix\nthat held"},
		Links: []Link{{Kind: "parent", ID: c.Parent.ID, ShortID: c.Parent.ID.Short(), Title: "The lamp", File: "2026-03-02 The lamp x"}},
		JSON:  struct{ ID lore.ID }{c.ID}}
	return h, c.Messages, &Tail{Losses: []lore.Loss{{Code: lore.BadJSON, Severity: lore.Warning, File: "~/x.jsonl", Line: 3, What: "a line", Count: 1}},
		Ledger: lore.Ledger{Units: 1, Damaged: 1, Types: map[string]int{"skipped:mode": 1}}}
}

func written(t *testing.T, name string, h *Head, messages []lore.Message, tail *Tail) string {
	t.Helper()
	f, ok := FormatOf(name)
	if !ok {
		t.Fatalf("there is no format %q", name)
	}
	var b strings.Builder
	w := f.New(&b)
	if err := w.Begin(h); err != nil {
		t.Fatal(err)
	}
	for i := range messages {
		if err := w.Message(&messages[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.End(tail); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGoldens(t *testing.T) {
	for _, f := range Formats {
		got := written(t, f.Name, first(sample()), second(sample()), third(sample()))
		file := filepath.Join("testdata", "sample"+f.Ending)
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", f.Name, diff)
		}
	}
}

func first(h *Head, _ []lore.Message, _ *Tail) *Head           { return h }
func second(_ *Head, m []lore.Message, _ *Tail) []lore.Message { return m }
func third(_ *Head, _ []lore.Message, t *Tail) *Tail           { return t }

// TestHostileHTML: nothing that a source says becomes markup, whichever field says it. Every tag of the page is one that
// the page itself writes, with the attributes that it gives it.
func TestHostileHTML(t *testing.T) {
	c := &lore.Conversation{Source: hostile, Store: hostile, Native: hostile, Title: hostile, Kind: lore.Kind(hostile),
		Project: lore.Project{Dir: hostile, Name: hostile, Branch: hostile, Remote: hostile}, Models: []string{hostile}}
	for _, kind := range []lore.PartKind{lore.Text, lore.Thinking, lore.Call, lore.Result, lore.Image, lore.File, lore.Unknown, hostile} {
		c.Messages = append(c.Messages, lore.Message{Role: hostile, Model: hostile, Subtype: hostile, Native: hostile,
			Parts: []lore.Part{{Kind: kind, Text: hostile + " https://x/" + hostile, Name: hostile, MediaType: hostile}}})
	}
	lore.Seal(c)
	h := &Head{Record: c, ShortID: c.ID.Short(), Tags: []string{hostile}, Notes: []string{hostile}, Links: []Link{{Kind: hostile, Title: hostile, ShortID: hostile}}}
	got := written(t, "html", h, c.Messages, &Tail{Losses: []lore.Loss{{Code: hostile, Severity: hostile, File: hostile, What: hostile}}})
	body := strings.Replace(got, style, "", 1)
	own := regexp.MustCompile(`^(!doctype html|/?(html|head|title|style|body|main|h1|h2|dl|dt|dd|b|span|time|pre|details|summary|p|section|ul|li|header|a|article)` +
		`|meta charset="utf-8"|meta http-equiv="Content-Security-Policy" content="[^"<>]*"|meta name="[a-z]+" content="[a-z=, 0-9-]*"` +
		`|article id="m-[0-9a-v]{12}" class="[a-z ]*"|header class="turn"|summary class="failed"|li class="loss"` +
		`|a href="#m-[0-9a-v]{12}"|a rel="noopener noreferrer nofollow" href="https?://[^"<>\s]*")$`)
	for i, piece := range strings.Split(body, "<") {
		tag, _, closed := strings.Cut(piece, ">")
		if i > 0 && (!closed || !own.MatchString(tag)) {
			t.Errorf("the page holds <%s>", tag)
		}
	}
	if strings.ContainsAny(body, "\x1b\u202e") {
		t.Error("the page holds control characters")
	}
	for _, forbidden := range []string{"unsafe", "script-src", "http-equiv=\"refresh"} {
		if strings.Contains(body[:strings.Index(body, "<title>")], forbidden) {
			t.Errorf("the head of the page holds %q", forbidden)
		}
	}
	if !strings.Contains(body, "&amp;lt;b&amp;gt;") {
		t.Error("an entity that was typed is not shown as it was typed")
	}
}

// TestHostileMarkdown: no field of the front matter ends it or adds a field.
func TestHostileMarkdown(t *testing.T) {
	bad := "x\n---\nevil: true\n# \"quoted\" \\ [[link]] #tag"
	c := &lore.Conversation{Source: bad, Store: bad, Native: bad, Title: bad, Kind: lore.Kind(bad), Models: []string{bad},
		Project: lore.Project{Dir: bad, Name: bad, Branch: bad, Remote: bad}}
	lore.Seal(c)
	h := &Head{Record: c, ShortID: "s", Tags: []string{bad}, Links: []Link{{Kind: "parent", File: bad}}}
	got := written(t, "markdown", h, nil, &Tail{})
	front, rest, ok := strings.Cut(strings.TrimPrefix(got, "---\n"), "\n---\n")
	if !ok || strings.Contains(rest, "\n---") || !strings.HasPrefix(rest, "\n# ") {
		t.Fatalf("the front matter ends elsewhere:\n%s", got)
	}
	for line := range strings.Lines(front) {
		name, value, pair := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		if item, is := strings.CutPrefix(line, "  - "); is {
			name, value, pair = "tags", strings.TrimSuffix(item, "\n"), true
		}
		var s any
		if pair && (name == "evil" || json.Unmarshal([]byte(value), &s) != nil) {
			t.Errorf("front matter: %s", line)
		}
	}
	if strings.Contains(rest, "[[") {
		t.Errorf("a title makes a link: %s", rest)
	}
}

func TestOpenFence(t *testing.T) {
	for in, want := range map[string]string{
		"":                       "",
		"```\na\n```":            "",
		"```go\na":               "```",
		"````\n```\n":            "````",
		"~~~~ x\n```\n~~~":       "~~~~",
		"`` ``":                  "",
		"```inline``` code":      "",
		"    ```\nindented":      "",
		"```\n``` not the end\n": "```",
	} {
		if got := openFence(in); got != want {
			t.Errorf("openFence(%q) is %q, want %q", in, got, want)
		}
	}
}
