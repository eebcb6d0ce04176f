package ingest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lore/internal/ingest"
)

// The databases that Crush keeps in the folders of projects are found by its own list. A link in the place of such a
// folder is not followed, one that is gone is a place that is not there, and what was kept of it stays.
func TestProjectsThatCrushLists(t *testing.T) {
	m := newMachine(t)
	rows := func(words string) []string {
		return []string{
			`CREATE TABLE sessions (id TEXT PRIMARY KEY, title TEXT, completion_tokens INTEGER)`,
			`CREATE TABLE messages (id TEXT PRIMARY KEY, session_id TEXT, role TEXT, parts TEXT)`,
			`CREATE TABLE files (id TEXT PRIMARY KEY)`,
			`INSERT INTO sessions (id) VALUES ('` + words + `')`,
			`INSERT INTO messages VALUES ('a', '` + words + `', 'user', '[{"type":"text","data":{"text":"` + words + `"}}]')`,
		}
	}
	m.database("proj/lantern/.crush/crush.db", rows("lantern")...)
	m.database("proj/tide/data/crush.db", rows("tide")...)
	m.database("proj/hidden/.crush/crush.db", rows("hidden")...)
	m.database("proj/lantern/.crush/deep/.crush/crush.db", rows("deep")...)
	if err := os.Symlink(filepath.Join(m.home, "proj/hidden/.crush"), filepath.Join(m.home, "proj/link")); err != nil {
		t.Skip(err)
	}
	at := func(name string) string { return filepath.ToSlash(filepath.Join(m.home, "proj", name)) }
	m.write(".local/share/crush/projects.json", `{"projects":[{"path":"`+at("lantern")+`"},
		{"path":"`+at("tide")+`","data_dir":"`+at("tide/data")+`"},{"path":"`+at("x")+`","data_dir":"`+at("link")+`"},
		{"path":"relative"},{"path":"`+at("gone")+`"}]}`)
	check := func(step string) {
		t.Helper()
		r := m.imports()
		if got := strings.Join(said(m), " "); got != "lantern tide" {
			t.Errorf("%s: said %q, want lantern and tide", step, got)
		}
		if len(r.Failures)+len(r.Losses) > 0 {
			t.Errorf("%s: %+v %+v", step, r.Failures, r.Losses)
		}
	}
	check("first")
	places := map[string]bool{}
	for _, s := range ingest.Survey(t.Context(), ingest.Machine{Home: m.home}, adapters(), m.options().Exclude) {
		if s.Source == "crush" {
			places[s.Name] = s.Found
		}
	}
	for name, there := range map[string]bool{"~/.local/share/crush": true, "~/proj/lantern/.crush": true, "~/proj/tide/data": true, "~/proj/gone/.crush": false} {
		if found, told := places[name]; !told || found != there {
			t.Errorf("%s: told %v, found %v", name, told, found)
		}
	}
	if err := os.RemoveAll(filepath.Join(m.home, "proj/tide")); err != nil {
		t.Fatal(err)
	}
	check("a project was deleted")
}
