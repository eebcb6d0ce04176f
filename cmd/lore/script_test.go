package main

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// samples is a home folder with invented histories, the one that every script and every example in the docs starts with.
const samples = "../../testdata/home"

// update writes what commands print into scripts and docs instead of comparing.
var update = flag.Bool("update", false, "write what commands print into scripts and docs instead of comparing")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"lore": main})
}

// TestScripts runs the real command as a person would: see testdata/script.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "../../testdata/script",
		RequireExplicitExec: true,
		UpdateScripts:       *update,
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, "home")
			env.Setenv("HOME", home)
			env.Setenv("USERPROFILE", home)
			env.Setenv("LORE_DIR", filepath.Join(env.WorkDir, "lore"))
			env.Setenv("TZ", "UTC")
			env.Setenv("MONTH", time.Now().UTC().Format("2006-01"))
			return os.CopyFS(home, os.DirFS(samples))
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "append": appends},
	})
}

// appends adds the text of one file to another, with what stands for $WORK put in: append FILE TEXT. No shell is needed for
// it, which not every machine has.
func appends(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: append FILE TEXT")
	}
	text := strings.ReplaceAll(ts.ReadFile(args[1]), "$WORK", ts.Getenv("WORK"))
	f, err := os.OpenFile(ts.MkAbs(args[0]), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	ts.Check(err)
	_, err = f.WriteString(text)
	ts.Check(errors.Join(err, f.Close()))
}

// exits runs a command that has to end with a code: exits 4 lore show nothing.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("%q ended with %d, not %d", args[1:], got, want)
	}
}
