package crush

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	_ "modernc.org/sqlite"

	"lore"
	"lore/adapter"
	"lore/adapter/adaptertest"
	"lore/adapter/kit"
)

func TestContract(t *testing.T) {
	home := t.TempDir()
	writeDB(t, filepath.Join(home, root, database), rowsOfAll...)
	adaptertest.Run(t, New(), adaptertest.Options{Homes: map[string]string{"database": home}})
}

// FuzzParts puts anything in the place of a message's parts: whatever it is, it makes at least one message, and one that
// can be told.
func FuzzParts(f *testing.F) {
	for _, row := range rowsOfAll[1:] {
		for field := range strings.SplitSeq(row, "'") {
			if strings.HasPrefix(field, "[") {
				f.Add("user", []byte(field))
				f.Add("assistant", []byte(field))
			}
		}
	}
	f.Fuzz(func(t *testing.T, role string, data []byte) {
		var doc kit.Doc
		v, err := doc.Parse(data)
		if err != nil {
			return
		}
		talk := begin(adapter.Input{}, session{id: "s"}, func(*lore.Conversation, error) bool { return true })
		m := message{id: "m", role: role}
		talk.blocks(&m, v)
		if err := talk.put(&m); err != nil || talk.count == 0 {
			t.Errorf("%d messages, %v", talk.count, err)
		}
	})
}

const root = ".local/share/crush"

// The tables, but for columns that are not read.
var tables = []string{
	`CREATE TABLE sessions (id TEXT PRIMARY KEY, parent_session_id TEXT, title TEXT, message_count INTEGER, prompt_tokens INTEGER, completion_tokens INTEGER,
	  updated_at INTEGER, created_at INTEGER, summary_message_id TEXT)`,
	`CREATE TABLE messages (id TEXT PRIMARY KEY, session_id TEXT, role TEXT, parts TEXT, model TEXT, created_at INTEGER, updated_at INTEGER,
	  finished_at INTEGER, provider TEXT, is_summary_message INTEGER NOT NULL DEFAULT 0)`,
	`CREATE TABLE files (id TEXT PRIMARY KEY, session_id TEXT, path TEXT, content TEXT)`,
	`CREATE INDEX idx_messages_session_id ON messages (session_id)`,
	`INSERT INTO files VALUES ('f', 's1', '/proj/lantern/wick.txt', 'sources of the project')`,
}

var rowsOfAll = []string{
	`INSERT INTO sessions VALUES
	  ('s1', NULL, 'Light the lantern', 6, 40, 25, 1772442300, 1772442000000, 'm6'),
	  ('m2$$c1', 's1', 'New Session', 1, 0, 0, 1772442300, 1772442000, NULL),
	  ('s3', NULL, 'Nothing said', 0, 0, 0, 1772442300, 1772442000, NULL)`,
	`INSERT INTO messages (id, session_id, role, parts, model, created_at) VALUES
	  ('m9', 's1', 'user', '[{"type":"text","data":{"text":"light the lantern"}},{"type":"binary","data":{"Path":"wick.png","MIMEType":"image/png","Data":"aGVsbG8="}},{"type":"finish","data":{"reason":"stop","time":0}}]', '', 1772442001),
	  ('m2', 's1', 'assistant', '[{"type":"reasoning","data":{"thinking":"the wick is dry","signature":"s"}},{"type":"text","data":{"text":"looking"}},{"type":"tool_call","data":{"id":"c1","name":"agent","input":"{\"prompt\":\"trim\"}","finished":true}},{"type":"finish","data":{"reason":"tool_use","time":1772442002}}]', 'lamp-1', 1772442001),
	  ('m3', 's1', 'tool', '[{"type":"tool_result","data":{"tool_call_id":"c1","name":"agent","content":"trimmed","is_error":false,"data":"aGk=","mime_type":"image/png"}},{"type":"finish","data":{"reason":"stop","time":0}}]', '', 1772442001000),
	  ('m1', 's1', 'assistant', '[{"type":"finish","data":{"reason":"error","time":1772442003,"message":"Bad request","details":"overloaded"}}]', 'lamp-1', NULL),
	  ('m5', 's1', 'user', '[{"type":"shell_command","data":{"command":"ls oil","output":"oil.txt","exit_code":0}},{"type":"text","data":{"text":"go on","hidden":true}}]', '', 1772442004),
	  ('m6', 's1', 'assistant', '[{"type":"text","data":{"text":"summary: there is oil"}}]', 'lamp-1', 1772442005),
	  ('m7', 's1', 'user', '[{"type":"te', '', 1772442006),
	  ('m8', 's1', 'user', NULL, '', 1772442006),
	  ('ma', 's1', 'assistant', '[{"type":"hologram","data":{"beam":1}}]', 'lamp-1', 1772442007),
	  ('mb', 'm2$$c1', 'user', '[{"type":"text","data":{"text":"trim"}}]', '', 1772442002),
	  ('mc', 'sx', 'user', '[{"type":"text","data":{"text":"whose session is this"}}]', '', 1772442008),
	  ('md', NULL, 'user', '[]', '', 1772442008)`,
}

