package claudecode

import (
	"strings"
	"testing"
)

func TestCC33PolymorphicFields(t *testing.T) {
	image := rec{"type": "image", "source": rec{"type": "base64", "media_type": "image/png", "data": "aWNlIGJlcmc="}}
	tests := []struct {
		name    string
		records []any
		want    string
	}{
		{"a result of texts, an image and a reference", []any{
			user("r1", "", []rec{resultBlock("t1", []rec{textBlock("one"), textBlock("two"), image, {"type": "tool_reference", "tool_name": "Z"}})}, "toolUseResult", "Error: one"),
		}, `
			main s1
			  + tool r1: [result t1] "one" [result t1] "two" [image t1 image/png] sha256:6e79f4e4 [unknown tool_reference t1] "{\"tool_name\":\"Z\",\"type\":\"tool_reference\"}"
		`},
		{"a result that only its twin tells", []any{
			user("r1", "", []rec{resultBlock("t1", nil)}, "toolUseResult", says("told")),
			user("r2", "r1", []rec{resultBlock("t2", "")}, "toolUseResult", "Error: told"),
			user("r3", "r2", []rec{resultBlock("t3", "cone 5")}, "toolUseResult", rec{"content": "cone 5\ncone 6"}),
			user("r4", "r3", []rec{resultBlock("t4", "cone 5")}, "toolUseResult", rec{"stdout": "cone 5\n"}),
			user("r5", "r4", []rec{resultBlock("t5", "shown")}, "toolUseResult", rec{"file": rec{"base64": "aWNlIGJlcmc=", "type": "image/png"}}),
		}, `
			main s1
			  + tool r1: [result t1] "told"
			  + tool r2 < r1: [result t2] "Error: told"
			  + tool r3 < r2: [result t3] "cone 5\ncone 6"
			  + tool r4 < r3: [result t4] "cone 5"
			  + tool r5 < r4: [result t5] "shown" [image t5 image/png] sha256:6e79f4e4
		`},
		{"failed, empty, of no known shape", []any{
			user("r1", "", []rec{{"type": "tool_result", "tool_use_id": "t1", "is_error": true, "content": "no"}}),
			user("r2", "r1", []rec{resultBlock("t2", []rec{})}),
			user("r3", "r2", []rec{resultBlock("t3", 7)}),
		}, `
			main s1
			  + tool r1: [result t1 error] "no"
			  + tool r2 < r1: [result t2] ""
			  + tool r3 < r2: [result t3] "7"
			  ! info unexpected_shape line 3: a result's content is a number
		`},
		{"documents", []any{
			user("u1", "", []rec{
				{"type": "document", "title": "n.txt", "source": rec{"type": "text", "data": "doc words"}},
				{"type": "document", "title": "f.pdf", "source": rec{"type": "base64", "media_type": "application/pdf", "data": "aWNlIGJlcmc="}},
				{"type": "image", "source": rec{"type": "url", "url": "https://example.test/a.png"}},
				{"type": "image", "source": rec{"type": "base64", "data": "?!"}},
			}),
		}, `
			main s1
			  + user u1: [text] "doc words" [file f.pdf application/pdf] sha256:6e79f4e4 [image] "https://example.test/a.png" [image] ""
			  ! info unexpected_shape line 1: an image's data is no base64
		`},
		{"messages of no known shape", []any{
			user("u1", "", 7), user("u2", "u1", "", "message", "bare"), user("u3", "u2", "", "message", rec{"content": "no role"}),
			user("u4", "u3", []any{"text", rec{"type": "hologram"}, textBlock("beside")}),
		}, `
			main s1
			  + user u1: [unknown content] "7"
			  + user u2 < u1: [unknown message] "\"bare\""
			  + user u3 < u2: [unknown message] "{\"content\":\"no role\"}"
			  + user u4 < u3: [unknown block] "\"text\"" [unknown hologram] "{\"type\":\"hologram\"}" [text] "beside"
			  ! info unexpected_shape line 1: content is a number
			  ! info unexpected_shape line 2: message is a string
			  ! info unexpected_shape line 3: message is an object of another shape
			  ! info unexpected_shape line 4: block is a string
			  ! info unexpected_shape line 4: hologram is of type hologram
		`},
		{"the model's server runs a tool", []any{
			answer("a1", "", "m1", []rec{textBlock("look"), {"type": "server_tool_use", "id": "t1", "name": "web_search", "input": rec{"q": 1}},
				{"type": "web_search_tool_result", "tool_use_id": "t1", "content": []rec{{"type": "web_search_result", "url": "u"}}}, textBlock("found")}),
			user("u1", "a1", "good"),
		}, `
			main s1
			  + assistant m1: [text] "look" [call web_search t1] "{\"q\":1}"
			  + tool tool:m1 < m1: [unknown web_search_result t1] "{\"type\":\"web_search_result\",\"url\":\"u\"}"
			  + assistant  < tool:m1: [text] "found"
			  + user u1 < tool:m1: [text] "good"
		`},
		{"of the client and cut short", []any{
			answer("a1", "", "", nil, "isApiErrorMessage", true, "message", rec{"role": "assistant", "model": "<synthetic>", "content": says("API Error")}),
			answer("a2", "a1", "m2", says("half"), "isAbortedMidStream", true),
		}, `
			main s1
			  + assistant/notice a1: [text] "API Error"
			  + assistant/incomplete m2 < a1: [text] "half"
		`},
		{"times", []any{
			user("u1", "", "none", "timestamp", nil), user("u2", "u1", "native"), user("u3", "u2", "odd", "timestamp", "teatime"), user("u4", "u3", "number", "timestamp", 1775037607123),
		}, `
			main s1
			  + user u1 (time inherited): [text] "none"
			  + user u2 < u1: [text] "native"
			  + user u3 < u2 (time inherited): [text] "odd"
			  + user u4 < u3: [text] "number"
			  ! info bad_time line 3: 1 time of a shape this version does not know
		`},
		{"no time at all", []any{user("u1", "", "none", "timestamp", nil)}, `
			main s1
			  + user u1 (time none): [text] "none"
		`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { holds(t, session(t, tt.records...), tt.want) })
	}
}

