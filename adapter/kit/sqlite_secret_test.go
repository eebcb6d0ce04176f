package kit

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDatabaseSecretsAreNotRead(t *testing.T) {
	dir, name := build(t,
		`CREATE TABLE ItemTable(key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)`,
		`INSERT INTO ItemTable VALUES
			('aiService.prompts', 'kept'), ('composer.composerData', 'kept'), ('memento/icube-ai-agent-storage', 'kept'),
			('secret://{"extensionId":"x","key":"y"}', 'hush'), ('cursorAuth/accessToken', 'hush'), ('cursorauth/refresh', 'hush'),
			('iCubeAuthInfo://icube', 'hush'), ('openai.apiKey', 'hush'), ('GITHUB_TOKEN', 'hush'), ('x.PassWord', 'hush')`,
		`CREATE TABLE account(id TEXT PRIMARY KEY, value TEXT)`, `INSERT INTO account VALUES ('1', 'hush')`,
		`CREATE TABLE oauth_tokens(id TEXT PRIMARY KEY, value TEXT)`, `INSERT INTO oauth_tokens VALUES ('1', 'hush')`,
		`CREATE TABLE session(id TEXT PRIMARY KEY, author TEXT, tokens INT, prompt_tokens INT, access_token TEXT, api_key TEXT)`,
		`INSERT INTO session VALUES ('ses_8tokenAuth', 'kept', 1, 2, 'hush', 'hush')`,
		`CREATE TABLE settings(id INTEGER PRIMARY KEY, key TEXT, value TEXT)`,
		`INSERT INTO settings(key, value) VALUES ('theme', 'kept'), ('apiKey', 'hush')`)
	db := openTest(t, os.DirFS(dir), name)
	var all []string
	for _, table := range db.Tables() {
		all = append(all, table)
		all = append(all, tell(db.Rows(t.Context(), Query{Table: table}))...)
	}
	want := []string{
		"ItemTable",
		`text("aiService.prompts") value=text("kept")`,
		`text("composer.composerData") value=text("kept")`,
		`text("memento/icube-ai-agent-storage") value=text("kept")`,
		"session",
		`text("ses_8tokenAuth") author=text("kept") tokens=integer("1") prompt_tokens=integer("2")`,
		"settings",
		`integer("1") key=text("theme") value=text("kept")`,
	}
	if d := cmp.Diff(want, all); d != "" {
		t.Error(d)
	}
	queries := []Query{
		{Table: "ItemTable", From: "cursorAuth/accessToken"},
		{Table: "settings", KeyColumn: "key", From: "apiKey"},
		{Table: "account", From: "1"},
		{Table: "session", Columns: []string{"author", "access_token"}},
		{Table: "session", KeyColumn: "api_key", From: "x"},
	}
	for _, q := range queries {
		for _, err := range db.Rows(t.Context(), q) {
			if !errors.Is(err, ErrSecret) {
				t.Errorf("%+v: %v", q, err)
			}
		}
	}
	if _, err := db.Columns("account"); !errors.Is(err, ErrSecret) {
		t.Errorf("columns: %v", err)
	}
	if m, err := db.Mark(t.Context(), "ItemTable"); err != nil || m.Key != "memento/icube-ai-agent-storage" {
		t.Errorf("mark %+v, %v", m, err)
	}
}

// A row set does not take a secret in, nor give one out.
func TestRowsSecrets(t *testing.T) {
	text := func(column, s string) Cell { return Cell{Column: column, Kind: TextCell, Bytes: []byte(s)} }
	for _, row := range []Row{
		{Table: "ItemTable", Key: text("key", "secret://x"), Cells: []Cell{text("value", "v")}},
		{Table: "credentials", Key: text("id", "x")},
		{Table: "t", Key: text("id", "x"), Cells: []Cell{text("password", "v")}},
		{Table: "t", Key: text("id", "x"), Cells: []Cell{text("a", "v"), text("key", "x-api-key")}},
	} {
		w := NewRowWriter(&bytes.Buffer{})
		if err := w.Write(row); !errors.Is(err, ErrSecret) {
			t.Errorf("%+v: %v", row, err)
		}
	}
	const set = rowsBegin + `{"table":"ItemTable","by":"key","key":"cursorAuth/x","values":[["value","text",4]]}` + "\nhush\n" + `{"end":1}` + "\n"
	s, err := OpenRowSet(strings.NewReader(set), int64(len(set)))
	if err != nil {
		t.Fatal(err)
	}
	if got := tell(s.Rows(t.Context(), Query{Table: "ItemTable"})); got != nil {
		t.Error(got)
	}
}
