package opencode

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"lore"
	"lore/adapter"
)

// chat is a session in a tree: messages, each with its parts.
type chat []said

type said struct {
	id, doc string // without id and session
	parts   []string
}

const start = 1772442000000

func user(id string, parts ...string) said {
	return said{id, fmt.Sprintf(`"role":"user","time":{"created":%d}`, start), parts}
}

func bot(id string, parts ...string) said {
	return said{id, fmt.Sprintf(`"role":"assistant","modelID":"lamp-1","time":{"created":%d}`, start), parts}
}

func text(words string) string { return `"type":"text","text":"` + words + `"` }

func tool(name, id, state string) string {
	return `"type":"tool","tool":"` + name + `","callID":"` + id + `","state":{` + state + `}`
}

// read reads the chat as one evidence of a tree.
func (c chat) read(t *testing.T, session string) *lore.Conversation {
	t.Helper()
	files := fstest.MapFS{"storage/session/p/ses_1.json": {Data: []byte(session)}}
	src := adapter.Source{Product: sourceOpenCode, Store: storeTree, Path: "storage/session/p/ses_1.json"}
	add := func(name, doc string) {
		files[name] = &fstest.MapFile{Data: []byte(doc)}
		src.Companions = append(src.Companions, name)
	}
	for _, m := range c {
		add("storage/message/ses_1/"+m.id+".json", `{"id":"`+m.id+`","sessionID":"ses_1",`+m.doc+`}`)
		for i, p := range m.parts {
			id := fmt.Sprintf("prt_%s_%d", m.id, i)
			if strings.HasPrefix(p, "!") { // as it is
				add("storage/part/"+m.id+"/"+id+".json", p[1:])
				continue
			}
			add("storage/part/"+m.id+"/"+id+".json", `{"id":"`+id+`","sessionID":"ses_1","messageID":"`+m.id+`",`+p+`}`)
		}
	}
	list, err := drain(adapter.Input{Source: src, FS: files, Place: "~/.local/share/opencode"})
	if err != nil {
		t.Fatal(err)
	}
	if len(list) == 0 {
		t.Fatal("no record")
	}
	return list[0]
}

const plain = `{"id":"ses_1","projectID":"p","directory":"/proj/lantern","title":"Oil","time":{"created":1772441999000}}`

func drain(in adapter.Input) (list []*lore.Conversation, err error) {
	for c, e := range New().Read(context.Background(), in) {
		if e != nil {
			return list, e
		}
		list = append(list, c)
	}
	return list, nil
}

