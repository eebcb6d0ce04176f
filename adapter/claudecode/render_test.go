package claudecode

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"testing"

	"lore"
	"lore/adapter"
)

// readHome finds and reads everything below a home's .claude folder and renders it as text that a person can read.
func readHome(t testing.TB, home fs.FS, bound int64) string {
	t.Helper()
	sub, err := fs.Sub(home, ".claude")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	place := adapter.Place{Root: New().Info().Roots[0], FS: sub, Name: "~/.claude"}
	for s, err := range New().Find(context.Background(), place) {
		if err != nil {
			renderFault(&b, s, err)
			continue
		}
		fmt.Fprintf(&b, "== %s %s\n", s.Store, s.Path)
		for _, c := range s.Companions {
			fmt.Fprintf(&b, "   with %s\n", c)
		}
		b.WriteString(readSource(t, adapter.Input{Source: s, FS: sub, Place: "~/.claude", Bound: bound}))
	}
	return b.String()
}

func renderFault(b *strings.Builder, s adapter.Source, err error) {
	var loss lore.Loss
	if errors.As(err, &loss) {
		fmt.Fprintf(b, "== not read: %s\n", s.Path)
		renderLoss(b, loss)
		return
	}
	fmt.Fprintf(b, "== error: %s: %v\n", s.Path, err)
}

// readSource reads one evidence and renders its records, the pieces of one put together again.
func readSource(t testing.TB, in adapter.Input) string {
	t.Helper()
	var b strings.Builder
	var open *lore.Conversation
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
		if open != nil {
			if open.Native != c.Native {
				t.Errorf("a piece of %q follows one of %q", c.Native, open.Native)
			}
			c.Messages = append(open.Messages, c.Messages...)
		}
		if open = c; c.More {
			continue
		}
		sealer.Finish(c)
		check(t, c)
		render(&b, c)
		open, sealer = nil, nil
	}
	if open != nil {
		t.Errorf("the last piece of %q is missing", open.Native)
	}
	return b.String()
}

// check holds a record against what every record promises.
func check(t testing.TB, c *lore.Conversation) {
	t.Helper()
	if !c.Ledger.Balanced() {
		t.Errorf("%s: the ledger does not add up: %+v", c.Native, c.Ledger)
	}
	units := 0
	for i := range c.Messages {
		m := &c.Messages[i]
		units += m.Units
		if len(m.Origins) == 0 {
			t.Errorf("%s: message %d has no origin", c.Native, i)
		}
	}
	if units > c.Ledger.Kept {
		t.Errorf("%s: messages say %d units, the ledger kept %d", c.Native, units, c.Ledger.Kept)
	}
	seen := map[lore.Loss]bool{}
	for _, l := range c.Losses {
		if l.File == "" || l.Source != source || l.Count < 1 || lore.Codes[l.Code] == "" {
			t.Errorf("%s: half a loss: %+v", c.Native, l)
		}
		if seen[l] {
			t.Errorf("%s: a loss is said twice: %+v", c.Native, l)
		}
		seen[l] = true
	}
}

