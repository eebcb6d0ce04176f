package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lore/internal/service"
)

// run runs the command with no histories and no environment.
func run(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = Run(context.Background(), &Program{Args: args, Stdout: &out, Stderr: &errs, GOOS: "linux",
		Getenv:  func(string) string { return "" },
		Service: service.Service{Home: "/nowhere", Env: func(string) string { return "" }, Now: func() time.Time { return now }, Build: "1.2.3"}})
	return code, out.String(), errs.String()
}

// TestWrongUsage: each mistake is one line that says what would be right, and code 2.
func TestWrongUsage(t *testing.T) {
	for _, tt := range []struct{ args, want string }{
		{"serach x", `there is no command "serach": did you mean "search"?`},
		{"frobnicate", "there is no command \"frobnicate\": `lore help` lists them; to search for it, type `lore search frobnicate`"},
		{"search", "say what to search for: `lore search WORDS...`; `lore list` shows every conversation"},
		{"search --no-verify", "unknown flag: --no-verify: put -- before words that begin with a dash; `lore search --help` lists the flags"},
		{"search --limit many x", "--limit takes a number, not \"many\": `lore search --help` lists the flags"},
		{"list --limit -1", "--limit is 0 (all) or more, not -1"},
		{"list --color red", `--color is auto, always or never, not "red"`},
		{"list --json --ndjson", "--json and --ndjson exclude each other: take one"},
		{"show", "`lore show` takes one ID, not 0: try `lore show --help`"},
		{"show a b", "`lore show` takes one ID, not 2: try `lore show --help`"},
		{"grep", "say what to look for: `lore grep PATTERN`; -F takes it literally"},
		{"grep -l -c x", "-c, -l and --files-without-match exclude each other: take one"},
		{"grep -e x y z", "with -e every pattern needs an -e: write -e \"y z\""},
		{"grep -m -1 x", "-m, -A, -B and -C take 0 or more"},
		{"version now", "`lore version` takes no \"now\": `lore version --help` says what it takes"},
		{"import --memory 63MiB", `--memory 63MiB is too little for an import: 64MiB is the least`},
		{"import --memory much", `"much" is no size: write it as 256MiB`},
	} {
		code, stdout, stderr := run(strings.Fields(tt.args)...)
		if diff := cmp.Diff([]any{2, "", "lore: " + tt.want + "\n"}, []any{code, stdout, stderr}); diff != "" {
			t.Errorf("lore %s (-want +got):\n%s", tt.args, diff)
		}
	}
}

func TestHelp(t *testing.T) {
	for _, args := range [][]string{{}, {"help"}, {"--help"}, {"-h"}} {
		if code, stdout, stderr := run(args...); code != 0 || stderr != "" || !strings.Contains(stdout, "lore search race detector") {
			t.Errorf("lore %v: code %d, stderr %q, stdout %q", args, code, stderr, stdout)
		}
	}
}

// TestEveryCommandHasExamples: help without an example is a riddle.
func TestEveryCommandHasExamples(t *testing.T) {
	p := &Program{}
	for _, cmd := range p.root().Commands() {
		if cmd.Example == "" || cmd.GroupID == "" || cmd.Short == "" {
			t.Errorf("lore %s: example %q, group %q, short %q", cmd.Name(), cmd.Example, cmd.GroupID, cmd.Short)
		}
		for line := range strings.SplitSeq(cmd.Example, "\n") {
			if !strings.HasPrefix(line, "  lore "+cmd.Name()) {
				t.Errorf("lore %s: the example %q is of another command", cmd.Name(), line)
			}
		}
	}
}

// TestCompletion asks what the shell asks.
func TestCompletion(t *testing.T) {
	for _, tt := range []struct{ words, want string }{
		{"sea", "search\tFind messages, best first\n:4\n"},
		{"list --role ", "user\nassistant\ntool\nsystem\n:4\n"},
		{"--color ", "auto\nalways\nnever\n:4\n"},
		{"search --sort n", "relevance\nnewest\noldest\n:4\n"},
	} {
		_, stdout, _ := run(append([]string{"__complete"}, strings.Split(tt.words, " ")...)...)
		if stdout != tt.want {
			t.Errorf("%s: got %q, want %q", tt.words, stdout, tt.want)
		}
	}
}

func TestVersion(t *testing.T) {
	code, stdout, _ := run("version", "--json")
	if code != 0 || !strings.HasPrefix(stdout, `{"schema":"lore.version.v1","version":"1.2.3",`) || strings.Count(stdout, "\n") != 1 {
		t.Errorf("code %d: %s", code, stdout)
	}
	if _, stdout, _ = run("version"); !strings.HasPrefix(stdout, "lore 1.2.3 (go") {
		t.Errorf("got %s", stdout)
	}
}

