package copilotcli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"lore"
	"lore/adapter"
)

const (
	session   = "09cfc875-0000-4000-8000-000000000000"
	logPath   = sessionsDir + "/" + session + "/" + eventsName
	startLine = `{"type":"session.start","data":{"sessionId":"` + session + `","startTime":"2026-03-02T09:00:00.000Z","context":{"cwd":"/proj/lantern"}},"id":"e0","timestamp":"2026-03-02T09:00:00.000Z","parentId":null}`
)

// ev is an event; more are members of its envelope.
func ev(typ, id, data string, more ...string) string {
	return fmt.Sprintf(`{"type":%q,"data":%s,"id":%q,"timestamp":"2026-03-02T09:01:00.000Z"%s}`, typ, data, id, strings.Join(more, ""))
}

func user(id, text string) string { return ev("user.message", id, fmt.Sprintf(`{"content":%q}`, text)) }
func reply(id, text string) string {
	return ev("assistant.message", id, fmt.Sprintf(`{"content":%q}`, text))
}

func asks(id, call, name, args string) string {
	return ev("assistant.message", id, fmt.Sprintf(`{"content":"","toolRequests":[{"toolCallId":%q,"name":%q,"arguments":%s}]}`, call, name, args))
}

func begin(id, call, name, args string) string {
	return ev("tool.execution_start", id, fmt.Sprintf(`{"toolCallId":%q,"toolName":%q,"arguments":%s}`, call, name, args))
}

func gives(id, call, text string) string {
	return ev("tool.execution_complete", id, fmt.Sprintf(`{"toolCallId":%q,"success":true,"result":{"content":%q}}`, call, text))
}

// logOf is a session of these events, behind its start.
func logOf(events ...string) string {
	return strings.Join(append([]string{startLine}, events...), "\n") + "\n"
}

// drain reads an evidence and puts its pieces together.
func drain(in adapter.Input) (list []*lore.Conversation, err error) {
	more := false
	for c, err := range New().Read(context.Background(), in) {
		if err != nil {
			return list, err
		}
		if last := len(list) - 1; more {
			c.Messages = append(list[last].Messages, c.Messages...)
			list[last] = c
		} else {
			list = append(list, c)
		}
		more = c.More
	}
	return list, nil
}

// readAs reads a file as Find has found it, the others of the map being its companions.
func readAs(name, store string, files map[string]string) ([]*lore.Conversation, error) {
	fsys := fstest.MapFS{}
	in := adapter.Input{Source: adapter.Source{Product: source, Store: store, Path: name}, FS: fsys, Place: "~/.copilot"}
	for p, content := range files {
		fsys[p] = &fstest.MapFile{Data: []byte(content)}
		if p != name {
			in.Source.Companions = append(in.Source.Companions, p)
		}
	}
	slices.Sort(in.Source.Companions)
	return drain(in)
}

// readLogOf reads a session and returns its conversations.
func readLogOf(t *testing.T, events ...string) []*lore.Conversation {
	t.Helper()
	list, err := readAs(logPath, storeSessions, map[string]string{logPath: logOf(events...)})
	if err != nil || len(list) == 0 {
		t.Fatalf("%d records, %v", len(list), err)
	}
	return list
}

// render writes messages down, one a line: inactive ones in brackets.
func render(c *lore.Conversation) []string {
	var out []string
	for i := range c.Messages {
		m := &c.Messages[i]
		line := string(m.Role)
		if m.Subtype != "" {
			line += "/" + m.Subtype
		}
		line += ":"
		for _, p := range m.Parts {
			switch p.Kind {
			case lore.Text:
				line += " " + p.Text
			case lore.Call:
				line += fmt.Sprintf(" <call %s %s %s>", p.Name, p.CallID, p.Text)
			case lore.Result:
				line += fmt.Sprintf(" <result %s>", p.Text)
			case lore.File:
				line += fmt.Sprintf(" <file %s %s>", p.Name, p.Text)
			default:
				line += fmt.Sprintf(" <%s %s>", p.Kind, p.Text)
			}
			if p.IsError {
				line += "!"
			}
			if p.Unreadable {
				line += "?"
			}
		}
		if !m.Active {
			line = "[" + line + "]"
		}
		out = append(out, line)
	}
	return out
}

// counts are units, kept, merged, skipped, unknown, damaged.
func counts(c *lore.Conversation) [6]int {
	l := c.Ledger
	return [6]int{l.Units, l.Kept, l.Merged, l.Skipped, l.Unknown, l.Damaged}
}

// lost lists losses as code@line, with a count above one.
func lost(c *lore.Conversation) []string {
	var out []string
	for _, l := range c.Losses {
		s := fmt.Sprintf("%s@%d", l.Code, l.Line)
		if l.Count > 1 {
			s += fmt.Sprintf("x%d", l.Count)
		}
		out = append(out, s)
	}
	return out
}

func equal(t *testing.T, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b lore.Time) bool { return a == b })); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func isNotMine(err error) bool { return errors.Is(err, adapter.ErrNotMine) }

// found lists what Find yields: path, store, number of companions.
func found(place adapter.Place) []string {
	var out []string
	for s, err := range New().Find(context.Background(), place) {
		var loss lore.Loss
		switch {
		case errors.As(err, &loss):
			out = append(out, string(loss.Code)+" "+loss.File)
		case err != nil:
			out = append(out, "error "+s.Path)
		default:
			out = append(out, fmt.Sprintf("%s %s %d", s.Path, s.Store, len(s.Companions)))
		}
	}
	return out
}
