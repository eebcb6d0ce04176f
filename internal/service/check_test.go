package service_test

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lore/internal/service"

	_ "modernc.org/sqlite"
)

// checked is a machine whose archive has a bit of everything: several imports, files that grew, a list of prompts,
// conversations of several evidences.
func checked(t testing.TB) *machine {
	m := newMachine(t)
	say := func(n int) func(int) string {
		return func(i int) string { return fmt.Sprintf("kestrel %d of %d and case%x", i, n, i*n*7919) }
	}
	history := ""
	for n := range 12 {
		m.write(sessionPath(sessionID(n)), session(sessionID(n), 6+n, say(n)))
		history += typed(sessionID(n), 3, say(n))
	}
	m.write(historyPath, history+typed(sessionID(77), 2, say(77)))
	m.imports()
	m.write(sessionPath(sessionID(3)), session(sessionID(3), 40, say(3)))
	m.write(sessionPath(sessionID(4)), session(sessionID(4), 5, say(40)))
	os.Remove(filepath.Join(m.home, sessionPath(sessionID(5))))
	m.imports()
	return m
}

// TestCheckFindsEveryPlantedFault plants a hundred faults, one at a time: a flipped byte anywhere in the archive, in the
// catalogue, in any other file, rows and files that are missing or stale. Rows are changed through the database, with
// the sums of its pages away: these the check has to find by their meaning.
func TestCheckFindsEveryPlantedFault(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and of one goroutine: nothing for the race detector")
	}
	m := checked(t)
	m.sound("untouched")
	dir := m.svc.Dir
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	inner, _ := filepath.Glob(filepath.Join(dir, "index-*", "*"))
	var names []string
	for _, name := range append(files, inner...) {
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() && info.Size() > 0 && !strings.HasSuffix(name, "-shm") {
			rel, _ := filepath.Rel(dir, name)
			names = append(names, rel)
		}
	}
	r := rand.New(rand.NewPCG(4, 2))
	for i := range 80 {
		name := names[i%len(names)]
		if i >= 2*len(names) {
			name = []string{"archive.db", "index-1/catalog.db"}[i%2]
		}
		m.planted(fmt.Sprintf("flip %d in %s", i, name), func(dir string) {
			path := filepath.Join(dir, name)
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			at := r.IntN(len(b))
			b[at] ^= 1 << r.IntN(8)
			t.Logf("flip %d: byte %d of %d in %s", i, at, len(b), name)
			os.WriteFile(path, b, 0o600)
		})
	}
	for name, query := range map[string]string{
		"a block row":           "DELETE FROM block WHERE id = 3",
		"a block's hash":        "UPDATE block SET hash = randomblob(32) WHERE id = 2",
		"a snapshot row":        "DELETE FROM snapshot WHERE id = 2",
		"a snapshot's sum":      "UPDATE snapshot SET sum = sum + 1 WHERE id = 3",
		"a file row":            "DELETE FROM file WHERE id = 2",
		"a file's path":         "UPDATE file SET path = path || 'x' WHERE id = 2",
		"another newest":        "UPDATE file SET snapshot = snapshot - 1 WHERE id = (SELECT max(id) FROM file)",
		"a chain row":           "DELETE FROM chain WHERE id = 2",
		"filters":               "DELETE FROM filter",
		"a stale evidence":      "UPDATE evidences SET snapshot = snapshot - 1 WHERE id = 4",
		"a missing evidence":    "DELETE FROM evidences WHERE id = 4",
		"a stale conversation":  "UPDATE conversations SET hash = randomblob(32) WHERE row = 2",
		"a missing row":         "DELETE FROM conversations WHERE row = 2",
		"another count":         "UPDATE conversations SET messages = messages + 1 WHERE row = 3",
		"another header":        "UPDATE headers SET header = replace(CAST(header AS TEXT), 'lantern', 'lamps') WHERE row = 3",
		"a missing header":      "DELETE FROM headers WHERE row = 3",
		"a missing link":        "DELETE FROM links WHERE conversation = 2",
		"another ledger":        "UPDATE links SET messages = messages + 1 WHERE conversation = 2",
		"a missing segment row": "DELETE FROM segments WHERE seq = (SELECT min(seq) FROM segments)",
		"another deletion":      "UPDATE segments SET deleted = deleted + 1",
	} {
		m.planted(name, func(dir string) { alter(t, dir, query) })
	}
	m.planted("a missing segment", func(dir string) {
		segments, _ := filepath.Glob(filepath.Join(dir, "index-1", "*.seg"))
		os.Remove(segments[0])
	})
	m.planted("no index", func(dir string) { os.Remove(filepath.Join(dir, "index")) })
}

// alter changes rows of the archive or the catalogue, whichever has the table.
func alter(t testing.TB, dir, query string) {
	t.Helper()
	for _, name := range []string{"archive.db", "index-1/catalog.db"} {
		db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		r, err := db.Exec(query)
		db.Close()
		if err == nil {
			if n, _ := r.RowsAffected(); n == 0 {
				t.Errorf("%q changes nothing", query)
			}
			os.Remove(filepath.Join(dir, strings.TrimSuffix(name, ".db")+".sums"))
			return
		}
	}
	t.Errorf("%q fits no database", query)
}

// planted copies lore's folder, plants a fault in the copy, and demands that the full check finds it.
func (m *machine) planted(name string, plant func(dir string)) {
	m.t.Helper()
	copied := *m
	copied.svc.Dir = filepath.Join(m.t.TempDir(), "lore")
	if err := os.CopyFS(copied.svc.Dir, os.DirFS(m.svc.Dir)); err != nil {
		m.t.Fatal(err)
	}
	plant(copied.svc.Dir)
	if got := copied.faults(true); len(got) == 0 {
		m.t.Errorf("%s: not found", name)
	} else {
		m.t.Logf("%s: %.200s", name, got[0])
	}
}

func TestCheckOfNothing(t *testing.T) {
	m := newMachine(t)
	if got := m.faults(false); len(got) != 1 || !strings.Contains(got[0], "run `lore import`") {
		t.Errorf("got %q", got)
	}
}

// TestReindexMendsAnIndex: a damaged index is made anew from the archive alone, with what the source has deleted.
func TestReindexMendsAnIndex(t *testing.T) {
	m := checked(t)
	before := m.list()
	alter(t, m.svc.Dir, "DELETE FROM conversations WHERE row = 2")
	if len(m.faults(false)) == 0 {
		t.Error("the quick check does not see a missing row")
	}
	os.RemoveAll(filepath.Join(m.home, ".claude"))
	if _, err := m.svc.Import(context.Background(), service.ImportRequest{Reindex: true}); err != nil {
		t.Fatal(err)
	}
	m.sound("after the rebuild")
	if after := m.list(); after != before {
		t.Errorf("before\n%s\nafter\n%s", before, after)
	}
}

// list is the ids and hashes of all conversations.
func (m *machine) list() string {
	m.t.Helper()
	res, err := m.svc.List(context.Background(), service.ListRequest{})
	if err != nil {
		m.t.Fatal(err)
	}
	var b strings.Builder
	for _, c := range res.Conversations {
		fmt.Fprintf(&b, "%s %s %d %s", c.ID, c.ContentHash, c.Messages, c.Title)
		if !c.InSource {
			b.WriteString(", gone")
		}
		if c.Lineage != nil {
			fmt.Fprintf(&b, ", %s of %s", c.Lineage.Kind, c.Lineage.Of)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
