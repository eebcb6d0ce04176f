//go:build unix

package service_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"lore/internal/service"
)

// TestNamedPipe: a pipe that a user names is refused, and nobody waits for what is never written to it.
func TestNamedPipe(t *testing.T) {
	m := newMachine(t)
	name := filepath.Join(t.TempDir(), "session.jsonl")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Skip(err)
	}
	ctx := context.Background()
	for what, do := range map[string]func() error{
		"import":  func() error { _, err := m.svc.Import(ctx, service.ImportRequest{Paths: []string{name}}); return err },
		"inspect": func() error { _, err := m.svc.Inspect(ctx, service.InspectRequest{Target: name}); return err },
		"plan": func() error {
			_, err := m.svc.PlanImport(ctx, service.ImportRequest{Paths: []string{name}})
			return err
		},
	} {
		if err := do(); err == nil || !strings.Contains(err.Error(), "no file and no folder") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestNamedNothing: a folder in which no source is, and a folder of lore's own that is none, are told as what they are.
func TestNamedNothing(t *testing.T) {
	m, ctx := newMachine(t), context.Background()
	res, err := m.svc.Import(ctx, service.ImportRequest{Paths: []string{t.TempDir()}})
	if err != nil || res.Found {
		t.Errorf("an empty folder: %v, %+v; want nothing found", err, res)
	}
	m.write(sessionPath(sessionID(1)), session(sessionID(1), 1, func(int) string { return "heron" }))
	if res, err = m.svc.Import(ctx, service.ImportRequest{Paths: []string{m.home}}); err != nil || !res.Found {
		t.Errorf("a home: %v, %+v", err, res)
	}
	m.svc.Dir = os.DevNull
	var f *service.Failure
	if _, err := m.svc.List(ctx, service.ListRequest{}); !errors.As(err, &f) || f.Kind != service.Usage {
		t.Errorf("%s as lore's folder: %v", os.DevNull, err)
	}
}