func render(b *strings.Builder, c *lore.Conversation) {
	kind := string(c.Kind)
	if c.Partial {
		kind = "partial"
	}
	fmt.Fprintf(b, "%s %s", kind, orNone(c.Native))
	pairs := []string{
		"about", c.About, "place", c.Place, "title", c.Title, "title_from", string(c.TitleFrom),
		"dir", c.Project.Dir, "branch", c.Project.Branch, "started", c.StartedAt.String(), "ended", c.EndedAt.String(),
		"models", strings.Join(c.Models, ","),
	}
	if c.Partial {
		pairs[7] = ""
	}
	if p := c.Parent; p != nil {
		pairs = append(pairs, "parent", p.Native, "call", p.Call)
	}
	if l := c.Lineage; l != nil {
		pairs = append(pairs, string(l.Kind), l.OfNative)
		if l.Shared > 0 {
			pairs = append(pairs, "shared", strconv.Itoa(l.Shared))
		}
	}
	if c.Usage != nil {
		pairs = append(pairs, "usage", usageText(c.Usage))
	}
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			fmt.Fprintf(b, "\n  %s: %s", pairs[i], line1(pairs[i+1]))
		}
	}
	b.WriteByte('\n')
	for i := range c.Messages {
		renderMessage(b, &c.Messages[i])
	}
	l := c.Ledger
	fmt.Fprintf(b, "  ledger: %d units = %d kept + %d merged + %d skipped + %d unknown + %d damaged", l.Units, l.Kept, l.Merged, l.Skipped, l.Unknown, l.Damaged)
	for _, name := range sortedKeys(l.Types) {
		fmt.Fprintf(b, "; %s %d", name, l.Types[name])
	}
	b.WriteByte('\n')
	for _, loss := range c.Losses {
		renderLoss(b, loss)
	}
}

func renderMessage(b *strings.Builder, m *lore.Message) {
	mark := "+"
	if !m.Active {
		mark = "-"
	}
	role := string(m.Role)
	if m.Subtype != "" {
		role += "/" + m.Subtype
	}
	fmt.Fprintf(b, "  %s %s %s <%s> at %s (%s) line", mark, role, orNone(m.Native), m.ParentNative, m.At, m.AtFrom)
	for _, o := range m.Origins {
		fmt.Fprintf(b, " %d", o.Line)
		if base := path.Base(o.File); !strings.HasSuffix(base, ".jsonl") {
			fmt.Fprintf(b, "(%s)", base)
		}
	}
	if m.Model != "" {
		fmt.Fprintf(b, " model %s", m.Model)
	}
	if m.Usage != nil {
		fmt.Fprintf(b, " usage %s", usageText(m.Usage))
	}
	if len(m.Aliases) > 0 {
		fmt.Fprintf(b, " also %s", strings.Join(m.Aliases, " "))
	}
	b.WriteByte('\n')
	for _, p := range m.Parts {
		fmt.Fprintf(b, "      %s", p.Kind)
		for _, s := range []string{p.Name, p.CallID, p.MediaType} {
			if s != "" {
				fmt.Fprintf(b, " %s", s)
			}
		}
		for name, is := range map[string]bool{"error": p.IsError, "unreadable": p.Unreadable, "cut": p.Cut} {
			if is {
				fmt.Fprintf(b, " (%s)", name)
			}
		}
		if p.Bytes > 0 {
			fmt.Fprintf(b, " %d bytes", p.Bytes)
		}
		fmt.Fprintf(b, ": %s\n", line1(p.Text))
	}
}

func renderLoss(b *strings.Builder, l lore.Loss) {
	fmt.Fprintf(b, "  loss %s %s %s", l.Severity, l.Code, l.File)
	if l.Line > 0 {
		fmt.Fprintf(b, ":%d", l.Line)
	}
	fmt.Fprintf(b, ": %s (%d)\n", l.What, l.Count)
}

func usageText(u *lore.Usage) string {
	return fmt.Sprintf("%d in, %d out, %d read, %d written", u.Input, u.Output, u.CacheRead, u.CacheWrite)
}

// line1 quotes a text where it needs it, and cuts a long one.
func line1(s string) string {
	if len(s) > 300 {
		s = fmt.Sprintf("%s … %s (%d bytes)", s[:100], s[len(s)-60:], len(s))
	}
	if q := strconv.Quote(s); q != `"`+s+`"` || s == "" {
		return q
	}
	return s
}

func orNone(s string) string {
	if s == "" {
		return "(none)"
	}
	return s
}

func sortedKeys(m map[string]int) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	for i := range keys {
		for j := i; j > 0 && keys[j] < keys[j-1]; j-- {
			keys[j], keys[j-1] = keys[j-1], keys[j]
		}
	}
	return keys
}
