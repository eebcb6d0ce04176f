package adaptertest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lore/adapter"
)

func TestContract(t *testing.T) { Run(t, toy{}, Options{}) }
func FuzzRead(f *testing.F)     { Fuzz(f, toy{}) }

// allProblems runs every check that gives problems over the toy's testdata.
func allProblems(t *testing.T, a adapter.Adapter) (list problems) {
	var all []*evidence
	homes := testdataHomes(t)
	for _, name := range sortedKeys(homes) {
		h := openHome(t, name, homes[name])
		found := find(a, h)
		list = append(list, found.problems...)
		list = append(list, checkFindStops(a, h)...)
		for _, e := range found.evidence {
			e.want = read(a, e.input())
			list = append(list, checkResult(a.Info(), e, nil, e.want)...)
			for _, check := range []func(adapter.Adapter, *evidence) problems{checkAgain, checkNamed, checkOnDisk, checkStops, checkMoved, checkAppended, checkPadded} {
				list = append(list, check(a, e)...)
			}
			list = append(list, checkUnits(e)...)
			all = append(all, e)
		}
	}
	return append(list, checkDamage(a, all)...)
}

// TestMistakesAreSeen wants each mistake of the toy to be named, and the right toy to have none.
func TestMistakesAreSeen(t *testing.T) {
	tests := []struct {
		name string
		toy  toy
		says string
	}{
		{"panic", toy{panics: true}, "panic: damage"},
		{"units without a place", toy{unlisted: true}, "records and 0 damaged units in the file"},
		{"places that are not there", toy{misplaced: true}, "outside of"},
		{"path in an id", toy{pathInID: true}, "moved, it has other ids"},
		{"clock", toy{clock: true}, "reading twice differs"},
		{"ids that move", toy{lineInID: true}, "has another id when more lines come"},
		{"pieces", toy{piecewise: true}, "in pieces of 1 bytes the record differs"},
		{"silence", toy{silent: true}, "are told 0 times"},
		{"double losses", toy{twice: true}, "loss reported twice"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := allProblems(t, tt.toy); !strings.Contains(strings.Join(got, "\n"), tt.says) {
				t.Errorf("not seen: %q in %d problems", tt.says, len(got))
			}
		})
	}
	if got := allProblems(t, toy{}); len(got) > 0 {
		t.Errorf("the right toy has problems:\n%s", strings.Join(got, "\n"))
	}
}

func TestForeignFiles(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"buoy/testdata/one/home/.buoy/a.jsonl":       `{"kind":"user","body":"tide"}` + "\n",
		"buoy/testdata/one/home/.buoy/settings.json": `{"theme":"dark"}`,
		"buoy/testdata/one/home/.buoy/empty.jsonl":   "",
		"buoy/testdata/one/home/.buoy/junk.jsonl":    "\xff\xfe\n",
		"twin/testdata/one/home/.twin/a.jsonl":       `{"seq":1,"role":"user","text":"tide"}` + "\n",
	} {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got := checkForeign(toy{}, dir, []string{"twin"}); len(got) > 0 {
		t.Errorf("with twin shared: %q", got)
	}
	if got := checkForeign(toy{}, dir, nil); len(got) != 1 || !strings.Contains(got[0], "of twin") {
		t.Errorf("with twin not shared: %q", got)
	}
	if got := checkForeign(toy{greedy: true}, dir, []string{"twin"}); len(got) != 3 {
		t.Errorf("a greedy adapter: %q", got)
	}
}
