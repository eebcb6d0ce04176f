package copilot

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"lore"
	"lore/adapter"
)

const (
	storage = "workspaceStorage/1a2b/"
	logPath = storage + "chatSessions/s1.jsonl"
	docPath = storage + "chatSessions/s1.json"
)

// reading is all that one Read yields.
type reading struct {
	records []*lore.Conversation
	err     error
}

// readAll reads the first of files, given by path and content in turn, with the others as its companions.
func readAll(t *testing.T, files ...string) reading {
	t.Helper()
	return readBound(t, 0, files...)
}

func readBound(t *testing.T, bound int64, files ...string) (r reading) {
	t.Helper()
	fsys := fstest.MapFS{}
	for i := 0; i < len(files); i += 2 {
		fsys[files[i]] = &fstest.MapFile{Data: []byte(files[i+1])}
	}
	in := adapter.Input{FS: fsys, Place: "~/.config/Code/User", Bound: bound}
	in.Source = adapter.Source{Product: source, Path: files[0]}
	for i := 2; i < len(files); i += 2 {
		in.Source.Companions = append(in.Source.Companions, files[i])
	}
	in.Source.Info, _ = fs.Stat(fsys, files[0])
	var open *lore.Conversation
	for c, err := range New().Read(context.Background(), in) {
		if err != nil {
			r.err = err
			continue
		}
		if open != nil {
			c.Messages = append(open.Messages, c.Messages...)
		}
		if open = nil; c.More {
			open = c
			continue
		}
		if !c.Partial {
			lore.Seal(c)
		}
		r.records = append(r.records, c)
	}
	return r
}

// readOne wants exactly one record.
func readOne(t *testing.T, files ...string) *lore.Conversation {
	t.Helper()
	r := readAll(t, files...)
	if r.err != nil || len(r.records) != 1 {
		t.Fatalf("%d records, error %v", len(r.records), r.err)
	}
	return r.records[0]
}

// readLog reads a log of the given lines.
func readLog(t *testing.T, entries ...string) *lore.Conversation {
	t.Helper()
	return readOne(t, logPath, lines(entries...))
}

func lines(entries ...string) string { return strings.Join(entries, "\n") + "\n" }

// chat is a session with requests.
func chat(requests ...string) string {
	return `{"version":3,"sessionId":"s1","creationDate":1772442000000,"responderUsername":"GitHub Copilot","requests":[` + strings.Join(requests, ",") + `]}`
}

// initial is the first line of a log.
func initial(requests ...string) string { return `{"kind":0,"v":` + chat(requests...) + `}` }

// request is a request with an answer of the given elements.
func request(id, text string, response ...string) string {
	return requestWith(id, text, "", response...)
}

// requestWith adds members.
func requestWith(id, text, members string, response ...string) string {
	return fmt.Sprintf(`{"requestId":%q,"timestamp":1772442060000,"message":{"text":%s},"response":[%s]%s}`,
		id, quote(text), strings.Join(response, ","), members)
}

func say(text string) string { return `{"value":` + quote(text) + `}` }

func quote(text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// outline writes each message as "role: parts", with a mark before those that are not active.
func outline(c *lore.Conversation) []string {
	var list []string
	for _, m := range c.Messages {
		var b strings.Builder
		if !m.Active {
			b.WriteString("-")
		}
		b.WriteString(string(m.Role))
		if m.Subtype != "" {
			b.WriteString("(" + m.Subtype + ")")
		}
		for _, p := range m.Parts {
			b.WriteString(" " + outlinePart(p))
		}
		list = append(list, b.String())
	}
	return list
}

func outlinePart(p lore.Part) string {
	if p.Kind == lore.Text {
		return "‹" + p.Text + "›"
	}
	s := "[" + string(p.Kind)
	for _, x := range []string{p.Name, p.CallID, p.Text} {
		if x != "" {
			s += " " + x
		}
	}
	if p.IsError {
		s += " !"
	}
	return s + "]"
}

// account is the ledger in one line.
func account(c *lore.Conversation) string {
	l := c.Ledger
	s := fmt.Sprintf("%d = %d kept %d merged %d skipped %d unknown %d damaged", l.Units, l.Kept, l.Merged, l.Skipped, l.Unknown, l.Damaged)
	for _, name := range slices.Sorted(maps.Keys(l.Types)) {
		s += fmt.Sprintf(", %s %d", name, l.Types[name])
	}
	return s
}

// lost lists losses as "code@line".
func lost(c *lore.Conversation) []string {
	var list []string
	for _, l := range c.Losses {
		list = append(list, fmt.Sprintf("%s@%d", l.Code, l.Line))
	}
	return list
}

func same(t *testing.T, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
