package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lore/adapter"
	"lore/internal/face/cli"
)

// machine is a home folder with the sample histories, and a clock that stands still.
type machine struct {
	home, dir string
	out       string          // what DIR stands for in an example: a folder that is not there yet
	letters   int             // of an id that are shown at least; 0: as usual
	version   func(v int) int // of the reading rules of every adapter; nil: as they are
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	m := &machine{home: t.TempDir(), dir: filepath.Join(t.TempDir(), "lore"), out: filepath.Join(t.TempDir(), "out")}
	if err := os.CopyFS(m.home, os.DirFS(samples)); err != nil {
		t.Fatal(err)
	}
	return m
}

// documented are the adapters of the machine: another one must not change the docs.
var documented = map[string]bool{"claudecode": true, "codex": true, "notes": true}

// program is the program on the machine: with the documented adapters, at one moment, with nothing in its environment.
func (m *machine) program(args []string, stdout, stderr io.Writer) *cli.Program {
	p := program(append([]string{"--home", m.home, "--dir", m.dir}, args...), stdout, stderr, func(string) string { return "" })
	p.Service.Adapters = slices.DeleteFunc(p.Service.Adapters, func(a adapter.Adapter) bool { return !documented[a.Info().Name] })
	p.Service.Now = func() time.Time { return time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC) }
	p.Service.Zone = time.UTC
	p.Service.Home = m.home // where the configuration is
	p.Service.Build, p.Service.Letters = "1.0.0", m.letters
	if m.version != nil {
		for i, a := range p.Service.Adapters {
			p.Service.Adapters[i] = &otherVersion{a, m.version}
		}
	}
	p.GOOS, p.Executable = "linux", "/usr/local/bin/lore"
	return p
}

// run runs one command on the machine.
func (m *machine) run(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = cli.Run(context.Background(), m.program(args, &out, &errs))
	return code, out.String(), errs.String()
}

// firstID returns the id of the first conversation in the list.
func (m *machine) firstID(t *testing.T) string {
	t.Helper()
	_, stdout, stderr := m.run("list", "--json", "--limit", "1")
	var list struct{ Conversations []struct{ ID string } }
	if err := json.Unmarshal([]byte(stdout), &list); err != nil || len(list.Conversations) == 0 {
		t.Fatalf("list: %v: %s%s", err, stdout, stderr)
	}
	return list.Conversations[0].ID
}

// middleMessage returns the id of the second message of a conversation: one with a neighbour on each side.
func (m *machine) middleMessage(t *testing.T, conversation string) string {
	t.Helper()
	_, stdout, stderr := m.run("show", conversation, "--json")
	var shown struct{ Messages []struct{ ID string } }
	if err := json.Unmarshal([]byte(stdout), &shown); err != nil || len(shown.Messages) < 2 {
		t.Fatalf("show: %v: %s%s", err, stdout, stderr)
	}
	return shown.Messages[1].ID
}

// TestReadmeCommands runs every command that the README shows.
func TestReadmeCommands(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	m := newMachine(t)
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(readme), -1) {
		for line := range strings.Lines(block[1]) {
			args := shellSplit(strings.TrimSpace(line))
			if args[0] != "lore" {
				t.Errorf("README shows %q, which is no command of lore", line)
				continue
			}
			for i, a := range args {
				switch a {
				case "ID":
					args[i] = m.firstID(t)
				case "DIR":
					args[i] = m.out
				}
			}
			code, stdout, stderr := m.run(args[1:]...)
			// --no-verify stands nowhere in the samples; the others find something.
			if want := len(args) > 5 && args[len(args)-1] == "--no-verify"; code != 0 && !(want && code == 1) {
				t.Errorf("%s: code %d\n%s%s", line, code, stdout, stderr)
			}
		}
	}
}

// shellSplit splits a line into words as a shell does that knows blanks and single quotes.
func shellSplit(line string) []string {
	var words []string
	for i, quoted := range strings.Split(line, "'") {
		if i%2 == 1 {
			words = append(words, quoted)
			continue
		}
		words = append(words, strings.Fields(quoted)...)
	}
	return words
}

// TestLinksInDocs: a page that a page points to is there.
func TestLinksInDocs(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#:]+)\)`)
	for _, pattern := range []string{"../../*.md", "../../docs/*.md"} {
		pages, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, page := range pages {
			text, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			for _, to := range link.FindAllStringSubmatch(string(text), -1) {
				if _, err := os.Stat(filepath.Join(filepath.Dir(page), to[1])); err != nil {
					t.Errorf("%s links to %s: %v", page, to[1], err)
				}
			}
		}
	}
}

var example = regexp.MustCompile("(?s)<!-- (lore [^\n]*) -->\n```json\n(.*?)```\n")

