package codex

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"lore"
	"lore/adapter"
)

const (
	selfID   = "019a0000-0001-7000-8000-000000000001"
	parentID = "019a0000-0000-7000-8000-000000000001"
	fileStem = "rollout-2026-03-02T09-00-00-" + selfID
	filePath = sessionsDir + "/2026/03/02/" + fileStem + ".jsonl"
)

// The records of generation 3, without their times.

func envelope(typ, payload string) string {
	return fmt.Sprintf(`"type":%q,"payload":%s}`, typ, payload)
}

func item(payload string) string  { return envelope("response_item", payload) }
func event(payload string) string { return envelope("event_msg", payload) }
func done(fields string) string   { return event(`{"type":"item_completed","item":{` + fields + `}}`) }

func meta(fields string) string {
	return envelope("session_meta", `{"id":"`+selfID+`","timestamp":"2026-03-02T09:00:00.000Z","cwd":"/proj/lantern"`+fields+`}`)
}

func quote(text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func userItem(text string) string {
	return item(`{"type":"message","role":"user","content":[{"type":"input_text","text":` + quote(text) + `}]}`)
}

func userEvent(text string) string {
	return event(`{"type":"user_message","message":` + quote(text) + `}`)
}

func userDone(text string) string {
	return done(`"type":"UserMessage","content":[{"type":"text","text":` + quote(text) + `}]`)
}

func botItem(text string) string {
	return item(`{"type":"message","role":"assistant","content":[{"type":"output_text","text":` + quote(text) + `}]}`)
}

func botEvent(text string) string {
	return event(`{"type":"agent_message","message":` + quote(text) + `}`)
}

func botDone(text string) string {
	return done(`"type":"AgentMessage","content":[{"type":"Text","text":` + quote(text) + `}]`)
}

func thinkItem(texts ...string) string {
	var list []string
	for _, text := range texts {
		list = append(list, `{"type":"summary_text","text":`+quote(text)+`}`)
	}
	return item(`{"type":"reasoning","summary":[` + strings.Join(list, ",") + `],"encrypted_content":"gAAAAA"}`)
}

func thinkEvent(text string) string {
	return event(`{"type":"agent_reasoning","text":` + quote(text) + `}`)
}

func thinkDone(texts ...string) string {
	var list []string
	for _, text := range texts {
		list = append(list, quote(text))
	}
	return done(`"type":"Reasoning","summary_text":[` + strings.Join(list, ",") + `],"raw_content":[]`)
}

func callItem(id, name, args string) string {
	return item(fmt.Sprintf(`{"type":"function_call","name":%q,"arguments":%s,"call_id":%q}`, name, quote(args), id))
}

func outItem(id, output string) string {
	return item(fmt.Sprintf(`{"type":"function_call_output","call_id":%q,"output":%s}`, id, quote(output)))
}

func turnStart(id string) string { return event(`{"type":"task_started","turn_id":"` + id + `"}`) }

func turnEnd(last string) string {
	return event(`{"type":"task_complete","last_agent_message":` + last + `}`)
}

func tokenCount(total, last int) string {
	return event(fmt.Sprintf(`{"type":"token_count","info":{"total_token_usage":{"output_tokens":%d},"last_token_usage":{"output_tokens":%d}}}`, total, last))
}

// rollout is a file of records a minute apart, from 09:00 on.
func rollout(records ...string) string {
	var b strings.Builder
	start := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	for i, r := range records {
		fmt.Fprintf(&b, "{\"timestamp\":%q,%s\n", start.Add(time.Duration(i)*time.Minute).Format("2006-01-02T15:04:05.000Z"), r)
	}
	return b.String()
}

// readAs reads a file as Find would have found it in the sessions of Codex.
func readAs(t *testing.T, name, content string) ([]*lore.Conversation, error) {
	t.Helper()
	in := adapter.Input{
		Source: adapter.Source{Product: sourceCodex, Store: storeOf(sourceCodex, name), Path: name},
		FS:     fstest.MapFS{name: {Data: []byte(content)}},
		Place:  "~/.codex",
	}
	return drain(in)
}

func drain(in adapter.Input) ([]*lore.Conversation, error) {
	var list []*lore.Conversation
	for c, err := range New().Read(context.Background(), in) {
		if err != nil {
			return list, err
		}
		list = append(list, c)
	}
	return list, nil
}

// readOne reads a rollout that holds one conversation, and seals it.
func readOne(t *testing.T, records ...string) *lore.Conversation {
	t.Helper()
	return readFile(t, filePath, rollout(records...))
}

func readFile(t *testing.T, name, content string) *lore.Conversation {
	t.Helper()
	list, err := readAs(t, name, content)
	if err != nil || len(list) != 1 {
		t.Fatalf("%d records, error %v", len(list), err)
	}
	if !list[0].Ledger.Balanced() {
		t.Errorf("the ledger does not add up: %+v", list[0].Ledger)
	}
	lore.Seal(list[0])
	return list[0]
}

// render writes a record down, a message a line.
func render(c *lore.Conversation) []string {
	var list []string
	for _, m := range c.Messages {
		line := string(m.Role)
		if m.Subtype != "" {
			line += "(" + m.Subtype + ")"
		}
		if !m.Active {
			line += " inactive"
		}
		line += ":"
		for _, p := range m.Parts {
			line += " " + renderPart(p)
		}
		list = append(list, line)
	}
	return list
}

func renderPart(p lore.Part) string {
	text := p.Text
	switch {
	case p.Unreadable:
		text = "?"
	case p.Kind == lore.Text:
		return text
	case p.IsError:
		text = "FAILED " + text
	}
	if p.Name != "" {
		text = p.Name + " " + text
	}
	return "<" + strings.TrimSpace(string(p.Kind)+" "+text) + ">"
}

func same(t *testing.T, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// counts returns units, kept, merged, skipped, unknown, damaged.
func counts(c *lore.Conversation) [6]int {
	l := c.Ledger
	return [6]int{l.Units, l.Kept, l.Merged, l.Skipped, l.Unknown, l.Damaged}
}

// lost lists losses as "code@line".
func lost(c *lore.Conversation) []string {
	var list []string
	for _, l := range c.Losses {
		list = append(list, fmt.Sprintf("%s@%d", l.Code, l.Line))
	}
	return list
}

func isNotMine(err error) bool { return errors.Is(err, adapter.ErrNotMine) }

func base(name string) string { return path.Base(name) }
