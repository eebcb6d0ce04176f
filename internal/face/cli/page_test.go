package cli

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lore"
	"lore/internal/service"
)

// now is when the tests take place.
var now = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)

func at(s string) lore.Time {
	var t lore.Time
	if err := t.UnmarshalText([]byte(s)); err != nil {
		panic(err)
	}
	return t
}

// printed returns what f prints on a terminal of the given width.
func printed(width int, f func(*page)) string {
	var b bytes.Buffer
	f(&page{w: &b, width: width, person: true, now: now, zone: time.UTC})
	return b.String()
}

// update writes golden files instead of comparing with them.
var update = flag.Bool("update", false, "write the golden files instead of comparing with them")

// golden compares with a file in testdata, or writes it under -update.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

func id(n byte) lore.ID { return lore.ID{n, 0x5a, 0x33, n, 0x77, 0x12, n, 0x99} }

func header() service.Header {
	return service.Header{
		ID: id(1), ShortID: id(1).Short(), Source: "claude-code", Store: "projects", NativeID: "s1",
		Title: "Debounce the lamp's button", TitleFrom: lore.TitleFromSource,
		Project:   lore.Project{Dir: "/proj/lantern", Name: "lantern", Branch: "main"},
		StartedAt: at("2026-03-02T09:01:10Z"), EndedAt: at("2026-03-02T09:04:10Z"),
		Models: []string{"claude-sonnet-4-5"}, Kind: lore.Main, InSource: true,
		Usage: &lore.Usage{Input: 7200, Output: 1080},
	}
}

func messages() []lore.Message {
	m := func(n byte, role lore.Role, clock string, parts ...lore.Part) lore.Message {
		return lore.Message{ID: id(n), Role: role, At: at("2026-03-02T" + clock + "Z"), AtFrom: lore.FromSource, Active: true, Parts: parts}
	}
	list := []lore.Message{
		m(2, lore.User, "09:01:10", lore.Part{Kind: lore.Text, Text: "The lamp toggles twice when I press the button once. Can you find out why?\n\n\tattachInterrupt(BUTTON_PIN, onPress, FALLING);"}),
		m(3, lore.Assistant, "09:01:31",
			lore.Part{Kind: lore.Thinking, Text: "A double toggle on one press smells like a bouncing contact."},
			lore.Part{Kind: lore.Thinking, Unreadable: true},
			lore.Part{Kind: lore.Text, Text: "I will look at how the button is read."},
			lore.Part{Kind: lore.Call, Name: "Grep", Text: `{"pattern":"onPress","path":"src"}`},
			lore.Part{Kind: lore.Call, Name: "Bash", Text: `{"command":"make test"}`},
			lore.Part{Kind: lore.Call, Name: "Edit", Text: `{"file_path":"/proj/lantern/src/button.c","new_string":"#define DEBOUNCE_MS 30\n\nvoid onPress(void) {\n"}`},
			lore.Part{Kind: lore.Call, Name: "apply_patch", Text: "*** Begin Patch\n*** Update File: a.c\n*** End Patch"}),
		m(4, lore.Tool, "09:01:33",
			lore.Part{Kind: lore.Result, Text: strings.Repeat("ok 1 - one press toggles once\n", 20)},
			lore.Part{Kind: lore.Result, Name: "Bash", IsError: true, Text: "make: *** No rule\x1b[31m to make\x07 target"}),
		m(5, lore.User, "09:03:02", lore.Part{Kind: lore.Image, Text: "sha256:00", MediaType: "image/png", Bytes: 67000}),
		m(6, lore.System, "09:03:30", lore.Part{Kind: lore.Unknown, Name: "hologram", Text: `{"type":"hologram"}`}),
		m(7, lore.User, "09:03:40", lore.Part{Kind: lore.Text, Text: "Withdrawn words."}),
	}
	list[1].Model = "claude-sonnet-4-5"
	list[5].Active, list[5].Subtype = false, "rewound"
	list[4].At = at("2026-03-03T00:00:00Z")
	return list
}

func TestShowText(t *testing.T) {
	shown := &service.Shown{Header: header(), Messages: messages(),
		Losses: []lore.Loss{{Code: lore.NulPadding, Severity: lore.Warning, Source: "claude-code", File: "~/.claude/projects/x/s1.jsonl", Line: 4, What: "300 NUL bytes", Count: 1}}}
	golden(t, "show.txt", printed(80, func(pg *page) { (&reader{page: pg}).conversation(shown) }))
	golden(t, "show-full.txt", printed(80, func(pg *page) { (&reader{page: pg, full: true}).conversation(shown) }))
}