func same(t *testing.T, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// render tells the messages of a record, one a line: native id, role, what is said.
func render(c *lore.Conversation) (lines []string) {
	for _, m := range c.Messages {
		line := m.Native + " " + string(m.Role)
		if m.Subtype != "" {
			line += "/" + m.Subtype
		}
		if !m.Active {
			line += " (inactive)"
		}
		line += ":"
		for _, p := range m.Parts {
			switch p.Kind {
			case lore.Text:
				line += " " + p.Text
			case lore.Call, lore.Result:
				line += fmt.Sprintf(" <%s %s %s>", p.Kind, p.Name, p.Text)
			default:
				line += fmt.Sprintf(" <%s %s>", p.Kind, p.Text)
			}
		}
		lines = append(lines, line)
	}
	return lines
}

func counts(c *lore.Conversation) [6]int {
	l := c.Ledger
	return [6]int{l.Units, l.Kept, l.Merged, l.Skipped, l.Unknown, l.Damaged}
}

func lossesOf(c *lore.Conversation) (list []string) {
	for _, l := range c.Losses {
		list = append(list, fmt.Sprintf("%s %s", l.Code, filepath.Base(l.File)+l.Row))
	}
	return list
}

// TestAcceptance is the table of the format's page: a sample, and what a faithful reader makes of it. The session's own
// unit is left out of the counts.
func TestAcceptance(t *testing.T) {
	done := `"status":"completed","input":{"command":"ls"},"output":"oil"`
	cases := []struct {
		name   string
		chat   chat
		want   []string
		ledger [6]int // units, kept, merged, skipped, unknown, damaged
		lost   []string
	}{{
		"plain text", chat{user("a", text("hi")), bot("b", text("hello"))},
		[]string{"a user: hi", "b assistant: hello"}, [6]int{4, 4, 0, 0, 0, 0}, nil,
	}, {
		"tool only, and one that waits", chat{bot("a", tool("bash", "c1", done), tool("bash", "c2", `"status":"pending","input":{},"raw":"{\"comm"`))},
		[]string{`a assistant: <call bash {"command":"ls"}> <call bash {"comm>`, "tool:a tool: <result bash oil>"}, [6]int{3, 3, 0, 0, 0, 0}, nil,
	}, {
		"a failed call", chat{bot("a", tool("read", "c1", `"status":"error","input":{"filePath":"/no"},"error":"no such file"`))},
		[]string{`a assistant: <call read {"filePath":"/no"}>`, "tool:a tool: <result read no such file>"}, [6]int{2, 2, 0, 0, 0, 0}, nil,
	}, {
		"thinking only", chat{bot("a", `"type":"reasoning","text":"why"`)},
		[]string{"a assistant: <thinking why>"}, [6]int{2, 2, 0, 0, 0, 0}, nil,
	}, {
		"mixed", chat{bot("a", `"type":"step-start"`, `"type":"reasoning","text":"why"`, tool("bash", "c1", done), text("so"), tool("bash", "c2", done), text("end"), `"type":"step-finish"`)},
		[]string{`a assistant: <thinking why> <call bash {"command":"ls"}>`, "tool:a tool: <result bash oil>", ` assistant: so <call bash {"command":"ls"}>`,
			" tool: <result bash oil>", " assistant: end"},
		[6]int{8, 6, 0, 2, 0, 0}, nil,
	}, {
		"empty answer", chat{user("a", text("hi")), bot("b")},
		[]string{"a user: hi", "b assistant:"}, [6]int{3, 3, 0, 0, 0, 0}, nil,
	}, {
		"duplicate text", chat{user("a", text("go")), user("b", text("go"))},
		[]string{"a user: go", "b user: go"}, [6]int{4, 4, 0, 0, 0, 0}, nil,
	}, {
		"bad JSON", chat{user("a", text("hi"), `!{"id":"prt_a_1","type":"te`), bot("b", text("hello"))},
		[]string{"a user: hi", "b assistant: hello"}, [6]int{5, 4, 0, 0, 0, 1}, []string{"bad_json prt_a_1.json"},
	}, {
		"no object", chat{user("a", text("hi"), `![1]`)},
		[]string{"a user: hi"}, [6]int{3, 2, 0, 0, 0, 1}, []string{"bad_json prt_a_1.json"},
	}, {
		"empty array", chat{user("a", text("hi"), `![]`)},
		[]string{"a user: hi"}, [6]int{3, 2, 0, 1, 0, 0}, []string{"absent_value prt_a_1.json"},
	}, {
		"unknown part", chat{bot("a", `"type":"hologram","beam":1`)},
		[]string{`a assistant: <unknown {"id":"prt_a_0","sessionID":"ses_1","messageID":"a","type":"hologram","beam":1}>`}, [6]int{2, 1, 0, 0, 1, 0},
		[]string{"unknown_record prt_a_0.json"},
	}, {
		"synthetic and typed", chat{user("a", text("context")+`,"synthetic":true`, text("hi"), text("note")+`,"ignored":true`)},
		[]string{"system:a system/context: context", "a user: hi", " system/notice: note"}, [6]int{4, 4, 0, 0, 0, 0}, nil,
	}, {
		"synthetic alone", chat{user("a", text("go on")+`,"metadata":{"compaction_continue":true}`)},
		[]string{"a system/context: go on"}, [6]int{2, 2, 0, 0, 0, 0}, nil,
	}, {
		"subtask and retry", chat{user("a", `"type":"subtask","prompt":"trim","description":"d","agent":"b"`), bot("b", `"type":"retry","attempt":1,"error":{"name":"APIError","data":{"message":"busy"}}`)},
		[]string{"a system/subtask: trim", "b assistant:", "system:b system/notice: APIError: busy"}, [6]int{4, 4, 0, 0, 0, 0}, nil,
	}}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := c.chat.read(t, plain)
			same(t, c.want, render(got))
			c.ledger[0]++
			c.ledger[1]++
			same(t, c.ledger, counts(got))
			same(t, c.lost, lossesOf(got))
		})
	}
}

