package claudecode

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"lore"
	"lore/adapter"
)

// rec is a record as a test writes it. sessionId and timestamp are filled in by lines; a nil value leaves a key out.
type rec map[string]any

// record makes a record of a type; more are keys and values.
func record(typ string, more ...any) rec {
	r := rec{"type": typ}
	for i := 0; i < len(more); i += 2 {
		r[more[i].(string)] = more[i+1]
	}
	return r
}

// user and answer make the two records of a conversation. An empty parent is none.
func user(uuid, parent string, content any, more ...any) rec {
	r := record("user", more...)
	return r.linked(uuid, parent, rec{"role": "user", "content": content})
}

func answer(uuid, parent, id string, content any, more ...any) rec {
	m := rec{"role": "assistant", "content": content}
	if id != "" {
		m["id"] = id
	}
	r := record("assistant", more...)
	return r.linked(uuid, parent, m)
}

func (r rec) linked(uuid, parent string, message rec) rec {
	for key, value := range map[string]any{"uuid": uuid, "message": message} {
		if _, set := r[key]; !set {
			r[key] = value
		}
	}
	r["parentUuid"] = nil
	if parent != "" {
		r["parentUuid"] = parent
	}
	return r
}

// Blocks of a message.
func says(s string) []rec { return []rec{textBlock(s)} }

func textBlock(s string) rec { return rec{"type": "text", "text": s} }

func callBlock(id, name string, input any) rec {
	return rec{"type": "tool_use", "id": id, "name": name, "input": input}
}

func resultBlock(id string, content any) rec {
	return rec{"type": "tool_result", "tool_use_id": id, "content": content}
}

// lines writes a session's file: a record a line, a minute apart. A string is a line as it stands.
func lines(session string, records ...any) *fstest.MapFile {
	var b strings.Builder
	for i, r := range records {
		if s, ok := r.(string); ok {
			b.WriteString(s + "\n")
			continue
		}
		full := rec{"sessionId": session, "timestamp": fmt.Sprintf("2026-04-01T10:%02d:00.000Z", i+1)}
		for key, value := range r.(rec) {
			if full[key] = value; value == nil && key != "parentUuid" {
				delete(full, key)
			}
		}
		text, err := json.Marshal(full)
		if err != nil {
			panic(err)
		}
		b.Write(append(text, '\n'))
	}
	return &fstest.MapFile{Data: []byte(b.String()), Mode: 0o644}
}

// session reads one session's file, s1, and outlines it.
func session(t testing.TB, records ...any) string {
	t.Helper()
	return outlineHome(t, fstest.MapFS{".claude/projects/-p/s1.jsonl": lines("s1", records...)}, 0)
}

// outlineHome finds and reads everything below a home's .claude folder and outlines it. Where only one evidence is found
// its path is left out.
func outlineHome(t testing.TB, home fs.FS, bound int64) string {
	t.Helper()
	sub, err := fs.Sub(home, ".claude")
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	place := adapter.Place{Root: New().Info().Roots[0], FS: sub, Name: "~/.claude"}
	for s, err := range New().Find(context.Background(), place) {
		var b strings.Builder
		fmt.Fprintf(&b, "== %s", s.Path)
		for _, c := range s.Companions {
			fmt.Fprintf(&b, " + %s", path.Base(c))
		}
		b.WriteByte('\n')
		var loss lore.Loss
		switch {
		case errors.As(err, &loss):
			outlineLoss(&b, loss)
		case err != nil:
			fmt.Fprintf(&b, "error: %v\n", err)
		default:
			b.WriteString(outlineSource(t, adapter.Input{Source: s, FS: sub, Place: "~/.claude", Bound: bound}))
		}
		all = append(all, b.String())
	}
	if len(all) == 1 {
		_, only, _ := strings.Cut(all[0], "\n")
		return only
	}
	return strings.Join(all, "")
}

// outlineSource reads one evidence and outlines its records, the pieces of one put together again.
func outlineSource(t testing.TB, in adapter.Input) string {
	t.Helper()
	var b strings.Builder
	var before []lore.Message
	var sealer *lore.Sealer
	for c, err := range New().Read(context.Background(), in) {
		if err != nil {
			fmt.Fprintf(&b, "error: %v\n", err)
			break
		}
		if sealer == nil {
			sealer = lore.NewSealer()
		}
		sealer.Piece(c)
		before = append(before, c.Messages...)
		if c.More {
			continue
		}
		sealer.Finish(c)
		c.Messages = before
		outline(&b, c)
		before, sealer = nil, nil
	}
	if sealer != nil {
		t.Error("the last piece is missing")
	}
	return b.String()
}