func TestShowMessageText(t *testing.T) {
	h := header()
	h.InSource, h.Archived, h.Kind = false, true, lore.Subagent
	h.Parent, h.Lineage = &lore.Parent{ID: id(9)}, &lore.Lineage{Kind: lore.Fork, Of: id(8), Shared: 4}
	all := messages()
	golden(t, "show-message.txt", printed(60, func(pg *page) {
		(&reader{page: pg}).message(&service.MessageShown{Conversation: service.Listed{Header: h, Messages: 6}, Before: all[:1], Message: all[3], After: all[5:]})
	}))
}

func searchResult() *service.SearchResult {
	hit := func(n byte, tier string) service.Hit {
		h := header()
		return service.Hit{ID: id(n), ShortID: id(n).Short(), Role: lore.User, Kind: lore.Text, At: at("2026-03-11T09:00:00Z"), Active: true, Tier: tier,
			Conversation: service.HitOf{ID: h.ID, ShortID: h.ShortID, Title: h.Title, Source: h.Source, Project: h.Project},
			Snippet:      "Yes, but make the debounce\nwindow a constant so that we can tune it later without a new build of it all.", Ranges: [][2]int{{18, 26}, {27, 33}}}
	}
	first, second, third := hit(2, "exact"), hit(3, "forms"), hit(4, "forms")
	first.MoreInConversation, first.AlsoIn = 2, []service.Copy{{}, {}}
	second.Kind, second.Role, second.Active = lore.Call, lore.Assistant, false
	third.Conversation.Title, third.Conversation.Project, third.At = "", lore.Project{}, lore.Time{}
	third.Snippet, third.Ranges = "überall 解释这个错误 \x1b[31mred", [][2]int{{9, 15}}
	next := "c1"
	return &service.SearchResult{Total: 41, ElapsedMS: 7, Hits: []service.Hit{first, second, third}, Next: &next, Coverage: service.Coverage{Searched: 1204}}
}

