package geminicli

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"lore"
	"lore/adapter"
)

const (
	chatPath = "tmp/lantern/chats/session-2026-03-02T09-00-a1a1a1a1.jsonl"
	headLine = `{"sessionId":"a1a1a1a1-0000-4000-8000-000000000001","projectHash":"x","startTime":"2026-03-02T09:00:00.000Z"}`
)

// lines joins records into a file.
func lines(records ...string) string { return strings.Join(records, "\n") + "\n" }

// chatOf is a session of these records, behind its head.
func chatOf(records ...string) string { return lines(append([]string{headLine}, records...)...) }

// said is a record of one message, without a time.
func said(id, typ, content string) string {
	return fmt.Sprintf(`{"id":%q,"type":%q,"content":%s}`, id, typ, content)
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
func readAs(name string, files map[string]string) ([]*lore.Conversation, error) {
	in := adapter.Input{Source: adapter.Source{Product: source, Store: storeOf(name), Path: name}, FS: fstest.MapFS{}, Place: "~/.gemini"}
	fsys := in.FS.(fstest.MapFS)
	for p, content := range files {
		fsys[p] = &fstest.MapFile{Data: []byte(content)}
		if p != name {
			in.Source.Companions = append(in.Source.Companions, p)
		}
	}
	slices.Sort(in.Source.Companions)
	return drain(in)
}

// readChatOf reads a session and returns its one conversation.
func readChatOf(t *testing.T, records ...string) *lore.Conversation {
	t.Helper()
	return only(t, chatPath, map[string]string{chatPath: chatOf(records...)})
}

func only(t *testing.T, name string, files map[string]string) *lore.Conversation {
	t.Helper()
	list, err := readAs(name, files)
	if err != nil || len(list) == 0 {
		t.Fatalf("%s: %d records, %v", name, len(list), err)
	}
	return list[0]
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
			default:
				line += fmt.Sprintf(" <%s %s>", p.Kind, p.Text)
			}
			if p.IsError {
				line += "!"
			}
		}
		if !m.Active {
			line = "[" + line + "]"
		}
		out = append(out, line)
	}
	return out
}

// natives lists the native ids of messages.
func natives(c *lore.Conversation) []string {
	var out []string
	for i := range c.Messages {
		out = append(out, c.Messages[i].Native)
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
func found(t *testing.T, place adapter.Place) []string {
	t.Helper()
	var out []string
	for s, err := range New().Find(context.Background(), place) {
		var loss lore.Loss
		switch {
		case errors.As(err, &loss):
			out = append(out, string(loss.Code)+" "+loss.File)
		case err != nil:
			out = append(out, "error "+path.Base(s.Path))
		default:
			out = append(out, fmt.Sprintf("%s %s %d", s.Path, s.Store, len(s.Companions)))
		}
	}
	return out
}