func TestCC47InjectedTextIsNoSpeech(t *testing.T) {
	holds(t, session(t,
		user("u1", "", "Caveat: generated", "isMeta", true),
		user("u2", "u1", "<command-name>/clear</command-name>"),
		user("u3", "u2", "<local-command-stdout></local-command-stdout>"),
		user("u4", "u3", []rec{textBlock("<system-reminder>be nice</system-reminder>"), textBlock("How hot is <system-reminder> in Celsius?")}),
		user("u5", "u4", []rec{resultBlock("t1", "Wednesday"), textBlock("and the day"), resultBlock("t2", "again")}),
		user("u6", "u5", []rec{resultBlock("t3", "meta result")}, "isMeta", true),
		user("u7", "u6", says("[Request interrupted by user for tool use]")),
		user("u8", "u7", "<system-reminder>a</system-reminder>\n<system-reminder>b</system-reminder>"),
		user("u9", "u8", "<system-reminder>a</system-reminder> and words"),
		user("v1", "u9", "This session is being continued from a previous conversation that ran out of context."),
		user("v2", "v1", "", "isVisibleInTranscriptOnly", true, "message", rec{"role": "user", "content": "shown only"}),
		user("v3", "v2", "from a peer", "origin", rec{"kind": "peer"}),
		user("v4", "v3", []rec{resultBlock("t4", "r"), textBlock("<system-reminder>c</system-reminder>")}),
	), `
		main s1
		  + system/notice u1: [text] "Caveat: generated"
		  + system/notice u2 < u1: [text] "<command-name>/clear</command-name>"
		  + system/notice u3 < u2: [text] "<local-command-stdout></local-command-stdout>"
		  + system/context system:u4 < u3: [text] "<system-reminder>be nice</system-reminder>"
		  + user u4 < system:u4: [text] "How hot is <system-reminder> in Celsius?"
		  + tool tool:u5 < u4: [result t1] "Wednesday"
		  + user u5 < tool:u5: [text] "and the day"
		  + tool  < u5: [result t2] "again"
		  + tool u6 < u5: [result t3] "meta result"
		  + system/notice u7 < u6: [text] "[Request interrupted by user for tool use]"
		  + system/context u8 < u7: [text] "<system-reminder>a</system-reminder>\n<system-reminder>b</system-reminder>"
		  + user u9 < u8: [text] "<system-reminder>a</system-reminder> and words"
		  + system/compaction v1 < u9: [text] "This session is being continued from a previous conversation that ran out of context."
		  + system/notice v2 < v1: [text] "shown only"
		  + system/notice v3 < v2: [text] "from a peer"
		  + tool tool:v4 < v3: [result t4] "r"
		  + system/context v4 < tool:v4: [text] "<system-reminder>c</system-reminder>"
	`)
}

