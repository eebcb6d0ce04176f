package codex

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"lore"
)

// TestTools: calls and outputs in each of their shapes.
func TestTools(t *testing.T) {
	cases := []struct {
		name    string
		records []string
		want    []string
	}{{
		"arguments as an object, null, or no JSON",
		[]string{
			item(`{"type":"function_call","name":"f","arguments":{"a": 1},"call_id":"1"}`), item(`{"type":"function_call","name":"f","arguments":null,"call_id":"2"}`),
			item(`{"type":"function_call","name":"f","arguments":"{oops","call_id":"3"}`),
		},
		[]string{`assistant: <call f {"a": 1}>`, "assistant: <call f>", "assistant: <call f {oops>"},
	}, {
		"raw input, namespace",
		[]string{item(`{"type":"custom_tool_call","name":"apply_patch","input":"*** Begin Patch\n","call_id":"1"}`), item(`{"type":"function_call","name":"find","namespace":"docs","arguments":"{}","call_id":"2"}`)},
		[]string{"assistant: <call apply_patch *** Begin Patch>", "assistant: <call docs.find {}>"},
	}, {
		"calls of the client's own tools",
		[]string{
			item(`{"type":"local_shell_call","call_id":"1","action":{"type":"exec","command":["ls"]}}`), item(`{"type":"web_search_call","action":{"type":"search","query":"go"}}`),
			item(`{"type":"tool_search_call","call_id":"3","arguments":{"query":"x"}}`), item(`{"type":"tool_search_output","call_id":"3","tools":[{"name":"y"}]}`),
		},
		[]string{
			`assistant: <call local_shell {"type":"exec","command":["ls"]}>`, `assistant: <call web_search {"type":"search","query":"go"}>`,
			`assistant: <call tool_search {"query":"x"}>`, `tool: <result [{"name":"y"}]>`,
		},
	}, {
		"outputs",
		[]string{
			outItem("1", "plain"), outItem("2", `{"output":"a \"b\" \\ c\n\u00e9","metadata":{"exit_code":0,"duration_seconds":0.1}}`),
			outItem("3", `{"output":"no","metadata":{"exit_code":2}}`), outItem("4", `{"output":"no metadata"}`), outItem("5", `{"metadata":{"exit_code":1},"output":"turned"}`),
			item(`{"type":"function_call_output","call_id":"6","output":[{"type":"input_text","text":"one"},{"type":"input_text","text":"two"}]}`),
			item(`{"type":"function_call_output","call_id":"7","output":{"type":"input_text","text":"block"}}`),
			item(`{"type":"function_call_output","call_id":"8","output":{"content":"old","success":false}}`),
			item(`{"type":"function_call_output","call_id":"9","output":{"x":1}}`), item(`{"type":"function_call_output","call_id":"10","output":null}`),
			outItem("11", ""), outItem("12", "nul \x00 behind"),
		},
		[]string{
			"tool: <result plain>", "tool: <result a \"b\" \\ c\né>", "tool: <result FAILED no>", `tool: <result {"output":"no metadata"}>`, "tool: <result FAILED turned>",
			"tool: <result one> <result two>", "tool: <result block>", "tool: <result FAILED old>", `tool: <result {"x":1}>`, "tool: <result>", "tool: <result>", "tool: <result nul \x00 behind>",
		},
	}}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			same(t, c.want, render(readOne(t, append([]string{meta("")}, c.records...)...)))
		})
	}
}

