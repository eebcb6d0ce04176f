package codex

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lore"
	"lore/adapter"
)

func TestDump(t *testing.T) {
	root := os.Getenv("DUMP")
	if root == "" {
		t.Skip()
	}
	for _, r := range New().Info().Roots {
		dir := filepath.Join(root, r.Path)
		if _, err := os.Stat(dir); err != nil {
			continue
		}
		fsys := os.DirFS(dir)
		for src, err := range New().Find(context.Background(), adapter.Place{Root: r, FS: fsys, Name: "~/" + r.Path}) {
			fmt.Println("FOUND", src.Product, src.Store, src.Path, err)
			if err != nil {
				continue
			}
			for c, err := range New().Read(context.Background(), adapter.Input{Source: src, FS: fsys, Place: "~/" + r.Path}) {
				if err != nil {
					fmt.Println("ERR", err)
					continue
				}
				show(c)
			}
		}
	}
	if strings.HasSuffix(root, ".jsonl") || strings.HasSuffix(root, ".json") {
		in := adapter.Input{Source: adapter.Source{Path: filepath.Base(root)}, FS: os.DirFS(filepath.Dir(root)), Place: "~/x"}
		for c, err := range New().Read(context.Background(), in) {
			if err != nil {
				fmt.Println("ERR", err)
				continue
			}
			show(c)
		}
	}
}

func show(c *lore.Conversation) {
	fmt.Printf("CONV %s/%s %s partial=%v more=%v title=%q/%s kind=%s dir=%q br=%q start=%s arch=%v parent=%+v lineage=%+v usage=%+v\n", c.Source, c.Store, c.Native, c.Partial, c.More, c.Title, c.TitleFrom, c.Kind, c.Project.Dir, c.Project.Branch, c.StartedAt, c.Archived, c.Parent, c.Lineage, c.Usage)
	for _, m := range c.Messages {
		var lines []string
		for _, o := range m.Origins {
			lines = append(lines, fmt.Sprint(o.Line))
		}
		fmt.Printf("  %s[%s] %s %s model=%s active=%v native=%q usage=%v lines=%s units=%d\n", m.Role, m.Subtype, m.At, m.AtFrom, m.Model, m.Active, m.Native, m.Usage, strings.Join(lines, ","), m.Units)
		for _, p := range m.Parts {
			text := p.Text
			if len(text) > 100 {
				text = text[:100] + "…"
			}
			fmt.Printf("      %s %q name=%q call=%q err=%v unread=%v %s %d\n", p.Kind, text, p.Name, p.CallID, p.IsError, p.Unreadable, p.MediaType, p.Bytes)
		}
	}
	fmt.Printf("  LEDGER %+v balanced=%v\n", c.Ledger, c.Ledger.Balanced())
	for _, l := range c.Losses {
		fmt.Printf("  LOSS %s %s line %d: %s x%d\n", l.Code, l.Severity, l.Line, l.What, l.Count)
	}
}
