package claudecode

import (
	"testing"
	"testing/fstest"
)

// Each test is named for a fault that was reported of some reader, or of the product, and says what is right.

func TestCC01DamagedLinesEndNothing(t *testing.T) {
	holds(t, session(t,
		user("u1", "", "one"), "\x00\x00\x00", `{"type":"file-history-snapshot","mess`, "", "42", answer("a1", "u1", "m1", says("two")),
	), `
		main s1
		  + user u1: [text] "one"
		  + assistant m1 < u1: [text] "two"
		  2 damaged
		  ! warning nul_padding line 2
		  ! warning bad_json line 3
		  ! warning bad_json line 5
	`)
}

func TestCC09MissingParent(t *testing.T) {
	holds(t, session(t,
		user("u1", "", "one"), answer("a1", "u1", "m1", says("two")), user("u2", "nowhere", "three"), answer("a2", "u2", "m2", says("four")),
	), `
		main s1
		  + user u1: [text] "one"
		  + assistant m1 < u1: [text] "two"
		  + user u2: [text] "three"
		  + assistant m2 < u2: [text] "four"
		  ! warning missing_parent line 3: parent nowhere is not in the file
	`)
}

func boundaryAfter(uuid, logical string) rec {
	return record("system", "subtype", "compact_boundary", "content", "Conversation compacted", "uuid", uuid, "parentUuid", nil, "logicalParentUuid", logical)
}

func TestCC10CompactionIsNoSpeech(t *testing.T) {
	holds(t, session(t,
		user("u1", "", "one"), answer("a1", "u1", "m1", says("two")),
		boundaryAfter("b1", "a1"), user("c1", "b1", "Summary", "isCompactSummary", true, "isVisibleInTranscriptOnly", true),
		user("u2", "c1", "three"),
	), `
		main s1
		  + user u1: [text] "one"
		  + assistant m1 < u1: [text] "two"
		  + system/compaction b1 < m1: [text] "Conversation compacted"
		  + system/compaction c1 < b1: [text] "Summary"
		  + user u2 < c1: [text] "three"
	`)
}

// The first words after a second compaction may hang on a record from before the first: nothing is a dead branch then.
func TestCC12SecondCompactionHidesNothing(t *testing.T) {
	holds(t, session(t,
		user("u1", "", "one"), answer("a1", "u1", "m1", says("two")), user("u2", "a1", "three"), answer("a2", "u2", "m2", says("four")),
		boundaryAfter("b1", "a2"), user("c1", "b1", "Recap", "isCompactSummary", true), user("u3", "c1", "five"),
		boundaryAfter("b2", "u3"), user("c2", "b2", "Recap again", "isCompactSummary", true),
		record("attachment", "uuid", "x1", "parentUuid", "a1", "attachment", rec{"type": "auto_mode"}),
		user("u4", "x1", "six"),
	), `
		main s1
		  + user u1: [text] "one"
		  + assistant m1 < u1: [text] "two"
		  + user u2 < m1: [text] "three"
		  + assistant m2 < u2: [text] "four"
		  + system/compaction b1 < m2: [text] "Conversation compacted"
		  + system/compaction c1 < b1: [text] "Recap"
		  + user u3 < c1: [text] "five"
		  + system/compaction b2 < u3: [text] "Conversation compacted"
		  + system/compaction c2 < b2: [text] "Recap again"
		  + user u4 < m1: [text] "six"
		  1 skipped
	`)
}

// A rewind to before a compaction takes what followed the boundary with it.
func TestRewindOverACompaction(t *testing.T) {
	holds(t, session(t,
		user("u1", "", "one"), answer("a1", "u1", "m1", says("two")), user("u2", "a1", "three"),
		boundaryAfter("b1", "u2"), user("c1", "b1", "Recap", "isCompactSummary", true), answer("a2", "c1", "m2", says("four")),
		user("u3", "a1", "back here"), answer("a3", "u3", "m3", says("five")),
	), `
		main s1
		  + user u1: [text] "one"
		  + assistant m1 < u1: [text] "two"
		  - user u2 < m1: [text] "three"
		  - system/compaction b1 < u2: [text] "Conversation compacted"
		  - system/compaction c1 < b1: [text] "Recap"
		  - assistant m2 < c1: [text] "four"
		  + user u3 < m1: [text] "back here"
		  + assistant m3 < u3: [text] "five"
	`)
}

