package service_test

import (
	"context"
	"encoding/xml"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"lore/adapter"
	"lore/adapter/claudecode"
	"lore/internal/service"
)

var updateUnits = flag.Bool("update", false, "write the goldens anew")

func TestUnits(t *testing.T) {
	for _, goos := range []string{"linux", "darwin", "windows"} {
		t.Run(goos, func(t *testing.T) {
			home := t.TempDir()
			env := map[string]string{"CLAUDE_CONFIG_DIR": `/home/ada/my "claude" & 50% $x`}
			svc := service.Service{Home: home, Dir: filepath.Join(home, "lore data"), Env: func(k string) string { return env[k] },
				Adapters: []adapter.Adapter{claudecode.New()}}
			req := service.UnitRequest{GOOS: goos, Program: `/opt/lore's <bin>/lore`}
			ctx := context.Background()
			if res, err := svc.UnitStatus(ctx, req); err != nil || res.State != "absent" {
				t.Fatalf("before: %+v, %v", res, err)
			}
			first, err := svc.InstallUnit(ctx, req)
			if err != nil || !first.Changed || first.State != "installed" {
				t.Fatalf("install: %+v, %v", first, err)
			}
			golden(t, "testdata/unit-"+goos+".txt", strings.ReplaceAll(first.Content+"\nstart: "+strings.Join(first.Start, "\nstart: ")+
				"\nstop: "+strings.Join(first.Stop, "\nstop: ")+"\nshow: "+strings.Join(first.Show, "\nshow: ")+"\nfile: "+first.File+"\n", home, "HOME"))
			if goos != "linux" {
				wellFormed(t, first.Content)
			}
			if res, err := svc.InstallUnit(ctx, req); err != nil || res.Changed {
				t.Errorf("a second install writes again: %+v, %v", res, err)
			}
			moved := req
			moved.Program = "/elsewhere/lore"
			if res, err := svc.UnitStatus(ctx, moved); err != nil || res.State != "outdated" {
				t.Errorf("of another program: %+v, %v", res, err)
			}
			if res, err := svc.RemoveUnit(ctx, req); err != nil || !res.Changed || res.State != "absent" {
				t.Errorf("remove: %+v, %v", res, err)
			}
			if res, err := svc.RemoveUnit(ctx, req); err != nil || res.Changed {
				t.Errorf("a second remove: %+v, %v", res, err)
			}
			if err := os.WriteFile(first.File, []byte("another program's"), 0o644); err != nil {
				t.Fatal(err)
			}
			for name, do := range map[string]func(context.Context, service.UnitRequest) (*service.UnitResult, error){
				"install": svc.InstallUnit, "remove": svc.RemoveUnit} {
				if _, err := do(ctx, req); err == nil {
					t.Errorf("%s touches a file that is not lore's", name)
				}
			}
		})
	}
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *updateUnits {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got):\n%s", path, d)
	}
}

func wellFormed(t *testing.T, text string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(text))
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	for {
		if _, err := d.Token(); err == io.EOF {
			return
		} else if err != nil {
			t.Fatalf("%v in:\n%s", err, text)
		}
	}
}

// TestTaskIsUTF16: the task scheduler takes no other file.
func TestTaskIsUTF16(t *testing.T) {
	home := t.TempDir()
	svc := service.Service{Home: home, Dir: filepath.Join(home, "ä")}
	res, err := svc.InstallUnit(context.Background(), service.UnitRequest{GOOS: "windows", Program: `C:\lore.exe`})
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(res.File)
	if err != nil || len(b) < 2 || b[0] != 0xff || b[1] != 0xfe {
		t.Fatalf("%x, %v", b[:min(len(b), 8)], err)
	}
	var units []uint16
	for i := 2; i+1 < len(b); i += 2 {
		units = append(units, uint16(b[i])|uint16(b[i+1])<<8)
	}
	if got := strings.ReplaceAll(string(utf16.Decode(units)), "\r\n", "\n"); got != res.Content {
		t.Errorf("the file says something else than was printed:\n%s", cmp.Diff(res.Content, got))
	}
}
