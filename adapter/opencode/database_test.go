package opencode

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// found returns what Find yields below a place.
func found(t *testing.T, root adapter.Root, dir, name string) (list []adapter.Source) {
	t.Helper()
	for src, err := range New().Find(context.Background(), adapter.Place{Root: root, FS: os.DirFS(dir), Name: name}) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, src)
	}
	return list
}

func paths(list []adapter.Source) (names []string) {
	for _, src := range list {
		names = append(names, src.Product+" "+src.Path)
	}
	return names
}

// keepPart keeps the rows of one part of a database as an archive does, and reads them.
func keepPart(t *testing.T, fsys fs.FS, part string) (rows []byte, list []*lore.Conversation) {
	t.Helper()
	var b bytes.Buffer
	err := kit.ReadDatabase(context.Background(), fsys, "opencode.db", func(db *kit.Database) error {
		var queries []kit.Query
		for _, r := range split.Ranges(part) {
			queries = append(queries, kit.RangeQuery(r))
		}
		b.Reset()
		_, err := kit.KeepRows(context.Background(), db, queries, &b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	src := adapter.Source{Product: sourceOpenCode, Store: storeDB, Path: "rows", Part: part}
	list, err = drain(adapter.Input{Source: src, FS: fstest.MapFS{"rows": {Data: b.Bytes()}}, Place: "~/.local/share/opencode"})
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), list
}

// TestPartsReadAlike: the rows that are kept of a session give the record that the database gives; no part holds
// anything of the tables with secrets.
func TestPartsReadAlike(t *testing.T) {
	fsys := os.DirFS(filepath.Join(dbHome(t, rowsOfAll...), ".local/share/opencode"))
	src := adapter.Source{Product: sourceOpenCode, Store: storeDB, Path: "opencode.db", Ranges: ranges}
	live, err := drain(adapter.Input{Source: src, FS: fsys, Place: "~/.local/share/opencode"})
	if err != nil {
		t.Fatal(err)
	}
	for i, id := range []string{"ses_1", "ses_2", "ses_x"} {
		rows, kept := keepPart(t, fsys, id)
		if strings.Contains(string(rows), "never read") {
			t.Errorf("%s: the rows hold a secret", id)
		}
		same(t, render(live[i]), render(kept[0]))
		same(t, counts(live[i]), counts(kept[0]))
		same(t, len(live[i].Losses), len(kept[0].Losses))
		for _, m := range kept[0].Messages {
			for _, o := range m.Origins {
				if row := rows[o.Offset : o.Offset+o.Length]; !bytes.Contains(row, []byte(o.Row[strings.Index(o.Row, "/")+1:])) {
					t.Errorf("origin %+v does not hold its row but %q", o, row)
				}
			}
		}
	}
	_, kept := keepPart(t, fsys, "ses_3")
	same(t, []any{true, [6]int{1, 0, 0, 1, 0, 0}}, []any{kept[0].Partial, counts(kept[0])})
}

// TestProjectTellsTheFolder: a session that does not say its folder has that of its project.
func TestProjectTellsTheFolder(t *testing.T) {
	fsys := os.DirFS(filepath.Join(dbHome(t, rowsOfAll...), ".local/share/opencode"))
	same(t, "project:p1", split.Of(tableProject, "p1"))
	_, list := keepPart(t, fsys, "project:p1")
	var told []string
	for _, c := range list {
		told = append(told, c.Native+" "+c.Project.Dir)
	}
	same(t, []string{"ses_2 /proj/tide", "ses_3 /proj/tide", " "}, told)
	same(t, [6]int{4, 0, 3, 1, 0, 0}, counts(list[2]))
}

// TestOC08AllDatabases: every channel's database is found, a fork's by its own name too, and no other.
func TestOC08AllDatabases(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"opencode.db", "opencode-next.db", "opencode.db-wal", "opencodex.db", "kilo.db", "other.db"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	root := adapter.Root{Source: sourceOpenCode, Path: ".local/share/opencode"}
	same(t, []string{"opencode opencode-next.db", "opencode opencode.db"}, paths(found(t, root, dir, "~/.local/share/opencode")))
	root = adapter.Root{Source: "kilo", Path: ".local/share/kilo"}
	same(t, []string{"kilo kilo.db", "kilo opencode-next.db", "kilo opencode.db"}, paths(found(t, root, dir, "~/.local/share/kilo")))
	root.Env = envDB
	same(t, 5, len(found(t, root, dir, "~/x")))
}

// TestNamedFolderIsOfOneProduct: a folder that a user names is a fork's when its path says so, and OpenCode's else.
func TestNamedFolderIsOfOneProduct(t *testing.T) {
	dir := t.TempDir()
	writeDB(t, filepath.Join(dir, "opencode.db"))
	for _, c := range []struct{ name, want string }{{"/backup/kilo", "kilo opencode.db"}, {"/backup/x", "opencode opencode.db"}} {
		var all []string
		for _, source := range append([]string{sourceOpenCode}, forks...) {
			all = append(all, paths(found(t, adapter.Root{Source: source}, dir, c.name))...)
		}
		same(t, []string{c.want}, all)
	}
}

// TestNamedDatabase: a database that a user names is told by its tables.
func TestNamedDatabase(t *testing.T) {
	dir := t.TempDir()
	writeDB(t, filepath.Join(dir, "copy.db"), rowsOfAll...)
	list, err := drain(adapter.Input{Source: adapter.Source{Product: sourceOpenCode, Path: "copy.db"}, FS: os.DirFS(dir), Place: "/backup"})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "opencode/db ses_1", list[0].Source+"/"+list[0].Store+" "+list[0].Native)
	for _, product := range []string{"kilo", "mimocode"} {
		if _, err := drain(adapter.Input{Source: adapter.Source{Product: product, Path: "copy.db"}, FS: os.DirFS(dir), Place: "/backup"}); !errors.Is(err, adapter.ErrNotMine) {
			t.Errorf("%s: got %v, want ErrNotMine", product, err)
		}
	}
}

// TestEmptyDatabase: a database without rows, and a file without bytes, say that they are empty.
func TestEmptyDatabase(t *testing.T) {
	dir := t.TempDir()
	writeDB(t, filepath.Join(dir, "opencode.db"))
	if err := os.WriteFile(filepath.Join(dir, "opencode-x.db"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"opencode.db", "opencode-x.db"} {
		list, err := drain(adapter.Input{Source: adapter.Source{Product: sourceOpenCode, Store: storeDB, Path: name}, FS: os.DirFS(dir)})
		if err != nil || len(list) != 1 || !list[0].Partial {
			t.Fatalf("%s: %v, %v", name, list, err)
		}
		same(t, []lore.Code{lore.Empty}, []lore.Code{list[0].Losses[0].Code})
	}
}

// TestNamedEmptyFile: a file without bytes that a user named says nothing of whose it is, whatever its name.
func TestNamedEmptyFile(t *testing.T) {
	fsys := fstest.MapFS{"notes.txt": {}, "opencode.db": {}}
	for name := range fsys {
		if _, err := drain(adapter.Input{Source: adapter.Source{Path: name}, FS: fsys}); !errors.Is(err, adapter.ErrNotMine) {
			t.Errorf("%s: got %v, want ErrNotMine", name, err)
		}
	}
}

// TestNoDatabase: a file that is none is broken where a database should be, and foreign where a user named it.
func TestNoDatabase(t *testing.T) {
	fsys := fstest.MapFS{"opencode.db": {Data: []byte("no database at all, but long enough to have a header of its own. So it goes on and on.........")}}
	src := adapter.Source{Product: sourceOpenCode, Path: "opencode.db"}
	for store, want := range map[string]error{"": adapter.ErrNotMine, storeDB: adapter.ErrMalformed} {
		src.Store = store
		if _, err := drain(adapter.Input{Source: src, FS: fsys}); !errors.Is(err, want) {
			t.Errorf("store %q: got %v, want %v", store, err, want)
		}
	}
}