func TestCC15HistoryWrittenAgain(t *testing.T) {
	const first, second = "2026-04-01T10:01:00.000Z", "2026-04-01T10:02:00.000Z"
	holds(t, session(t,
		user("u1", "", "one", "timestamp", first), answer("a1", "u1", "m1", says("two"), "timestamp", second),
		user("u1b", "", "one", "timestamp", first), answer("a1b", "u1b", "m1", says("two"), "timestamp", second),
		user("u2", "a1b", "three"),
	), `
		main s1
		  + user u1: [text] "one"
		  + assistant m1 < u1: [text] "two"
		  + user u2 < m1: [text] "three"
		  2 merged
	`)
}

func usageOf(out int) rec { return rec{"input_tokens": 5, "output_tokens": out} }

func answerWith(uuid, parent, id string, out int, blocks ...rec) rec {
	return answer(uuid, parent, "", nil, "message", rec{"role": "assistant", "id": id, "content": blocks, "usage": usageOf(out)})
}

func TestCC16OneAnswerOnManyLines(t *testing.T) {
	holds(t, session(t,
		user("u1", "", "look"),
		answerWith("a1", "u1", "m1", 2, rec{"type": "thinking", "thinking": "hm", "signature": "s"}),
		answerWith("a2", "a1", "m1", 2, textBlock("I will")),
		answerWith("a3", "a2", "m1", 240, callBlock("t1", "Read", rec{"file": "x"})),
		user("r1", "a3", []rec{resultBlock("t1", "xx")}),
	), `
		main s1
		  + user u1: [text] "look"
		  + assistant m1 < u1 (240 out): [thinking] "hm" [text] "I will" [call Read t1] "{\"file\":\"x\"}"
		  + tool r1 < m1: [result t1] "xx"
	`)
}

func TestCC18GrowingText(t *testing.T) {
	holds(t, session(t,
		user("u1", "", "hello?"),
		answerWith("a1", "u1", "m1", 1, textBlock("Hello")),
		answerWith("a2", "u1", "m1", 2, textBlock("Hello grass")),
		answerWith("a3", "u1", "m1", 3, textBlock("Hello grass and sky")),
		answerWith("a4", "u1", "m1", 9, textBlock("Hello grass and sky")),
		user("u2", "a4", "bye"),
	), `
		main s1
		  + user u1: [text] "hello?"
		  + assistant m1 < u1 (9 out): [text] "Hello grass and sky"
		  + user u2 < m1: [text] "bye"
		  2 merged
	`)
}

// A gateway gives every answer the same id: what a person says ends an answer.
func TestConstantMessageID(t *testing.T) {
	holds(t, session(t,
		user("u1", "", "one"), answer("a1", "u1", "same", says("first")),
		user("u2", "a1", "two"), answer("a2", "u2", "same", says("second")), answer("a3", "a2", "same", says("third")),
		user("u3", "a3", "three"),
	), `
		main s1
		  + user u1: [text] "one"
		  + assistant same < u1: [text] "first"
		  + user u2 < same: [text] "two"
		  + assistant a2 < u2: [text] "second" [text] "third"
		  + user u3 < a2: [text] "three"
	`)
}

func TestCC21IdenticalLines(t *testing.T) {
	u1, t1 := user("u1", "", "one", "timestamp", "2026-04-01T10:00:00Z"), record("ai-title", "aiTitle", "First", "timestamp", nil)
	holds(t, session(t, u1, u1, u1, t1, record("ai-title", "aiTitle", "Second", "timestamp", nil), t1), `
		main s1 "First"
		  + user u1: [text] "one"
		  3 merged
		  1 skipped
		  ! info duplicate_line line 2: 3 lines repeat one before them byte for byte (3)
	`)
}

func TestCC23UnknownTypes(t *testing.T) {
	holds(t, session(t,
		record("mode", "mode", "normal"), user("u1", "", "hi"), record("quasar-ping", "n", 1), record("quasar-ping", "n", 2),
		record("attachment", "uuid", "x1", "parentUuid", "u1", "attachment", rec{"type": "companion_intro", "name": "Pip"}),
		record("system", "uuid", "y1", "parentUuid", "x1", "subtype", "novelty", "content", "news"),
		answer("a1", "y1", "m1", says("hello")), record("ai-title", "aiTitle", "Greeting"),
	), `
		main s1 "Greeting"
		  + user u1: [text] "hi"
		  + system/notice y1 < u1: [text] "news"
		  + assistant m1 < y1: [text] "hello"
		  1 skipped
		  3 unknown
		  ! info unknown_record line 3: type "quasar-ping" (2)
		  ! info unknown_record line 5: type "attachment/companion_intro"
	`)
}