// outline writes a record in the fewest words that a test wants to compare.
func outline(b *strings.Builder, c *lore.Conversation) {
	kind := string(c.Kind)
	if c.Partial {
		kind = "partial"
	}
	fmt.Fprintf(b, "%s %s", kind, c.Native)
	if c.About != "" {
		fmt.Fprintf(b, " about %s", c.About)
	}
	if c.TitleFrom == lore.TitleFromSource {
		fmt.Fprintf(b, " %q", c.Title)
	}
	if p := c.Parent; p != nil {
		fmt.Fprintf(b, " of %s by %q", p.Native, p.Call)
	}
	if l := c.Lineage; l != nil {
		fmt.Fprintf(b, " %s of %s shares %d", l.Kind, l.OfNative, l.Shared)
	}
	if c.Project != (lore.Project{}) {
		fmt.Fprintf(b, " in %s on %q", c.Project.Dir, c.Project.Branch)
	}
	b.WriteByte('\n')
	for i := range c.Messages {
		outlineMessage(b, &c.Messages[i])
	}
	l := c.Ledger
	for _, n := range []struct {
		name string
		n    int
	}{{"merged", l.Merged}, {"skipped", l.Skipped}, {"unknown", l.Unknown}, {"damaged", l.Damaged}} {
		if n.n > 0 {
			fmt.Fprintf(b, "  %d %s\n", n.n, n.name)
		}
	}
	for _, loss := range c.Losses {
		outlineLoss(b, loss)
	}
}

func outlineMessage(b *strings.Builder, m *lore.Message) {
	mark := "+"
	if !m.Active {
		mark = "-"
	}
	fmt.Fprintf(b, "  %s %s", mark, m.Role)
	if m.Subtype != "" {
		fmt.Fprintf(b, "/%s", m.Subtype)
	}
	fmt.Fprintf(b, " %s", m.Native)
	if m.ParentNative != "" {
		fmt.Fprintf(b, " < %s", m.ParentNative)
	}
	if m.AtFrom != lore.FromSource {
		fmt.Fprintf(b, " (time %s)", m.AtFrom)
	}
	if m.Usage != nil {
		fmt.Fprintf(b, " (%d out)", m.Usage.Output)
	}
	b.WriteString(":")
	for _, p := range m.Parts {
		outlinePart(b, &p)
	}
	b.WriteByte('\n')
}

func outlinePart(b *strings.Builder, p *lore.Part) {
	fmt.Fprintf(b, " [%s", p.Kind)
	for _, s := range []string{p.Name, p.CallID, p.MediaType} {
		if s != "" {
			fmt.Fprintf(b, " %s", s)
		}
	}
	for _, is := range []struct {
		name string
		is   bool
	}{{"error", p.IsError}, {"unreadable", p.Unreadable}, {"cut", p.Cut}} {
		if is.is {
			fmt.Fprintf(b, " %s", is.name)
		}
	}
	fmt.Fprintf(b, "] %s", short(p))
}

// ofLines are losses that the reading of lines tells, in words of its own.
var ofLines = map[lore.Code]bool{lore.BadJSON: true, lore.NulPadding: true, lore.OversizedRecord: true, lore.PartialTail: true}

func outlineLoss(b *strings.Builder, l lore.Loss) {
	fmt.Fprintf(b, "  ! %s %s", l.Severity, l.Code)
	if l.Line > 0 {
		fmt.Fprintf(b, " line %d", l.Line)
	}
	if !ofLines[l.Code] {
		fmt.Fprintf(b, ": %s", l.What)
	}
	if l.Count > 1 {
		fmt.Fprintf(b, " (%d)", l.Count)
	}
	b.WriteByte('\n')
}

// short quotes a part's text, and cuts a long one.
func short(p *lore.Part) string {
	s := p.Text
	if strings.HasPrefix(s, "sha256:") {
		return s[:15]
	}
	if len(s) > 200 {
		if s = s[:60] + "…" + s[len(s)-40:]; p.Cut {
			s, _, _ = strings.Cut(s, "…") // where it is cut is not this adapter's choice
			s += "…"
		}
	}
	return strconv.Quote(s)
}

// holds compares an outline with what a test wants; the indent of the test's own lines is cut.
func holds(t testing.TB, got, want string) {
	t.Helper()
	list := strings.Split(strings.Trim(want, "\n"), "\n")
	indent := len(list[0]) - len(strings.TrimLeft(list[0], "\t"))
	for i, l := range list {
		list[i] = l[min(indent, len(l)-len(strings.TrimLeft(l, "\t"))):]
	}
	for len(list) > 0 && strings.TrimSpace(list[len(list)-1]) == "" {
		list = list[:len(list)-1]
	}
	if diff := cmp.Diff(list, strings.Split(strings.TrimSuffix(got, "\n"), "\n")); diff != "" {
		t.Errorf("(-want +got):\n%s\ngot:\n%s", diff, got)
	}
}