func TestSearchText(t *testing.T) {
	res := searchResult()
	golden(t, "search.txt", printed(72, func(pg *page) { pg.hits(res) }))
	golden(t, "search-color.txt", strings.ReplaceAll(printed(72, func(pg *page) { pg.color = true; pg.hits(res) }), "\x1b", "ESC"))
	if got, want := searchSummary(res), "about 41 hits in 1,204 conversations, 7 ms; --limit shows more"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestListText(t *testing.T) {
	a, b, c := header(), header(), header()
	a.EndedAt = at("2026-03-14T11:58:30Z")
	b.ShortID, b.Source, b.Title, b.InSource, b.Project, b.EndedAt = id(2).Short(), "codex", "", false, lore.Project{Dir: "/proj/a-project-with-a-long-name"}, lore.Time{}
	c.ShortID, c.Kind, c.Title, c.EndedAt = id(3).Short(), lore.Subagent, strings.Repeat("long title ", 10), at("2025-11-30T00:00:00Z")
	list := []service.Listed{{Header: a, Messages: 12}, {Header: b, Messages: 1204}, {Header: c, Messages: 2}}
	golden(t, "list.txt", printed(100, func(pg *page) { pg.conversations(list) }))
}

func TestImportText(t *testing.T) {
	res := &service.ImportResult{Found: true, ElapsedMS: 1234, BytesRead: 34_200_000,
		Sources:       []service.SourceReport{{Source: "claude-code", Found: 390, Read: 10, Unchanged: 380, Conversations: 9, Messages: 1204}, {Source: "cursor", Failed: 1}, {Source: "codex"}},
		Conversations: service.ImportCounts{Total: 500, New: 3, Changed: 6, Unchanged: 491, Kept: 2},
		Losses: []lore.Loss{
			{Code: lore.NulPadding, Severity: lore.Warning, File: "~/.claude/projects/x/y.jsonl", Line: 4, What: "300 NUL bytes"},
			{Code: lore.MissingRow, Severity: lore.Error, File: "~/.config/Cursor/state.vscdb", Row: "cursorDiskKV/composerData:1"},
			{Code: lore.Empty, Severity: lore.Info, File: "~/.claude/projects/x/z.jsonl"}},
		Failures: []service.Fault{{Source: "cursor", File: "~/.config/Cursor/User", Error: "permission denied"}}}
	golden(t, "import.txt", printed(90, func(pg *page) { pg.importReport(res) }))
	golden(t, "import-none.txt", printed(90, func(pg *page) { pg.importReport(&service.ImportResult{}) }))
}

func TestInspectText(t *testing.T) {
	e := &service.InspectedEvidence{File: "~/.claude/projects/x/y.jsonl", Source: "claude-code", Store: "projects", Bytes: 12345, InSource: true, Snapshots: 2,
		Companions: []string{"~/.claude/projects/x/y/tool-results/1.txt"},
		Ledger: lore.Ledger{Units: 121, Kept: 80, Merged: 10, Skipped: 20, Unknown: 6, Damaged: 5,
			Types: map[string]int{"skipped:mode": 8, "skipped:file-history-snapshot": 12, "unknown:frobnicate": 6}},
		Losses:        []lore.Loss{{Code: lore.NulPadding, Severity: lore.Warning, File: "~/.claude/projects/x/y.jsonl", Line: 4, What: "300 NUL bytes", Count: 1}},
		Conversations: []service.InspectedPart{{ShortID: id(1).Short(), Title: "Debounce the lamp's button", Messages: 12, Ledger: lore.Ledger{Units: 120}}, {ShortID: id(2).Short(), Partial: true, Ledger: lore.Ledger{Units: 1}}}}
	golden(t, "inspect.txt", printed(80, func(pg *page) { pg.evidence(e) }))
}

func TestSourcesText(t *testing.T) {
	res := &service.SourcesResult{Sources: []service.SourceStatus{
		{Source: "claude-code", Title: "Claude Code", Conversations: 110, Messages: 9000, Newest: at("2026-03-12T00:00:00Z"), Oldest: at("2025-01-02T00:00:00Z"),
			Places: []service.PlaceStatus{{Path: "~/.claude", State: "found", Files: 120, Bytes: 34e6}, {Path: "~/.config/claude", State: "absent"}}, Notes: []string{"Claude Code deletes sessions after 30 days."}},
		{Source: "codex", Title: "Codex", Places: []service.PlaceStatus{{Path: "~/.codex", State: "unreadable", Failures: []service.Fault{{File: "~/.codex/sessions", Error: "permission denied"}}}}},
		{Source: "cursor", Title: "Cursor", Places: []service.PlaceStatus{{Path: "~/.config/Cursor", State: "absent"}}}}}
	golden(t, "sources.txt", printed(80, func(pg *page) { pg.sources(res) }))
}

func grepEvents() []service.GrepEvent {
	h := header()
	of := service.HitOf{ID: h.ID, ShortID: h.ShortID, Title: h.Title, Source: h.Source, Project: h.Project}
	match := func(n byte, line int, text string, from, to int) service.GrepMatch {
		m := service.GrepMatch{Conversation: h.ID, Message: id(n), ShortID: id(n).Short(), Role: lore.Tool, Kind: lore.Result, LineNumber: line, Line: text}
		if to > 0 {
			m.Submatches = []service.Submatch{{Match: text[from:to], Start: from, End: to}}
		}
		return m
	}
	return []service.GrepEvent{
		{Type: "begin", Data: service.GrepBegin{Conversation: of}},
		{Type: "context", Data: match(4, 6, "src/button.c:40:/* called for every falling edge */", 0, 0)},
		{Type: "match", Data: match(4, 7, "src/button.c:41:void onPress(void) {", 21, 28)},
		{Type: "match", Data: match(5, 1, strings.Repeat("é", 300)+"onPress"+strings.Repeat("y", 500), 600, 607)},
		{Type: "end", Data: service.GrepEnd{Conversation: h.ID, Matches: 2, Lines: 2}},
		{Type: "summary", Data: service.GrepSummary{Conversations: 1, Matches: 2, Lines: 2}},
	}
}

func TestGrepText(t *testing.T) {
	print := func(person bool) string {
		return printed(60, func(pg *page) {
			pg.person = person
			l := newLines(pg, &grepFlags{}, service.GrepRequest{Before: 1})
			for _, e := range grepEvents() {
				l.event(e)
			}
		})
	}
	golden(t, "grep.txt", print(true))
	golden(t, "grep-pipe.txt", print(false))
}
