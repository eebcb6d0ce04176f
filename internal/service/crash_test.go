package service_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"lore/internal/fault"
	"lore/internal/service"
)

// childEnv makes this test binary another process: what it does, lore's folder, the home, and at which mark it dies (0:
// at none).
const childEnv = "LORE_SERVICE_TEST_CHILD"

func TestMain(m *testing.M) {
	if text := os.Getenv(childEnv); text != "" {
		f := strings.Split(text, "\n")
		at, _ := strconv.Atoi(f[3])
		os.Exit(child(f[0], f[1], f[2], at))
	}
	os.Exit(m.Run())
}

// child does one thing and returns the exit code. It says on which mark it dies.
func child(what, dir, home string, at int) int {
	if at > 0 {
		n := 0
		fault.Set(func(place string) {
			if n++; n == at {
				fmt.Println(place)
				p, _ := os.FindProcess(os.Getpid())
				p.Kill()
				select {}
			}
		})
	}
	if rest, ok := strings.CutPrefix(what, "full "); ok { // on a disk that is full
		bytes, verb, _ := strings.Cut(rest, " ")
		n, _ := strconv.ParseUint(bytes, 10, 64)
		if err := limitFiles(n); err != nil {
			fmt.Println(err)
			return 2
		}
		what = verb
	}
	m := &machine{home: home, svc: newService(dir, home)}
	ctx := context.Background()
	var err error
	switch verb, rest, _ := strings.Cut(what, " "); verb {
	case "import":
		_, err = m.svc.Import(ctx, service.ImportRequest{})
	case "reindex":
		_, err = m.svc.Import(ctx, service.ImportRequest{Reindex: true})
	case "forget":
		_, err = m.svc.Forget(ctx, service.ForgetRequest{IDs: strings.Fields(rest), Yes: true})
		var f *service.Failure
		if errors.As(err, &f) && f.Kind == service.NotFound {
			err = nil // a process before this one has done it
		}
	case "compact":
		_, err = m.svc.Compact(ctx)
	case "backup":
		_, err = m.svc.Backup(ctx, service.BackupRequest{File: rest})
	case "search":
		_, err = m.svc.Search(ctx, service.SearchRequest{Query: rest})
	}
	if err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

// start starts a child.
func (m *machine) start(what string, at int) (*exec.Cmd, *bufio.Scanner) {
	m.t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s\n%s\n%s\n%d", childEnv, what, m.svc.Dir, m.home, at))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		m.t.Fatal(err)
	}
	return cmd, bufio.NewScanner(out)
}

// dies has a child do something and die at a mark. It returns the mark; "" when the child came to its end.
func (m *machine) dies(what string, at int) string {
	m.t.Helper()
	cmd, out := m.start(what, at)
	said := ""
	for out.Scan() {
		said += out.Text()
	}
	if err := cmd.Wait(); err == nil {
		return ""
	} else if cmd.ProcessState.ExitCode() == 1 {
		m.t.Fatalf("%s: %s", what, said)
	}
	return said
}

// TestDiesAtEveryCommit kills a process at every mark of every operation that writes. Behind each death the archive is
// sound, and when the operation is done again, everything is as after one that nobody disturbed.
func TestDiesAtEveryCommit(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a process for each mark")
	}
	base := checked(t)
	for n := range 3 {
		base.write(sessionPath(sessionID(n)), session(sessionID(n), 20, word("grown")))
	}
	os.Remove(filepath.Join(base.home, sessionPath(sessionID(7))))
	base.entangled()
	for _, what := range []string{"import", "reindex", "forget " + id(2) + " " + id(4), "compact", "backup"} {
		t.Run(strings.Fields(what)[0], func(t *testing.T) {
			undisturbed := base.copied(t)
			undisturbed.t = t
			command := func(m *machine) string {
				if what == "backup" {
					return what + " " + filepath.Join(m.svc.Dir, "copy.db")
				}
				return what
			}
			if got := undisturbed.dies(command(undisturbed), 0); got != "" {
				t.Fatal(got)
			}
			undisturbed.imports()
			want := undisturbed.list()
			marks, stride := 0, 4
			if os.Getenv(soakEnv) != "" || what == "import" {
				stride = 1
			}
			for at := 1; ; at += stride {
				m := base.copied(t)
				m.t = t
				mark := m.dies(command(m), at)
				if mark == "" {
					break
				}
				marks++
				m.whole(mark)
				os.Remove(filepath.Join(m.svc.Dir, "copy.db"))
				if got := m.dies(command(m), 0); got != "" {
					t.Fatal(got)
				}
				m.imports()
				m.sound("after " + mark)
				if got := m.list(); got != want {
					t.Errorf("died at mark %d, %s: got\n%s\nwant\n%s", at, mark, got, want)
				}
			}
			if marks == 0 {
				t.Error("no mark was met")
			}
			t.Logf("%d marks", marks)
		})
	}
}

// entangled adds what an import can only do with more than one evidence, or by something else than the bytes of one: of a
// session in two folders the file that was the newer one goes, one that was away is back, a title stands in another file, and
// a session goes on in a copy.
func (m *machine) entangled() {
	m.t.Helper()
	other := func(n int) string { return ".claude/projects/-proj-other/" + sessionID(n) + ".jsonl" }
	say := func(i int) string { return fmt.Sprintf("osprey %d", i) }
	m.write(other(8), session(sessionID(8), 30, say))
	os.Remove(filepath.Join(m.home, sessionPath(sessionID(8))))
	m.imports()
	os.Remove(filepath.Join(m.home, other(8)))

	m.write(sessionPath(sessionID(5)), session(sessionID(5), 11, func(i int) string { return fmt.Sprintf("kestrel %d of 5 and case%x", i, i*5*7919) }))
	m.write(".claude/projects/-proj-lantern/"+sessionID(90)+".jsonl",
		fmt.Sprintf(`{"type":"summary","summary":"How the kestrel flies","leafUuid":"%s-a2"}`+"\n", sessionID(6)))
	copied := strings.ReplaceAll(session(sessionID(9), 15, func(i int) string { return fmt.Sprintf("kestrel %d of 9 and case%x", i, i*9*7919) }),
		fmt.Sprintf(`"sessionId":%q`, sessionID(9)), fmt.Sprintf(`"sessionId":%q`, sessionID(91)))
	m.write(sessionPath(sessionID(91)), copied+strings.ReplaceAll(session(sessionID(92), 2, say), fmt.Sprintf(`"sessionId":%q`, sessionID(92)),
		fmt.Sprintf(`"sessionId":%q`, sessionID(91))))
}

// whole demands that the archive by itself is sound: the index may be behind it.
func (m *machine) whole(when string) {
	m.t.Helper()
	for _, f := range m.faults(true) {
		if strings.HasPrefix(f, "archive:") {
			m.t.Errorf("%s: %s", when, f)
		}
	}
}

// copied returns a machine with the same home and a copy of lore's folder.
func (m *machine) copied(t *testing.T) *machine {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "lore")
	if err := os.CopyFS(dir, os.DirFS(m.svc.Dir)); err != nil {
		t.Fatal(err)
	}
	return &machine{t: t, home: m.home, svc: newService(dir, m.home)}
}
