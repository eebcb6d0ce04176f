package service_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"lore/internal/service"
)

// oddLine is a line of a transcript that says a text.
func oddLine(id, text string) string {
	return `{"type":"user","uuid":"` + id + `","sessionId":"5d1f0c3a-0000-4000-8000-0000000000aa","cwd":"/proj/odd","timestamp":"2026-03-01T10:00:00Z","message":{"role":"user","content":"` + text + `"}}` + "\n"
}

func oddMachine(t *testing.T) *machine {
	m := newMachine(t)
	m.write(".claude/projects/-proj-odd/5d1f0c3a-0000-4000-8000-0000000000aa.jsonl",
		oddLine("00000000-0000-4000-8000-000000000001", "a lamp => b and NOT a quote")+oddLine("00000000-0000-4000-8000-000000000002", strings.Repeat("a", 3000)+"!"))
	m.imports()
	return m
}

// TestOddQueries: whatever is asked is answered soon, or refused in one line that says what is wrong.
func TestOddQueries(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and of one goroutine: nothing for the race detector")
	}
	m := oddMachine(t)
	for name, tt := range map[string]struct {
		query   string
		found   bool
		refused string // a part of the refusal
		warning string // a code
	}{
		"half a quote":         {`say "lamp`, false, "", "unbalanced_quote"},
		"half a parenthesis":   {`(lamp`, false, "", ""},
		"a lone NOT":           {"NOT", true, "", ""},
		"a lone OR":            {"OR", false, "", ""},
		"operators only":       {"AND OR NOT", false, "", "lone_operator"},
		"only an exclusion":    {"-lamp", true, "", ""},
		"no letter":            {"=>", true, "", "no_words"},
		"control bytes":        {"\x00\x1b[31m\x07", false, "", ""},
		"invalid UTF-8":        {"\xff\xfe lamp", false, "", ""},
		"a lone surrogate":     {"\xed\xa0\x80", false, "", ""},
		"10,000 words":         {strings.Repeat("lamp ", 10_000), true, "", ""},
		"10,000 other words":   {distinctWords(10_000), false, "", ""},
		"more than that":       {strings.Repeat("lamp ", 10_001), false, "more than 10000 words", ""},
		"one word of 1 MB":     {strings.Repeat("a", 1<<20-10), false, "", ""},
		"above 1 MB":           {strings.Repeat("a", 1<<20+1), false, "at most 1048576", ""},
		"deep parentheses":     {strings.Repeat("(", 50_000) + "lamp" + strings.Repeat(")", 50_000), false, "", "-"},
		"a thousand negations": {strings.Repeat("-(", 1000) + "lamp" + strings.Repeat(")", 1000), false, "", "-"},
		"nothing":              {"  ", false, "asks for nothing", ""},
		"a wild prefix":        {"l*", true, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
			defer cancel()
			res, err := m.svc.Search(ctx, service.SearchRequest{Query: tt.query, Limit: 5, Explain: true})
			if tt.warning == "-" && err == nil { // answered or refused: both will do
				return
			}
			var f *service.Failure
			switch {
			case err == nil && tt.refused != "":
				t.Fatalf("answered with %d hits", len(res.Hits))
			case err != nil && (!errors.As(err, &f) || f.Kind != service.Usage || !strings.Contains(f.Message, tt.refused) || strings.ContainsAny(f.Message, "\n\x1b") || len(f.Message) > 500):
				t.Fatalf("refused with %.300q", err)
			case err != nil && tt.refused == "" && tt.warning != "-":
				t.Fatalf("refused: %.300v", err)
			case err != nil:
				return
			}
			if got := len(res.Hits) > 0; got != tt.found && tt.found {
				t.Errorf("found nothing")
			}
			codes := ""
			for _, w := range res.Warnings {
				codes += w.Code + " "
			}
			if !strings.Contains(codes, tt.warning) {
				t.Errorf("warnings %q, want %s", codes, tt.warning)
			}
		})
	}
}

func distinctWords(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("w")
		for ; i > 0; i /= 26 {
			b.WriteByte("abcdefghijklmnopqrstuvwxyz"[i%26])
		}
		b.WriteString("x ")
	}
	return b.String()
}

// TestOddPatterns: no pattern takes longer than the text is long, and a wrong one says so.
func TestOddPatterns(t *testing.T) {
	m := oddMachine(t)
	for pattern, wrong := range map[string]bool{"(a+)+$": false, "(a|aa)+$": false, "(a*)*b": false, "(": true, "[": true, `\xzz`: true,
		"a{1,100000}": true, "\x00": false, strings.Repeat("(a?)", 400): false, "(?i)LAMP": false} {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		err := m.svc.Grep(ctx, service.GrepRequest{Patterns: []string{pattern}}, func(service.GrepEvent) error { return nil })
		cancel()
		var f *service.Failure
		switch {
		case wrong && (!errors.As(err, &f) || f.Kind != service.Usage || strings.Contains(f.Message, "\n")):
			t.Errorf("%.20q: %v, want a refusal in one line", pattern, err)
		case !wrong && err != nil:
			t.Errorf("%.20q: %v", pattern, err)
		}
	}
}

// TestOddIndexes: an index of another version, a damaged one and a missing one are built anew by the next search.
func TestOddIndexes(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, dir string){
		"another version": func(t *testing.T, dir string) {
			db, err := sql.Open("sqlite", filepath.Join(dir, "catalog.db"))
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			if _, err := db.Exec("PRAGMA user_version = 4711"); err != nil {
				t.Fatal(err)
			}
		},
		"no catalogue": func(t *testing.T, dir string) {
			if err := os.Remove(filepath.Join(dir, "catalog.db")); err != nil {
				t.Fatal(err)
			}
		},
		"no index": func(t *testing.T, dir string) {
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
		},
		"no bytes": func(t *testing.T, dir string) {
			if err := os.Truncate(filepath.Join(dir, "catalog.db"), 0); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := oddMachine(t)
			name, err := os.ReadFile(filepath.Join(m.svc.Dir, "index"))
			if err != nil {
				t.Fatal(err)
			}
			spoil(t, filepath.Join(m.svc.Dir, strings.TrimSpace(string(name))))
			res, err := m.svc.Search(context.Background(), service.SearchRequest{Query: "lamp"})
			if err != nil || len(res.Hits) != 1 {
				t.Fatalf("%v: %v", res, err)
			}
		})
	}
}

// TestSearchWhileRebuilt: the older index answers while a new one is built.
func TestSearchWhileRebuilt(t *testing.T) {
	m := oddMachine(t)
	done := make(chan error)
	go func() {
		var err error
		for range 3 {
			if _, err = m.svc.Import(context.Background(), service.ImportRequest{Reindex: true}); err != nil {
				break
			}
		}
		done <- err
	}()
	for n := 0; ; n++ {
		select {
		case err := <-done:
			if err != nil || n == 0 {
				t.Errorf("%d searches, rebuild: %v", n, err)
			}
			return
		default:
		}
		if res, err := m.svc.Search(context.Background(), service.SearchRequest{Query: "lamp"}); err != nil || len(res.Hits) != 1 {
			t.Fatalf("search %d: %v", n, err)
		}
	}
}