// TestToolEvents: an event is the call and the result where no item is; beside items it adds what only it knows.
func TestToolEvents(t *testing.T) {
	exec := event(`{"type":"exec_command_end","call_id":"c1","command":["ls","-l"],"stdout":"a","stderr":"warned","aggregated_output":"a\nwarned","exit_code":1}`)
	mcp := event(`{"type":"mcp_tool_call_end","call_id":"c1","invocation":{"server":"docs","tool":"find","arguments":{"q":"x"}},"result":{"Ok":{"content":[{"type":"text","text":"found"}]}}}`)
	cases := []struct {
		name    string
		records []string
		want    []string
		merged  int
	}{
		{"exec alone", []string{exec}, []string{`assistant: <call exec_command ["ls","-l"]>`, "tool: <result FAILED a\nwarned>"}, 0},
		{"exec after items", []string{callItem("c1", "shell", "{}"), outItem("c1", "a\nwarned"), exec}, []string{"assistant: <call shell {}>", "tool: <result FAILED a\nwarned>"}, 0},
		{"exec between items", []string{callItem("c1", "shell", "{}"), exec, outItem("c1", "a")}, []string{"assistant: <call shell {}>", "tool: <result FAILED a> <result stderr FAILED warned>"}, 0},
		{"exec without output item", []string{callItem("c1", "shell", "{}"), exec}, []string{"assistant: <call shell {}>", "tool: <result FAILED a\nwarned>"}, 0},
		{"begin and end", []string{event(`{"type":"exec_command_begin","call_id":"c1","command":["ls"]}`), exec}, []string{`assistant: <call exec_command ["ls"]>`, "tool: <result FAILED a\nwarned>"}, 0},
		{"mcp alone", []string{mcp}, []string{`assistant: <call docs.find {"q":"x"}>`, "tool: <result found>"}, 0},
		{"mcp beside items", []string{callItem("c1", "docs__find", `{"q":"x"}`), mcp, outItem("c1", "found")}, []string{`assistant: <call docs__find {"q":"x"}>`, "tool: <result found>"}, 1},
		{"mcp error", []string{event(`{"type":"mcp_tool_call_end","call_id":"c1","invocation":{"server":"s","tool":"t"},"result":{"Err":"down"}}`)}, []string{"assistant: <call s.t>", "tool: <result FAILED down>"}, 0},
		{"patch", []string{event(`{"type":"patch_apply_end","call_id":"c1","success":true,"stdout":"Done","changes":{"a.go":{"delete":{}}}}`)}, []string{`assistant: <call apply_patch {"a.go":{"delete":{}}}>`, "tool: <result Done>"}, 0},
		{"image viewed", []string{event(`{"type":"view_image_tool_call","call_id":"c1","path":"/a.png"}`)}, []string{"assistant: <call view_image /a.png>"}, 0},
		{"dynamic tool", []string{event(`{"type":"dynamic_tool_call_request","callId":"c1","tool":"t","arguments":{}}`), event(`{"type":"dynamic_tool_call_response","call_id":"c1","tool":"t","content_items":[{"type":"inputText","text":"out"}],"success":true}`)}, []string{"assistant: <call t {}>", "tool: <result out>"}, 0},
		{"search with results", []string{item(`{"type":"web_search_call","action":{"type":"search","query":"go"}}`), event(`{"type":"web_search_end","call_id":"ws","query":"go","results":[{"title":"Go"}]}`)}, []string{`assistant: <call web_search {"type":"search","query":"go"}>`, `tool: <result [{"title":"Go"}]>`}, 0},
		{"search said twice", []string{item(`{"type":"web_search_call","id":"ws","action":{"type":"search","query":"go"}}`), event(`{"type":"web_search_end","call_id":"ws","query":"go"}`)}, []string{`assistant: <call web_search {"type":"search","query":"go"}>`}, 1},
		{"completed items", []string{
			done(`"type":"CommandExecution","id":"i1","command":["make"],"aggregated_output":"built","exit_code":0`), done(`"type":"FileChange","id":"i2","changes":{"a":{"add":{"content":"x"}}},"status":"completed"`),
			done(`"type":"McpToolCall","id":"i3","server":"s","tool":"t","arguments":{"a":1},"result":{"content":[{"type":"text","text":"r"}],"isError":true}`), done(`"type":"Extension","id":"i4","kind":"web","query":"q","action":{"type":"search"},"results":[{"title":"T"}]`),
		}, []string{
			`assistant: <call exec_command ["make"]>`, "tool: <result built>", `assistant: <call apply_patch {"a":{"add":{"content":"x"}}}>`, `assistant: <call s.t {"a":1}>`, "tool: <result FAILED r>",
			`assistant: <call web {"type":"search"}>`, `tool: <result [{"title":"T"}]>`,
		}, 0},
		{"completed beside items", []string{callItem("c1", "shell", "{}"), done(`"type":"CommandExecution","id":"c1","command":["ls"],"aggregated_output":"a","exit_code":0`), outItem("c1", "a")}, []string{"assistant: <call shell {}>", "tool: <result a>"}, 1},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := readOne(t, append([]string{meta("")}, c.records...)...)
			same(t, c.want, render(got))
			same(t, c.merged, got.Ledger.Merged)
		})
	}
}

// TestUnpairedCalls: what has no other half is kept, and named.
func TestUnpairedCalls(t *testing.T) {
	c := readOne(t, meta(""), callItem("a", "f", "{}"), callItem("b", "f", "{}"), outItem("c", "x"), outItem("b", "y"))
	same(t, []string{"unpaired_call@2", "unpaired_call@4"}, lost(c))
	same(t, lore.Info, c.Losses[0].Severity)
}

// TestCallIDsThatComeAgain: some providers number the calls of each turn anew.
func TestCallIDsThatComeAgain(t *testing.T) {
	var records []string
	for i := range 3 {
		records = append(records, callItem("call_0", "f", fmt.Sprintf(`{"n":%d}`, i)), outItem("call_0", fmt.Sprint("r", i)))
	}
	c := readOne(t, append([]string{meta("")}, records...)...)
	same(t, 6, len(c.Messages))
	same(t, 0, len(c.Losses))
	ids := map[lore.ID]bool{}
	for _, m := range c.Messages {
		ids[m.ID] = true
	}
	same(t, 6, len(ids))
}