func writeDB(t *testing.T, name string, statements ...string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", name)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, s := range append(tables[:len(tables):len(tables)], statements...) {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

func same(t *testing.T, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func drain(in adapter.Input) (list []*lore.Conversation, err error) {
	for c, e := range New().Read(context.Background(), in) {
		if e != nil {
			return list, e
		}
		list = append(list, c)
	}
	return list, nil
}

// part keeps the rows of one session as an archive does.
func part(t *testing.T, dir, id string) []byte {
	t.Helper()
	var rows bytes.Buffer
	err := kit.ReadDatabase(context.Background(), os.DirFS(dir), database, func(db *kit.Database) error {
		var queries []kit.Query
		for _, r := range split.Ranges(id) {
			q := kit.RangeQuery(r)
			q.Order = true
			queries = append(queries, q)
		}
		rows.Reset()
		_, err := kit.KeepRows(context.Background(), db, queries, &rows)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows.Bytes()
}

// TestPartsReadAlike: the rows that are kept of a session give the record that the database gives, and hold no sources of
// the project.
func TestPartsReadAlike(t *testing.T) {
	dir := t.TempDir()
	writeDB(t, filepath.Join(dir, database), rowsOfAll...)
	live, err := drain(adapter.Input{Source: adapter.Source{Store: store, Path: database, Ranges: ranges}, FS: os.DirFS(dir), Place: "~/x/.crush"})
	if err != nil {
		t.Fatal(err)
	}
	for i, id := range []string{"m2$$c1", "s1", "sx"} {
		rows := part(t, dir, id)
		if strings.Contains(string(rows), "sources of") {
			t.Error("the rows hold a file of the project")
		}
		kept, err := drain(adapter.Input{Source: adapter.Source{Store: store, Path: "rows", Part: id}, FS: fstest.MapFS{"rows": {Data: rows}}, Place: "~/x/.crush"})
		if err != nil {
			t.Fatal(err)
		}
		same(t, adaptertest.Outline(live[i]), adaptertest.Outline(kept[0]))
		same(t, live[i].Ledger, kept[0].Ledger)
		same(t, live[i].Project, kept[0].Project)
	}
}

// TestOrderIsThatOfWriting: ids are random and times are of seconds; what was written first stands first, in the database
// and in what is kept of it.
func TestOrderIsThatOfWriting(t *testing.T) {
	dir := t.TempDir()
	writeDB(t, filepath.Join(dir, database), `INSERT INTO sessions (id) VALUES ('s')`,
		`INSERT INTO messages (id, session_id, role, parts, created_at) VALUES ('z', 's', 'user', '[{"type":"text","data":{"text":"one"}}]', 1772442001), ('a', 's', 'assistant', '[{"type":"text","data":{"text":"two"}}]', 1772442001), ('m', 's', 'user', '[{"type":"text","data":{"text":"three"}}]', 1772442001)`)
	want := []string{"user: one", "assistant: two", "user: three"}
	for _, in := range []adapter.Input{
		{Source: adapter.Source{Store: store, Path: database}, FS: os.DirFS(dir)},
		{Source: adapter.Source{Store: store, Path: "rows", Part: "s"}, FS: fstest.MapFS{"rows": {Data: part(t, dir, "s")}}},
	} {
		list, err := drain(in)
		if err != nil {
			t.Fatal(err)
		}
		same(t, want, adaptertest.Outline(list[0]))
	}
}

// TestRowsInTheLogAlone: most of a live database can stand in its write-ahead log; it is read, and nothing is written.
func TestRowsInTheLogAlone(t *testing.T) {
	dir := t.TempDir()
	db, err := sql.Open("sqlite", filepath.Join(dir, database)+"?_pragma=journal_mode(wal)&_pragma=wal_autocheckpoint(0)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, s := range append(tables[:len(tables):len(tables)], rowsOfAll...) {
		if _, err := db.Exec(s); err != nil {
			t.Fatal(err)
		}
	}
	sizes := func() (list []int64) {
		for _, suffix := range []string{"", "-wal", "-shm"} {
			info, err := os.Stat(filepath.Join(dir, database+suffix))
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, info.Size(), info.ModTime().UnixNano())
		}
		return list
	}
	before := sizes()
	list, err := drain(adapter.Input{Source: adapter.Source{Store: store, Path: database}, FS: os.DirFS(dir)})
	if err != nil || len(list) < 2 {
		t.Fatalf("%d records, %v", len(list), err)
	}
	same(t, before, sizes())
}

// TestFoldersOfProjects: in a folder that a user names, projects are looked for a few levels deep.
func TestFoldersOfProjects(t *testing.T) {
	fsys := fstest.MapFS{".crush/crush.db": {}, "a/.crush/crush.db": {}, "a/b/c/d/.crush/crush.db": {}, "a/b/c/d/e/.crush/crush.db": {},
		"node_modules/x/.crush/crush.db": {}, ".git/.crush/crush.db": {}, "a/other.db": {}}
	var names []string
	for src, err := range New().Find(context.Background(), adapter.Place{Root: adapter.Root{Source: source}, FS: fsys}) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, src.Path)
	}
	same(t, []string{".crush/crush.db", "a/.crush/crush.db", "a/b/c/d/.crush/crush.db"}, names)
}

// TestListedProjects: the list of projects says where databases are; in a folder that it names, only the folder itself is
// searched; where such folders are followed, nothing is told of them.
func TestListedProjects(t *testing.T) {
	fsys := fstest.MapFS{projects: {Data: []byte(`{"projects":[{"path":"/proj/lantern","data_dir":"/proj/lantern/.crush"},
		{"path":"/proj/tide"},{"path":"/proj/lantern","data_dir":"/proj/lantern/.crush"},{"path":""},7]}`)}}
	at := adapter.Place{Root: adapter.Root{Source: source, Path: root}, FS: fsys, Name: "~/" + root}
	same(t, []string{"/proj/lantern/.crush", "/proj/tide/.crush"}, elsewhere(context.Background(), at))
	count := func(at adapter.Place) (found, told int) {
		for _, err := range New().Find(context.Background(), at) {
			if err == nil {
				found++
			} else {
				told++
			}
		}
		return found, told
	}
	if found, told := count(at); found != 0 || told != 2 {
		t.Errorf("of a copy: %d found, %d told; want 0, 2", found, told)
	}
	at.Followed = true
	if found, told := count(at); found != 0 || told != 0 {
		t.Errorf("of this machine: %d found, %d told; want 0, 0", found, told)
	}
	for _, list := range []string{"", "[", `{"projects":7}`, `{"projects":[{"path":{}}]}`} {
		at.FS = fstest.MapFS{projects: {Data: []byte(list)}}
		same(t, 0, len(elsewhere(context.Background(), at)))
	}
	in := adapter.Place{Root: adapter.Root{Source: source, Path: "/proj/lantern/.crush", Listed: true},
		FS: fstest.MapFS{database: {}, "sub/.crush/" + database: {}}, Name: "/proj/lantern/.crush"}
	if found, told := count(in); found != 1 || told != 0 {
		t.Errorf("in a listed folder: %d found, %d told; want 1, 0", found, told)
	}
}

// TestProjectIsTheFolderOfCrush: the project is the folder that holds .crush, as far as the evidence's name tells.
func TestProjectIsTheFolderOfCrush(t *testing.T) {
	for name, want := range map[string]string{
		"~/proj/lantern/.crush/crush.db": "~/proj/lantern", "/work/x/.crush/crush.db//s1": "/work/x", "~/.local/share/crush/crush.db": "",
	} {
		same(t, want, projectOf(name))
	}
}

// TestNamedDatabase: a database that a user names is told by its tables and columns.
func TestNamedDatabase(t *testing.T) {
	dir := t.TempDir()
	writeDB(t, filepath.Join(dir, "copy.db"), rowsOfAll...)
	list, err := drain(adapter.Input{Source: adapter.Source{Path: "copy.db"}, FS: os.DirFS(dir), Place: "/backup"})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "m2$$c1", list[0].Native)
	same(t, &lore.Parent{Native: "s1", Call: "c1"}, list[0].Parent)
	for name, data := range map[string]string{"x.db": "", "y.db": strings.Repeat("no database ", 20)} {
		_, err := drain(adapter.Input{Source: adapter.Source{Path: name}, FS: fstest.MapFS{name: {Data: []byte(data)}}})
		if !errors.Is(err, adapter.ErrNotMine) {
			t.Errorf("%s: got %v, want ErrNotMine", name, err)
		}
	}
}