func TestCC24NestedHistoryInProgress(t *testing.T) {
	progress := func(n int) rec {
		return record("progress", "uuid", "p"+string(rune('0'+n)), "parentUuid", "a1", "parentToolUseID", "t1",
			"data", rec{"type": "agent_progress", "agentId": "b2", "normalizedMessages": []rec{user("n1", "", "nested")}})
	}
	holds(t, session(t,
		user("u1", "", "delegate"), answer("a1", "u1", "m1", []rec{callBlock("t1", "Task", rec{"prompt": "nested"})}),
		progress(1), progress(2), user("r1", "p2", []rec{resultBlock("t1", "done")}),
	), `
		main s1
		  + user u1: [text] "delegate"
		  + assistant m1 < u1: [call Task t1] "{\"prompt\":\"nested\"}"
		  + tool r1 < m1: [result t1] "done"
		  2 merged
		partial s1/agent-b2 of s1 by "t1"
	`)
}

func TestCC27ProjectFromRecords(t *testing.T) {
	holds(t, session(t,
		user("u1", "", "one", "cwd", "/proj/my_proj", "gitBranch", "main"), user("u2", "u1", "two", "cwd", "/proj/else", "gitBranch", "side"),
	), `
		main s1 in /proj/my_proj on "side"
		  + user u1: [text] "one"
		  + user u2 < u1: [text] "two"
	`)
}

func TestCC28ForeignRecord(t *testing.T) {
	holds(t, session(t,
		user("u1", "", "mine"), user("v1", "", "theirs", "sessionId", "s9"), user("v2", "v0", "theirs too", "sessionId", "s9"), answer("a1", "u1", "m1", says("ok")),
	), `
		main s1
		  + user u1: [text] "mine"
		  + assistant m1 < u1: [text] "ok"
		  ! info foreign_session_record line 2: 2 records of session s9 (2)
		main s9
		  + user v1: [text] "theirs"
		  + user v2: [text] "theirs too"
	`)
}

func summary(text, leaf string) rec {
	return record("summary", "summary", text, "leafUuid", leaf, "sessionId", nil, "timestamp", nil)
}

func TestCC29ForeignSummary(t *testing.T) {
	holds(t, session(t, summary("Of another", "x9"), user("u1", "", "bread"), answer("a1", "u1", "m1", says("ok")), summary("Of mine", "a1")), `
		main s1 "Of mine"
		  + user u1: [text] "bread"
		  + assistant m1 < u1: [text] "ok"
		partial  about x9 "Of another"
	`)
}

func TestTitlesInOrderOfRank(t *testing.T) {
	title := func(typ, key, text string) rec { return record(typ, key, text, "timestamp", nil) }
	tests := []struct {
		name  string
		more  []any
		title string
	}{
		{"own words of the person first", []any{title("custom-title", "customTitle", "Mine"), title("ai-title", "aiTitle", "Model's"), summary("Old", "u1")}, "Mine"},
		{"then the model's", []any{title("ai-title", "aiTitle", "Model's"), summary("Old", "u1")}, "Model's"},
		{"then a summary", []any{summary("Old", "u1")}, "Old"},
		{"the newest of a kind", []any{title("ai-title", "aiTitle", "A"), title("ai-title", "aiTitle", "B")}, "B"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := session(t, append([]any{user("u1", "", "words")}, tt.more...)...)
			want := `main s1 "` + tt.title + `"`
			if got[:len(want)] != want {
				t.Errorf("got %s", got)
			}
		})
	}
}

func TestCC30RenamedFile(t *testing.T) {
	home := fstest.MapFS{".claude/projects/-p/new.jsonl": lines("old", user("u3", "a1", "go on"), answer("a3", "u3", "m3", says("on")))}
	holds(t, outlineHome(t, home, 0), `
		main new continuation of old shares 0
		  + user u3: [text] "go on"
		  + assistant m3 < u3: [text] "on"
		  ! info id_mismatch: its records say session old
	`)
}

func TestForkedSession(t *testing.T) {
	from := rec{"sessionId": "s0", "messageUuid": "u1"}
	holds(t, session(t, user("u1", "", "one", "forkedFrom", from), answer("a1", "u1", "m1", says("two"), "forkedFrom", from), user("u2", "a1", "new")), `
		main s1 fork of s0 shares 2
		  + user u1: [text] "one"
		  + assistant m1 < u1: [text] "two"
		  + user u2 < m1: [text] "new"
	`)
}