// TestJSONDoc runs the command above each example of docs/JSON.md and compares. -update puts the answers in.
func TestJSONDoc(t *testing.T) {
	const page = "../../docs/JSON.md"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	m := newMachine(t)
	seen := 0
	written := example.ReplaceAllStringFunc(string(text), func(block string) string {
		seen++
		parts := example.FindStringSubmatch(block)
		args := shellSplit(parts[1])
		for i, a := range args {
			switch a {
			case "ID":
				args[i] = m.firstID(t)
			case "BUNDLE":
				args[i] = m.out + ".lore"
			case "DIR":
				args[i] = m.out
			case "FILE":
				args[i] = filepath.Join(m.home, "lore.db")
			case "MESSAGE":
				args[i] = m.middleMessage(t, m.firstID(t))
			}
		}
		_, stdout, stderr := m.run(args[1:]...)
		got := m.pretty(t, stdout)
		if got == "" {
			t.Errorf("%s: printed nothing: %s", parts[1], stderr)
		}
		if !*update {
			if diff := cmp.Diff(parts[2], got); diff != "" {
				t.Errorf("%s (-doc +command):\n%s", parts[1], diff)
			}
		}
		return "<!-- " + parts[1] + " -->\n```json\n" + got + "```\n"
	})
	if seen < 8 {
		t.Errorf("%d examples: there is one for each schema", seen)
	}
	if *update {
		if err := os.WriteFile(page, []byte(written), fs.FileMode(0o644)); err != nil {
			t.Fatal(err)
		}
	}
}

var freshExample = regexp.MustCompile("(?s)<!-- before any import: (lore [^\n]*) -->\n```json\n(.*?)```\n")

// TestJSONDocBeforeImport is TestJSONDoc for commands that import something themselves.
func TestJSONDocBeforeImport(t *testing.T) {
	const page = "../../docs/JSON.md"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	written := freshExample.ReplaceAllStringFunc(string(text), func(block string) string {
		parts := freshExample.FindStringSubmatch(block)
		m := newMachine(t)
		_, stdout, stderr := m.run(shellSplit(parts[1])[1:]...)
		got := m.pretty(t, stdout)
		if diff := cmp.Diff(parts[2], got); diff != "" && !*update {
			t.Errorf("%s (-doc +command):\n%s%s", parts[1], diff, stderr)
		}
		return "<!-- before any import: " + parts[1] + " -->\n```json\n" + got + "```\n"
	})
	if *update {
		if err := os.WriteFile(page, []byte(written), fs.FileMode(0o644)); err != nil {
			t.Fatal(err)
		}
	}
}

// What an answer says of the run and not of the histories.
var (
	modified    = regexp.MustCompile(`"modified_at":"[^"]*"`)
	keptAt      = regexp.MustCompile(`"kept_at":"[^"]*"`)
	elapsed     = regexp.MustCompile(`"elapsed_ms":\d+`)
	goKind      = regexp.MustCompile(`"go":"go[^"]*"`)
	scoreNum    = regexp.MustCompile(`"score":[-+.e\d]+`)
	versions    = regexp.MustCompile(`("(?:archive_|index_)?version":)\d+`)
	sizes       = regexp.MustCompile(`"(before|after)":\d+`)
	indexed     = regexp.MustCompile(`"index":\{"total":\d+\}`)
	segments    = regexp.MustCompile(`"segments":\d+`) // one a worker
	notes       = regexp.MustCompile(`"notes":\["[^]]*"\]`)
	archiveHash = regexp.MustCompile(`("imports":\d+,"content_hash":)"[0-9a-v]+"`) // the archive's name is in it, and times of files
)

// pretty indents JSON, one object a line or one in all, and takes out what another run would say otherwise.
func (m *machine) pretty(t *testing.T, lines string) string {
	t.Helper()
	var b bytes.Buffer
	for line := range strings.Lines(lines) {
		line = elapsed.ReplaceAllString(line, `"elapsed_ms":7`)
		line = modified.ReplaceAllString(line, `"modified_at":"2026-03-14T11:00:00.000Z"`)
		line = keptAt.ReplaceAllString(line, `"kept_at":"2026-03-14T12:00:00Z"`)
		line = goKind.ReplaceAllString(line, `"go":"go1.26"`)
		line = archiveHash.ReplaceAllString(line, `${1}"l36ekabi2u7k65c2u82a22hac6lo55bpiej4asim0lm4ovgvd1ag"`)
		line = scoreNum.ReplaceAllString(line, `"score":1`)
		line = versions.ReplaceAllString(line, `${1}1`)
		line = sizes.ReplaceAllString(line, `"$1":1`)
		line = indexed.ReplaceAllString(line, `"index":{"total":1}`)
		line = segments.ReplaceAllString(line, `"segments":1`)
		line = notes.ReplaceAllString(line, `"notes":["what the agent does to its history"]`)
		line = strings.ReplaceAll(line, m.home, "/home/ada")
		line = strings.ReplaceAll(line, m.out, "/home/ada/out")
		if err := json.Indent(&b, []byte(line), "", "  "); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
	}
	return b.String()
}
