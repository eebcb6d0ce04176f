package codex

import (
	"strings"
	"testing"

	"lore"
)

// TestUsage: each new total is one call of the model; a repeated one is the same call.
func TestUsage(t *testing.T) {
	full := func(in, cached, out int64) *lore.Usage { return &lore.Usage{Input: in, CacheRead: cached, Output: out} }
	count := func(total, last string) string {
		return event(`{"type":"token_count","info":{"total_token_usage":` + total + `,"last_token_usage":` + last + `}}`)
	}
	c := readOne(t, meta(""), userItem("go"), thinkItem("hm"), callItem("c", "f", "{}"),
		count(`{"input_tokens":10,"cached_input_tokens":4,"output_tokens":2}`, `{"input_tokens":10,"cached_input_tokens":4,"output_tokens":2}`),
		count(`{"input_tokens":10,"cached_input_tokens":4,"output_tokens":2}`, `{"input_tokens":10,"cached_input_tokens":4,"output_tokens":2}`),
		outItem("c", "x"), event(`{"type":"token_count","info":null}`), botEvent("ok"),
		count(`{"input_tokens":30,"cached_input_tokens":9,"output_tokens":5}`, `{"input_tokens":20,"cached_input_tokens":5,"output_tokens":3}`), botItem("ok"))
	var got []*lore.Usage
	for _, m := range c.Messages {
		got = append(got, m.Usage)
	}
	same(t, []*lore.Usage{nil, nil, full(10, 4, 2), nil, full(20, 5, 3)}, got)
	same(t, full(30, 9, 5), c.Usage)
	same(t, [6]int{11, 8, 2, 1, 0, 0}, counts(c))
}

// TestUsageWithoutLast: what the total has grown by.
func TestUsageWithoutLast(t *testing.T) {
	total := func(n string) string {
		return event(`{"type":"token_count","info":{"total_token_usage":{"output_tokens":` + n + `}}}`)
	}
	c := readOne(t, meta(""), botItem("a"), total("5"), botItem("b"), total("8"))
	same(t, int64(5), c.Messages[0].Usage.Output)
	same(t, int64(3), c.Messages[1].Usage.Output)
}

// TestInheritedTotal: a total before any work of the model is not of this file.
func TestInheritedTotal(t *testing.T) {
	c := readOne(t, meta(""), tokenCount(500, 40), userItem("a"), botItem("b"), tokenCount(503, 3))
	same(t, int64(3), c.Usage.Output)
}

// TestHead: what a file says of its conversation as a whole.
func TestHead(t *testing.T) {
	turn := func(cwd, model string) string {
		return envelope("turn_context", `{"cwd":"`+cwd+`","model":"`+model+`"}`)
	}
	c := readOne(t, meta(`,"git":{"branch":"main","repository_url":"git@example.com:a/b.git"}`),
		event(`{"type":"thread_name_updated","thread_id":"`+selfID+`","thread_name":"First"}`), turn("/proj/other", "m1"), userItem("a"), botItem("b"),
		turn("/proj/other", "m1"), botItem("c"), turn("/proj/other", "m2"), botItem("d"), event(`{"type":"thread_name_updated","thread_name":"Second"}`))
	same(t, lore.Project{Dir: "/proj/lantern", Name: "lantern", Branch: "main", Remote: "git@example.com:a/b.git"}, c.Project)
	same(t, []string{"m1", "m2"}, c.Models)
	same(t, "Second", c.Title)
	same(t, lore.TitleFromSource, c.TitleFrom)
	same(t, "2026-03-02T09:09:00.000Z", c.TitleAt.String())
	same(t, "2026-03-02T09:00:00.000Z", c.StartedAt.String())
	same(t, [6]int{10, 9, 0, 1, 0, 0}, counts(c))

	c = readFile(t, filePath, rollout(turn("/proj/x", "m"), userItem("a")))
	same(t, "/proj/x", c.Project.Dir)
	same(t, selfID, c.Native)
	same(t, []string{"missing_header@0"}, lost(c))
}

// TestCX20FolderThatIsGone: kept as recorded, or absent.
func TestCX20FolderThatIsGone(t *testing.T) {
	c := readOne(t, strings.Replace(meta(""), "/proj/lantern", "/nonexistent/wt-42", 1), userItem("a"))
	same(t, "/nonexistent/wt-42", c.Project.Dir)
	c = readOne(t, envelope("session_meta", `{"id":"`+selfID+`"}`), userItem("a"))
	same(t, lore.Project{}, c.Project)
}

// TestTitleOfAnother: a title of another conversation is a fact about that one.
func TestTitleOfAnother(t *testing.T) {
	list, err := readAs(t, filePath, rollout(meta(""), userItem("a"), event(`{"type":"thread_name_updated","thread_id":"other","thread_name":"Theirs"}`)))
	if err != nil || len(list) != 2 {
		t.Fatalf("%d records, %v", len(list), err)
	}
	same(t, "", list[0].Title)
	same(t, []any{"other", "Theirs", true, 1}, []any{list[1].Native, list[1].Title, list[1].Partial, list[1].Ledger.Kept})
	same(t, 2, list[0].Ledger.Units)
}

// TestName: what file names say.
func TestName(t *testing.T) {
	cases := []struct {
		file, id, time string
		rollout        bool
	}{
		{"sessions/2026/03/02/" + fileStem + ".jsonl", selfID, "2026-03-02T09:00:00", true},
		{"archived_sessions/" + fileStem + ".jsonl.zst", selfID, "2026-03-02T09:00:00", true},
		{"sessions/rollout-2025-08-23-" + selfID + ".json", selfID, "2025-08-23T00:00:00", true},
		{"rollout-" + selfID + ".jsonl", selfID, "", true},
		{"rich.jsonl", "", "", false},
		{"rollout-2026-03-02T09-00-00-pipe.jsonl", "", "", true},
		{selfID + ".jsonl", selfID, "", false},
	}
	for _, c := range cases {
		n := parseName(c.file)
		same(t, []any{c.id, c.time, c.rollout}, []any{n.id, n.time.String(), n.rollout})
	}
}

// TestCX18Ordinals: they repeat and go missing; the file's order stands.
func TestCX18Ordinals(t *testing.T) {
	numbered := func(r, n string) string { return strings.TrimSuffix(r, "}") + `,"ordinal":` + n + "}" }
	c := readOne(t, numbered(meta(""), "0"), numbered(userItem("a"), "1"), numbered(botItem("b"), "2"), numbered(userItem("c"), "2"), botItem("d"), numbered(userItem("e"), "3"))
	same(t, []string{"user: a", "assistant: b", "user: c", "assistant: d", "user: e"}, render(c))
	same(t, []string{"duplicate_ordinal@4"}, lost(c))
	same(t, 2, c.Losses[0].Count)
	same(t, lore.Info, c.Losses[0].Severity)
}
