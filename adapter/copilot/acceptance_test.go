package copilot

import (
	"errors"
	"testing"

	"lore"
	"lore/adapter"
)

const (
	readFileCall = `{"kind":"toolInvocationSerialized","toolCallId":"c1","toolId":"copilot_readFile","invocationMessage":"Reading","isComplete":true}`
	thought      = `{"kind":"thinking","value":"hm","id":"t"}`
	closed       = `{"kind":"thinking","value":"","metadata":{"vscodeReasoningDone":true}}`
	reference    = `{"kind":"inlineReference","inlineReference":{"$mid":1,"external":"file:///proj/a%20b/c%23d.go","scheme":"file"}}`
)

// TestAcceptance is the table of the format's page, for a document and for the same session as a log.
func TestAcceptance(t *testing.T) {
	cases := []struct {
		name     string
		requests []string
		want     []string
		lost     []string // the code alone
	}{{
		"plain text",
		[]string{request("r1", "hi", say("hello"))},
		[]string{"user ‹hi›", "assistant ‹hello›"}, nil,
	}, {
		"tool only",
		[]string{request("r1", "read", readFileCall)},
		[]string{"user ‹read›", "assistant [call copilot_readFile c1 Reading]"}, nil,
	}, {
		"thinking only",
		[]string{request("r1", "why", thought, closed)},
		[]string{"user ‹why›", "assistant [thinking hm]"}, nil,
	}, {
		"mixed",
		[]string{request("r1", "go", thought, say("see "), reference, say(" there"), readFileCall, say("done"))},
		[]string{"user ‹go›", "assistant [thinking hm] ‹see /proj/a b/c#d.go there› [call copilot_readFile c1 Reading] ‹done›"}, nil,
	}, {
		"empty answer",
		[]string{request("r1", "hi")},
		[]string{"user ‹hi›"}, nil,
	}, {
		"response missing",
		[]string{`{"requestId":"r1","message":"old"}`},
		[]string{"user ‹old›"}, nil,
	}, {
		"duplicate text",
		[]string{request("r1", "again", say("ok")), request("r2", "again", say("ok"))},
		[]string{"user ‹again›", "assistant ‹ok›", "user ‹again›", "assistant ‹ok›"}, nil,
	}, {
		"unknown kind of element",
		[]string{request("r1", "hi", `{"kind":"lantern","x":1}`, say("hello"))},
		[]string{"user ‹hi›", `assistant [unknown lantern {"kind":"lantern","x":1}] ‹hello›`},
		[]string{"unknown_record"},
	}}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			for _, got := range []*lore.Conversation{readOne(t, docPath, chat(c.requests...)), readLog(t, initial(c.requests...))} {
				same(t, c.want, outline(got))
				var codes []string
				for _, l := range got.Losses {
					codes = append(codes, string(l.Code))
				}
				same(t, c.lost, codes)
				same(t, "s1", got.Native)
			}
		})
	}
}

// TestAcceptanceTimes: the answer has no time of its own; a request without one has that of the request before it, the
// first that of the session.
func TestAcceptanceTimes(t *testing.T) {
	c := readLog(t, initial(
		`{"requestId":"r1","message":"a","response":[{"value":"b"}]}`,
		request("r2", "c", say("d")),
		`{"requestId":"r3","message":"e","response":["f"]}`,
	))
	var got []string
	for _, m := range c.Messages {
		got = append(got, m.At.String()+" "+string(m.AtFrom))
	}
	same(t, []string{
		"2026-03-02T09:00:00.000Z inherited", "2026-03-02T09:00:00.000Z inherited",
		"2026-03-02T09:01:00.000Z source", "2026-03-02T09:01:00.000Z inherited",
		"2026-03-02T09:01:00.000Z inherited", "2026-03-02T09:01:00.000Z inherited",
	}, got)
}

// TestAcceptanceIDs: a request has its id, an answer that of the response or one made of the request's, results that of
// the call.
func TestAcceptanceIDs(t *testing.T) {
	done := `{"kind":"toolInvocationSerialized","toolCallId":"c1","toolId":"run","invocationMessage":"Run","pastTenseMessage":"Ran","isComplete":true}`
	c := readLog(t, initial(
		request("r1", "a", done, say("b")),
		requestWith("r2", "c", `,"responseId":"x2"`, say("d")),
	))
	var got []string
	for _, m := range c.Messages {
		got = append(got, string(m.Role)+" "+m.Native)
	}
	same(t, []string{"user r1", "assistant assistant:r1", "tool tool:c1", "assistant ", "user r2", "assistant x2"}, got)
}

// TestAcceptanceBadJSON: a bad line of a log is one damaged unit; a document is read up to the fault.
func TestAcceptanceBadJSON(t *testing.T) {
	c := readLog(t, initial(request("r1", "hi")), `{"kind":1,"k":["customTi`, `{"kind":2,"k":["requests",0,"response"],"v":[{"value":"hello"}]}`)
	same(t, []string{"user ‹hi›", "assistant ‹hello›"}, outline(c))
	same(t, []string{"bad_json@2"}, lost(c))
	same(t, "3 = 2 kept 0 merged 0 skipped 0 unknown 1 damaged", account(c))

	whole := chat(request("r1", "hi", say("hello")), request("r2", "cut", say("here")))
	c = readOne(t, docPath, whole[:len(whole)-20])
	same(t, []string{"user ‹hi›", "assistant ‹hello›"}, outline(c))
	same(t, "2 = 1 kept 0 merged 0 skipped 0 unknown 1 damaged", account(c))

	r := readAll(t, docPath, whole[:60])
	if !errors.Is(r.err, adapter.ErrMalformed) || len(r.records) != 1 || r.records[0].Ledger.Damaged != 1 {
		t.Errorf("a document of which nothing decodes: %v, %v", r.records, r.err)
	}
}

// TestAcceptanceEmpty: a session without requests is no conversation, and no fault.
func TestAcceptanceEmpty(t *testing.T) {
	for _, files := range [][]string{{docPath, chat()}, {logPath, lines(initial())}, {logPath, ""}, {docPath, ""}} {
		c := readOne(t, files...)
		if !c.Partial {
			t.Errorf("%q makes a conversation", files[1])
		}
		same(t, []string{"empty@0"}, lost(c))
	}
}

// TestAcceptanceUnknownVersion: another version is read as far as it is understood, and what is not is counted by name.
func TestAcceptanceUnknownVersion(t *testing.T) {
	c := readLog(t, `{"kind":0,"v":{"version":99,"sessionId":"s1","requests":[`+request("r1", "hi", say("hello"))+`],"aura":1}}`,
		`{"kind":4,"k":["requests"],"v":[]}`, `{"kind":1,"k":["aura"],"v":2}`)
	same(t, []string{"user ‹hi›", "assistant ‹hello›"}, outline(c))
	same(t, "3 = 1 kept 0 merged 0 skipped 2 unknown 0 damaged, unknown:aura 1, unknown:kind 4 1", account(c))
	same(t, []string{"unknown_record@2", "unknown_record@3"}, lost(c))
}