func TestCC31SubAgentFiles(t *testing.T) {
	const dir = ".claude/projects/-p/"
	agent := func(id string) *fstest.MapFile {
		return lines("s1", user("g"+id, "", "find", "isSidechain", true, "agentId", id), answer("h"+id, "g"+id, "n"+id, says("found"), "isSidechain", true, "agentId", id))
	}
	home := fstest.MapFS{
		dir + "s1.jsonl": lines("s1",
			user("u1", "", "explore"), answer("a1", "u1", "m1", []rec{callBlock("t1", "Agent", rec{"prompt": "find"})}),
			user("r1", "a1", []rec{resultBlock("t1", says("child summary"))}, "toolUseResult", rec{"agentId": "a77"}),
		),
		dir + "s1/subagents/agent-a77.jsonl":               agent("a77"),
		dir + "s1/subagents/agent-a77.meta.json":           {Data: []byte(`{"agentType":"x","description":"Find it","toolUseId":"t1"}`)},
		dir + "s1/subagents/workflows/w/agent-b88.jsonl":   agent("b88"),
		dir + "s1/subagents/workflows/w/journal.jsonl":     lines("s1", record("started", "key", "k", "agentId", "b88")),
		dir + "agent-c99.jsonl":                            agent("c99"),
		".claude/projects/-p/s1/subagents/agent-bad.jsonl": {},
	}
	holds(t, outlineHome(t, home, 0), `
		== projects/-p/agent-c99.jsonl
		subagent s1/agent-c99 of s1 by ""
		  + user gc99: [text] "find"
		  + assistant nc99 < gc99: [text] "found"
		== projects/-p/s1/subagents/agent-a77.jsonl + agent-a77.meta.json
		subagent s1/agent-a77 "Find it" of s1 by "t1"
		  + user ga77: [text] "find"
		  + assistant na77 < ga77: [text] "found"
		== projects/-p/s1/subagents/agent-bad.jsonl
		partial 
		  ! info empty: no record
		== projects/-p/s1/subagents/workflows/w/agent-b88.jsonl
		subagent s1/agent-b88 of s1 by ""
		  + user gb88: [text] "find"
		  + assistant nb88 < gb88: [text] "found"
		== projects/-p/s1/subagents/workflows/w/journal.jsonl
		partial 
		  1 skipped
		  ! info empty: 1 record, no conversation
		== projects/-p/s1.jsonl
		main s1
		  + user u1: [text] "explore"
		  + assistant m1 < u1: [call Agent t1] "{\"prompt\":\"find\"}"
		  + tool r1 < m1: [result t1] "child summary"
		partial s1/agent-a77 of s1 by "t1"
	`)
}

func TestInlineSidechains(t *testing.T) {
	task := func(id, prompt string) rec { return callBlock(id, "Task", rec{"prompt": prompt}) }
	holds(t, session(t,
		user("u1", "", "both"), answer("a1", "u1", "m1", []rec{task("t1", "front"), task("t2", "back")}),
		user("s1a", "a1", "back", "isSidechain", true), answer("s1b", "s1a", "n1", says("shut"), "isSidechain", true),
		user("s2a", "", "front", "isSidechain", true), answer("s2b", "s2a", "n2", says("open"), "isSidechain", true),
		record("system", "uuid", "y1", "parentUuid", nil, "isSidechain", true, "subtype", "session_start"),
		user("r1", "s1b", []rec{resultBlock("t1", "open")}),
	), `
		main s1
		  + user u1: [text] "both"
		  + assistant m1 < u1: [call Task t1] "{\"prompt\":\"front\"}" [call Task t2] "{\"prompt\":\"back\"}"
		  + tool r1 < m1: [result t1] "open"
		  1 skipped
		subagent s1/s1a of s1 by "t2"
		  + user s1a: [text] "back"
		  + assistant n1 < s1a: [text] "shut"
		subagent s1/s2a of s1 by "t1"
		  + user s2a: [text] "front"
		  + assistant n2 < s2a: [text] "open"
	`)
}

func TestCC32Automation(t *testing.T) {
	for _, more := range [][]any{{"entrypoint", "sdk-py"}, {"promptSource", "sdk"}} {
		holds(t, session(t, user("u1", "", "review", more...)), `
			automation s1
			  + user u1: [text] "review"
		`)
	}
}