// TestNativeIDs: a result's is that of its call, others have the item's own or none.
func TestNativeIDs(t *testing.T) {
	c := readOne(t, meta(""), userItem("hi"),
		item(`{"type":"function_call","id":"fc_1","name":"f","arguments":"{}","call_id":"c1"}`), item(`{"type":"function_call_output","id":"fo_1","call_id":"c1","output":"x"}`),
		item(`{"type":"message","id":"m_1","role":"assistant","content":[{"type":"output_text","text":"ok"}]}`), item(`{"type":"reasoning","id":null,"summary":[]}`))
	var ids []string
	for _, m := range c.Messages {
		ids = append(ids, m.Native)
	}
	same(t, []string{"", "fc_1", "tool:c1", "m_1", ""}, ids)
}

// TestImages: an image that is said twice is one part, and no bytes of it are text.
func TestImages(t *testing.T) {
	url := "data:image/png;base64," + base64.StdEncoding.EncodeToString([]byte("png bytes"))
	framed := item(`{"type":"message","role":"user","content":[{"type":"input_text","text":"see"},{"type":"input_text","text":"<image name=[Image #1]>"},{"type":"input_image","image_url":"` + url + `"},{"type":"input_text","text":"</image>"}]}`)
	ref := "<image sha256:5d34db18f6f6f10c6461c6c2b2ea6b7a7d5b8ca1a3b4ee3eb6e2cdf2e9b5b0b8>"
	c := readOne(t, meta(""), framed, event(`{"type":"user_message","message":"see","images":[],"local_images":["/tmp/a.png"]}`))
	same(t, 1, len(c.Messages))
	p := c.Messages[0].Parts
	if len(p) != 2 || p[1].Kind != lore.Image || !strings.HasPrefix(p[1].Text, "sha256:") || len(p[1].Text) != len(ref)-len("<image >") || p[1].MediaType != "image/png" || p[1].Bytes != 9 {
		t.Errorf("%+v", p)
	}
	c = readOne(t, meta(""), userItem("see"), event(`{"type":"user_message","message":"see","local_images":["/tmp/a.png"]}`))
	same(t, []string{"user: see <image /tmp/a.png>"}, render(c))
	same(t, [6]int{3, 3, 0, 0, 0, 0}, counts(c))
	c = readOne(t, meta(""), item(`{"type":"message","role":"user","content":[{"type":"input_text","text":"x"},{"type":"input_image","image_url":null}]}`))
	same(t, []string{"user: x"}, render(c))
	made := base64.StdEncoding.EncodeToString([]byte("made"))
	c = readOne(t, meta(""), item(`{"type":"image_generation_call","id":"ig_1","revised_prompt":"a cat","result":"`+made+`"}`), event(`{"type":"image_generation_end","call_id":"ig_1","result":"`+made+`"}`))
	same(t, 2, len(c.Messages))
	same(t, "<call image_generation a cat>", renderPart(c.Messages[0].Parts[0]))
	if p := c.Messages[1].Parts[0]; p.Kind != lore.Image || p.Bytes != 4 || c.Messages[1].Native != "tool:ig_1" {
		t.Errorf("%+v", c.Messages[1])
	}
}

// TestCX17CiphertextIsNoText: what is encrypted is a part that cannot be read.
func TestCX17CiphertextIsNoText(t *testing.T) {
	c := readOne(t, meta(""), thinkItem(), item(`{"type":"agent_message","author":"a","recipient":"b","content":[{"type":"input_text","text":"to b"},{"type":"encrypted_content","encrypted_content":"gAAAAABk"}]}`))
	same(t, []string{"assistant: <thinking ?>", "system(agent): to b <thinking ?>"}, render(c))
}

// TestUnwrap: the fast way and the slow way read an output alike.
func TestUnwrap(t *testing.T) {
	texts := []string{"", "plain", "a\nb\tc\r\n", `quote " and back \ slash`, `\n is no line end`, "é 漢 😀", "\x1b[31mred\x1b[0m", "\x00", `{"output":"x"}`, `\"`, `"\`, "ends in \\"}
	for _, text := range texts {
		for _, code := range []int{0, 1} {
			inner := fmt.Sprintf(`{"output":%s,"metadata":{"exit_code":%d,"duration_seconds":1.5}}`, quote(text), code)
			c := readOne(t, meta(""), callItem("c", "shell", "{}"), outItem("c", inner))
			p := c.Messages[1].Parts[0]
			if p.Text != text || p.IsError != (code != 0) {
				t.Errorf("%q read as %q, failed %v", inner, p.Text, p.IsError)
			}
		}
	}
}
