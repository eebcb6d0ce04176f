package service_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"lore/internal/service"
)

// TestEmptiedAndRebuilt: what a file once said stays after the file was emptied, or deleted behind that, and after the index
// was made anew.
func TestEmptiedAndRebuilt(t *testing.T) {
	for _, deleted := range []bool{false, true} {
		for _, imported := range []bool{false, true} {
			for _, half := range []bool{false, true} {
				t.Run(fmt.Sprintf("deleted=%v,imported=%v,half=%v", deleted, imported, half), func(t *testing.T) {
					m, id := newMachine(t), sessionID(1)
					m.write(sessionPath(id), session(id, 3, func(i int) string { return fmt.Sprintf("heron %d", i) }))
					m.imports()
					left := ""
					if half {
						left = `{"parentUuid":null,"isSidechain":false,"cwd":"/proj/la`
					}
					m.write(sessionPath(id), left)
					if imported {
						m.imports()
					}
					if deleted {
						if err := os.Remove(filepath.Join(m.home, sessionPath(id))); err != nil {
							t.Fatal(err)
						}
					}
					if imported {
						m.imports()
					}
					if _, err := m.svc.Import(context.Background(), service.ImportRequest{Reindex: true}); err != nil {
						t.Fatal(err)
					}
					if n := m.hits("heron")[0]; n != 6 {
						t.Errorf("%d hits of what was said, want 6", n)
					}
					m.sound("after the rebuild")
				})
			}
		}
	}
}