func attachment(uuid, parent string, a rec) rec {
	return record("attachment", "uuid", uuid, "parentUuid", parent, "attachment", a)
}

func TestContextAndSystemRecords(t *testing.T) {
	system := func(uuid, parent, subtype string, more ...any) rec {
		return record("system", append([]any{"uuid", uuid, "parentUuid", parent, "subtype", subtype}, more...)...)
	}
	holds(t, session(t,
		user("u1", "", "hi"),
		attachment("x1", "u1", rec{"type": "hook_success", "stdout": "printed", "stderr": ""}),
		attachment("x2", "x1", rec{"type": "nested_memory", "content": rec{"content": "remember"}}),
		attachment("x3", "x2", rec{"type": "file", "filename": "/a.txt", "content": rec{"type": "text", "file": rec{"content": "in the file"}}}),
		attachment("x4", "x3", rec{"type": "task_reminder", "content": []rec{{"subject": "one"}, {"subject": "two"}}}),
		attachment("x5", "x4", rec{"type": "hook_of_tomorrow", "stdout": "new"}),
		attachment("x6", "x5", rec{"type": "plan_mode"}),
		system("y1", "x6", "local_command", "content", "<command-name>/cost</command-name>"),
		system("y2", "y1", "api_error", "error", rec{"status": 529, "message": "Overloaded"}),
		system("y3", "y2", "turn_duration", "durationMs", 5),
		system("y4", "y3", "stop_hook_summary", "hookErrors", []string{"it failed"}),
		system("y5", "y4", "of_tomorrow"),
		user("u2", "y5", "there?"),
	), `
		main s1
		  + user u1: [text] "hi"
		  + system/hook x1 < u1: [text] "printed"
		  + system/context x2 < x1: [text] "remember"
		  + system/context x3 < x2: [text] "/a.txt\nin the file"
		  + system/context x4 < x3: [text] "one\ntwo"
		  + system/hook x5 < x4: [text] "new"
		  + system/notice y1 < x5: [text] "<command-name>/cost</command-name>"
		  + system/notice y2 < y1: [text] "Overloaded"
		  + system/hook y4 < y2: [text] "it failed"
		  + user u2 < y4: [text] "there?"
		  2 skipped
		  1 unknown
		  ! info unknown_record line 12: type "system/of_tomorrow"
	`)
}

