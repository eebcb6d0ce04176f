package ingest_test

import (
	"maps"
	"slices"
	"testing"

	diff "github.com/google/go-cmp/cmp"

	"lore/internal/ingest"
)

// TestRebuiltIndexHasThePartsOfADatabase: a rebuild took a database that had not changed for read once its own row was,
// which has no content, and left out all that is kept in its parts.
func TestRebuiltIndexHasThePartsOfADatabase(t *testing.T) {
	const global = ".config/Cursor/User/globalStorage/state.vscdb"
	for name, then := range map[string]func(*machine){
		"unchanged":       func(*machine) {},
		"a chat is gone":  func(m *machine) { m.database(global, `DELETE FROM cursorDiskKV WHERE key LIKE '%`+sessionB+`%'`) },
		"all chats gone":  func(m *machine) { m.database(global, `DELETE FROM cursorDiskKV`) },
		"not readable":    func(m *machine) { m.write(global, "no database at all, though it has the name of one") },
		"file of 0 bytes": func(m *machine) { m.write(global, "") },
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			m.cursorHome()
			m.imports()
			want := m.tell("kestrel", "harrier")
			then(m)
			m.imports(func(o *ingest.Options) { o.Reindex = true })
			got := m.tell("kestrel", "harrier")
			if d := diff.Diff(want.Found, got.Found); d != "" {
				t.Errorf("found (-before +rebuilt):\n%s", d)
			}
			if d := diff.Diff(slices.Sorted(maps.Keys(want.Conversations)), slices.Sorted(maps.Keys(got.Conversations))); d != "" {
				t.Errorf("conversations (-before +rebuilt):\n%s", d)
			}
			if r := m.imports(); r.New != 0 || r.Changed != 0 {
				t.Errorf("a second import: %d new, %d changed", r.New, r.Changed)
			}
		})
	}
}
