package claudecode

import (
	"context"
	"os"
	"testing"

	"lore"
	"lore/adapter"
)

// BenchmarkRead reads a home that a developer names.
func BenchmarkRead(b *testing.B) {
	home := os.Getenv("LORE_TEST_HOME")
	if home == "" {
		b.Skip("LORE_TEST_HOME names no home")
	}
	root, err := os.OpenRoot(home + "/.claude")
	if err != nil {
		b.Fatal(err)
	}
	defer root.Close()
	var all []adapter.Source
	size := int64(0)
	for s, err := range New().Find(context.Background(), adapter.Place{FS: root.FS(), Name: "~/.claude"}) {
		if err != nil {
			b.Fatal(err)
		}
		all = append(all, s)
		size += s.Info.Size()
	}
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		for _, s := range all {
			for c, err := range New().Read(context.Background(), adapter.Input{Source: s, FS: root.FS(), Place: "~/.claude"}) {
				if err != nil {
					b.Fatal(err)
				}
				if c.Source != source {
					b.Fatal(lore.ID{})
				}
			}
		}
	}
}