// The acceptance table of the format's page.
func TestAcceptance(t *testing.T) {
	tests := []struct {
		name    string
		records []any
		want    string
	}{
		{"plain text", []any{user("u1", "", "question"), answer("a1", "u1", "m1", says("reply"))}, `
			main s1
			  + user u1: [text] "question"
			  + assistant m1 < u1: [text] "reply"
		`},
		{"tool only", []any{answer("a1", "", "m1", []rec{callBlock("t1", "Bash", rec{"c": 1})}), user("r1", "a1", []rec{resultBlock("t1", "out")})}, `
			main s1
			  + assistant m1: [call Bash t1] "{\"c\":1}"
			  + tool r1 < m1: [result t1] "out"
		`},
		{"thinking only", []any{
			answer("a1", "", "m1", []rec{{"type": "thinking", "thinking": "hm", "signature": "s"}}),
			answer("a2", "a1", "m2", []rec{{"type": "thinking", "thinking": "", "signature": "s"}, {"type": "thinking", "thinking": "", "signature": "z"}}),
			answer("a3", "a2", "m3", []rec{{"type": "redacted_thinking", "data": "x"}}),
			answer("a4", "a3", "m4", []rec{{"type": "thinking", "thinking": "of another provider"}}),
		}, `
			main s1
			  + assistant m1: [thinking] "hm"
			  + assistant m2 < m1: [thinking unreadable] "" [thinking unreadable] ""
			  + assistant m3 < m2: [thinking unreadable] ""
			  + assistant m4 < m3: [thinking] "of another provider"
		`},
		{"mixed on three lines", []any{
			answerWith("a1", "", "m1", 1, rec{"type": "thinking", "thinking": "hm"}), answerWith("a2", "a1", "m1", 2, textBlock("say")), answerWith("a3", "a2", "m1", 3, callBlock("t1", "Bash", rec{})),
		}, `
			main s1
			  + assistant m1 (3 out): [thinking] "hm" [text] "say" [call Bash t1] "{}"
		`},
		{"empty answer", []any{user("u1", "", "hello?"), answer("a1", "u1", "m1", []rec{}), answer("a2", "a1", "m2", "")}, `
			main s1
			  + user u1: [text] "hello?"
			  + assistant m1 < u1:
			  + assistant m2 < m1:
		`},
		{"duplicate text", []any{user("u1", "", "continue"), user("u2", "u1", "continue"), user("u3", "u2", "continue")}, `
			main s1
			  + user u1: [text] "continue"
			  + user u2 < u1: [text] "continue"
			  + user u3 < u2: [text] "continue"
		`},
		{"missing time", []any{user("u1", "", "one"), user("u2", "u1", "two", "timestamp", nil), user("u3", "u2", "three")}, `
			main s1
			  + user u1: [text] "one"
			  + user u2 < u1 (time inherited): [text] "two"
			  + user u3 < u2: [text] "three"
		`},
		{"bad JSON in the middle", []any{user("u1", "", "one"), `{"type":"user", broken`, user("u2", "u1", "two")}, `
			main s1
			  + user u1: [text] "one"
			  + user u2 < u1: [text] "two"
			  1 damaged
			  ! warning bad_json line 2
		`},
		{"unknown type", []any{record("of-tomorrow", "version", "9.9.9"), user("u1", "", "one")}, `
			main s1
			  + user u1: [text] "one"
			  1 unknown
			  ! info unknown_record line 1: type "of-tomorrow"
		`},
		{"a tag that the user quotes", []any{user("u1", "", "what does <command-name>x</command-name> mean?")}, `
			main s1
			  + user u1: [text] "what does <command-name>x</command-name> mean?"
		`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { holds(t, session(t, tt.records...), tt.want) })
	}
}

// A record above the size bound keeps its head, and what comes after it is read.
func TestCC26OversizedRecord(t *testing.T) {
	long := `{"type":"user","uuid":"r1","parentUuid":"u1","sessionId":"s1","timestamp":"2026-04-01T10:02:00.000Z","message":{"role":"user","content":[` +
		`{"type":"tool_result","tool_use_id":"t1","content":"` + strings.Repeat("kiln tide ", 34<<20/10) + `"}]}}`
	holds(t, session(t, user("u1", "", "cat it"), long, user("u2", "r1", "after it")), `
		main s1
		  + user u1: [text] "cat it"
		  + tool r1 < u1: [result t1 cut] "kiln tide kiln tide kiln tide kiln tide kiln tide kiln tide …"
		  + user u2 < r1: [text] "after it"
		  ! warning oversized_record line 2
	`)
}