func TestExitCodes(t *testing.T) {
	fail := func(k service.ErrorKind) error { return &service.Failure{Kind: k, Message: "x"} }
	for _, tt := range []struct {
		err  error
		want int
	}{
		{nil, 0},
		{errClosed, 0},
		{fmt.Errorf("writing: %w", errClosed), 0},
		{outcome(exitNothing), 1},
		{outcome(exitPartial), 3},
		{fail(service.Usage), 2},
		{fail(service.NotFound), 4},
		{fail(service.Ambiguous), 4},
		{fail(service.Busy), 5},
		{fail(service.Damaged), 6},
		{fail(service.Internal), 70},
		{fmt.Errorf("importing: %w", fail(service.Busy)), 5},
		{context.Canceled, 130},
		{errors.New("what"), 70},
	} {
		if got := exitCode(tt.err); got != tt.want {
			t.Errorf("%v: got %d, want %d", tt.err, got, tt.want)
		}
	}
}

func TestErrorLine(t *testing.T) {
	many := &service.Failure{Kind: service.Ambiguous, Message: `"3k9v" is ambiguous`}
	for n := range 10 {
		many.Candidates = append(many.Candidates, service.Candidate{ShortID: fmt.Sprint("3k9v", n), Kind: "message", Title: "A title\nof \x1btwo lines"})
	}
	if got := errorLine(many); strings.ContainsAny(got, "\n\x1b") || !strings.HasSuffix(got, "; and 2 more") {
		t.Errorf("got %q", got)
	}
	for _, tt := range []struct {
		err  error
		want string
	}{
		{nil, ""},
		{errClosed, ""},
		{outcome(exitNothing), ""},
		{context.Canceled, "interrupted: what was finished is kept, run the command again to go on"},
		{fmt.Errorf("archive: %w", syscall.ENOSPC), "archive: no space left on device: the disk is full, make room and run the command again"},
	} {
		if got := errorLine(tt.err); got != tt.want {
			t.Errorf("%v: got %q, want %q", tt.err, got, tt.want)
		}
	}
}

// brokenPipe is standard output whose reader has gone.
type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) {
	return 0, fmt.Errorf("write |1: %w", syscall.EPIPE)
}

func TestClosedPipeEndsQuietly(t *testing.T) {
	var errs bytes.Buffer
	code := Run(context.Background(), &Program{Args: []string{"version"}, Stdout: brokenPipe{}, Stderr: &errs, GOOS: "linux",
		Getenv: func(string) string { return "" }, Service: service.Service{Now: time.Now}})
	if code != 0 || errs.Len() > 0 {
		t.Errorf("code %d, stderr %q", code, &errs)
	}
}

func TestUsualDir(t *testing.T) {
	for _, tt := range []struct {
		goos string
		env  map[string]string
		home string
		want string
	}{
		{"linux", nil, "/home/u", "/home/u/.local/share/lore"},
		{"linux", map[string]string{"XDG_DATA_HOME": "/data"}, "/home/u", "/data/lore"},
		{"linux", map[string]string{"XDG_DATA_HOME": "data"}, "/home/u", "/home/u/.local/share/lore"},
		{"freebsd", nil, "/home/u", "/home/u/.local/share/lore"},
		{"darwin", map[string]string{"XDG_DATA_HOME": "/data"}, "/Users/u", "/Users/u/Library/Application Support/lore"},
		{"windows", map[string]string{"LocalAppData": "/local"}, "/u", "/local/lore"},
		{"windows", nil, "/u", "/u/AppData/Local/lore"},
		{"linux", nil, "", ""},
	} {
		if got := usualDir(tt.goos, func(k string) string { return tt.env[k] }, tt.home); got != tt.want {
			t.Errorf("%s %v %s: got %q, want %q", tt.goos, tt.env, tt.home, got, tt.want)
		}
	}
}

func TestFilters(t *testing.T) {
	for _, tt := range []struct {
		words string
		f     filters
		want  string
	}{
		{"", filters{}, ""},
		{"a b", filters{}, "a b"},
		{"a", filters{source: []string{"codex"}, since: []string{"7d"}}, "a source:codex since:7d"},
		{"a", filters{source: []string{"codex", "cursor"}}, "a (source:codex OR source:cursor)"},
		{"a OR b", filters{role: []string{"user"}}, "(a OR b) role:user"},
		{"", filters{project: []string{`/my "proj`}}, `project:"/my \"proj"`},
	} {
		if got := tt.f.query(strings.Fields(tt.words)); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.words, got, tt.want)
		}
	}
}

func TestParseSize(t *testing.T) {
	for in, want := range map[string]int64{"1": 1, "128MiB": 128 << 20, "1.5 GB": 15e8, "64k": 64 << 10, "0": 0, "": 0, "MiB": 0, "-1k": 0, "1e9": 0, "9999999999999GiB": 0} {
		got, err := parseSize(in)
		if got != want || (err == nil) != (want > 0) {
			t.Errorf("%q: got %d, %v", in, got, err)
		}
	}
}