// TestMissingTime: a message without a time has that of the one before it, or of the session.
func TestMissingTime(t *testing.T) {
	got := chat{{"a", `"role":"user"`, []string{text("hi")}}, bot("b", text("hello")), {"c", `"role":"user"`, []string{text("again")}}}.read(t, plain)
	var at []string
	for _, m := range got.Messages {
		at = append(at, m.Native+" "+m.At.String()+" "+string(m.AtFrom))
	}
	same(t, []string{"a 2026-03-02T08:59:59.000Z inherited", "b 2026-03-02T09:00:00.000Z source", "c 2026-03-02T09:00:00.000Z inherited"}, at)
}

// TestOC03OrderIsOfTimeThenID: old ids do not rise with time; equal times are told apart by id.
func TestOC03OrderIsOfTimeThenID(t *testing.T) {
	at := func(id string, seconds int) said {
		return said{id, fmt.Sprintf(`"role":"user","time":{"created":%d}`, start+seconds), []string{text(id)}}
	}
	got := chat{at("msg_a", 2), at("msg_c", 3), at("msg_b", 3), at("msg_z", 1)}.read(t, plain)
	same(t, []string{"msg_z user: msg_z", "msg_a user: msg_a", "msg_b user: msg_b", "msg_c user: msg_c"}, render(got))
}

// TestOC04Compaction: a user message with nothing but a compaction is a marker, the summary is the system's.
func TestOC04Compaction(t *testing.T) {
	got := chat{user("a", `"type":"compaction","auto":true`), {"b", `"role":"assistant","summary":true`, []string{text("summary")}}, {"c", `"role":"assistant","summary":{"title":null}`, []string{text("speech")}}}.read(t, plain)
	same(t, []string{"a system/compaction:", "b system/compaction: summary", "c assistant: speech"}, render(got))
}

// TestUndo: what was undone stays and is inactive; an undo of what is not there is told.
func TestUndo(t *testing.T) {
	session := func(revert string) string { return plain[:len(plain)-1] + `,"revert":{` + revert + `}}` }
	talk := chat{user("a", text("one")), bot("b", text("two"), text("three")), user("c", text("four"))}
	same(t, []string{"a user: one", "b assistant (inactive): two three", "c user (inactive): four"}, render(talk.read(t, session(`"messageID":"b"`))))
	same(t, []string{"a user: one", "b assistant: two", " assistant (inactive): three", "c user (inactive): four"},
		render(talk.read(t, session(`"messageID":"b","partID":"prt_b_1"`))))
	got := talk.read(t, session(`"messageID":"x"`))
	same(t, []string{"a user: one", "b assistant: two three", "c user: four"}, render(got))
	same(t, []string{"unknown_rewind ses_1.json"}, lossesOf(got))
}

// TestErrorHeadersAreNotForReading: of an error only name and message are in the record.
func TestErrorHeadersAreNotForReading(t *testing.T) {
	got := chat{{"a", `"role":"assistant","error":{"name":"APIError","data":{"message":"busy","responseHeaders":{"cookie":"c"},"responseBody":"b"}}`, nil}}.read(t, plain)
	same(t, []string{"a assistant:", "system:a system/notice: APIError: busy"}, render(got))
}

// TestDamagedMessage: the parts of a message that cannot be decoded stand; who spoke is told by what only answers have.
func TestDamagedMessage(t *testing.T) {
	talk := chat{user("a", text("hi")), {"b", `"role":`, []string{text("hello"), `"type":"step-finish"`}}, {"c", `"role":`, []string{text("who")}}}
	got := talk.read(t, plain)
	same(t, []string{"a user: hi", "b assistant: hello", "c system: who"}, render(got))
	same(t, []string{"bad_json b.json", "bad_json c.json"}, lossesOf(got))
	same(t, [6]int{8, 5, 0, 1, 0, 2}, counts(got))
}

// TestDamagedSession: without its file a session is named as that is, and complete otherwise; alone it is malformed.
func TestDamagedSession(t *testing.T) {
	got := chat{user("a", text("hi"))}.read(t, `{"id":"ses_1","ti`)
	same(t, "ses_1", got.Native)
	same(t, []string{"a user: hi"}, render(got))
	same(t, []string{"bad_json ses_1.json"}, lossesOf(got))
	files := fstest.MapFS{"storage/session/p/ses_1.json": {Data: []byte(`{"id"`)}}
	_, err := drain(adapter.Input{Source: adapter.Source{Product: sourceOpenCode, Store: storeTree, Path: "storage/session/p/ses_1.json"}, FS: files})
	if !errors.Is(err, adapter.ErrMalformed) {
		t.Errorf("got %v, want ErrMalformed", err)
	}
}