func TestCC35ChildBeforeParent(t *testing.T) {
	holds(t, session(t, user("u1", "", "root"), answer("a2", "u2", "m2", says("early")), user("u2", "u1", "late"), answer("a3", "a2", "m3", says("end"))), `
		main s1
		  + user u1: [text] "root"
		  + user u2 < u1: [text] "late"
		  + assistant m2 < u2: [text] "early"
		  + assistant m3 < m2: [text] "end"
	`)
}

func TestCC42Rewind(t *testing.T) {
	holds(t, session(t,
		user("u1", "", "draft"), answer("a1", "u1", "m1", says("first")), user("u2", "a1", "no"), answer("a2", "u1", "m2", says("second")), user("u3", "a2", "yes"),
	), `
		main s1
		  + user u1: [text] "draft"
		  - assistant m1 < u1: [text] "first"
		  - user u2 < m1: [text] "no"
		  + assistant m2 < u1: [text] "second"
		  + user u3 < m2: [text] "yes"
	`)
}

// Parallel results and attachments give one parent several children, and are no forks.
func TestParallelResultsAreNoFork(t *testing.T) {
	holds(t, session(t,
		user("u1", "", "both"),
		answer("a1", "u1", "m1", []rec{callBlock("t1", "A", rec{})}), answer("a2", "a1", "m1", []rec{callBlock("t2", "B", rec{})}),
		user("r1", "a1", []rec{resultBlock("t1", "1")}), record("attachment", "uuid", "x1", "parentUuid", "r1", "attachment", rec{"type": "auto_mode"}),
		user("r2", "a2", []rec{resultBlock("t2", "2")}), answer("a3", "r2", "m2", says("done")),
		answer("a4", "a3", "m3", says("done well"), "supersedesUuids", []string{"a3"}),
	), `
		main s1
		  + user u1: [text] "both"
		  + assistant m1 < u1: [call A t1] "{}" [call B t2] "{}"
		  + tool r1 < m1: [result t1] "1"
		  + tool r2 < m1: [result t2] "2"
		  - assistant m2 < r2: [text] "done"
		  + assistant m3 < m2: [text] "done well"
		  1 skipped
	`)
}

func TestCC43ParentCycles(t *testing.T) {
	holds(t, session(t, user("u1", "u1", "self"), answer("a1", "u2", "m1", says("hen")), user("u2", "a1", "egg"), answer("a2", "u2", "m2", says("end"))), `
		main s1
		  + user u1: [text] "self"
		  + assistant m1: [text] "hen"
		  + user u2: [text] "egg"
		  + assistant m2 < u2: [text] "end"
		  ! warning parent_cycle line 1: 1 record names itself as its parent
		  ! warning parent_cycle line 2: 2 records name each other as parent
	`)
}

func TestCC48EmptyFiles(t *testing.T) {
	const dir = ".claude/projects/-p/"
	home := fstest.MapFS{
		dir + "a.jsonl": {},
		dir + "b.jsonl": lines("b", summary("Only a title", "x1")),
		dir + "c.jsonl": lines("c", record("file-history-snapshot", "snapshot", rec{})),
		dir + "d.jsonl": lines("d", record("custom-title", "customTitle", "Named")),
	}
	holds(t, outlineHome(t, home, 0), `
		== projects/-p/a.jsonl
		partial 
		  ! info empty: no record
		== projects/-p/b.jsonl
		partial 
		  ! info empty: 1 record, no conversation
		partial  about x1 "Only a title"
		== projects/-p/c.jsonl
		partial 
		  1 skipped
		  ! info empty: 1 record, no conversation
		== projects/-p/d.jsonl
		partial d "Named"
		  ! info empty: 1 record, no conversation
	`)
}

func TestCC51UnreadableFile(t *testing.T) {
	home := fstest.MapFS{".claude/projects/-p/bad.jsonl": {Data: []byte("\xff\xfe junk\n[[[[\n")}}
	holds(t, outlineHome(t, home, 0), `
		partial 
		  2 damaged
		  ! warning bad_json line 1
		  ! warning bad_json line 2
		error: malformed: none of the 2 lines of "projects/-p/bad.jsonl" is a record
	`)
}

func TestFileOfAnotherTool(t *testing.T) {
	home := fstest.MapFS{".claude/projects/-p/log.jsonl": lines("x", rec{"source_app": "kilnwatch", "payload": rec{}}, rec{"source_app": "kilnwatch", "payload": rec{"t": 1}})}
	holds(t, outlineHome(t, home, 0), `
		partial 
		  2 unknown
		  ! info foreign_file: 2 records of another tool
	`)
}
