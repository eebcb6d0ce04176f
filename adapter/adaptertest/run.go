package adaptertest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lore/adapter"
)

// Options adjusts the suite to an adapter. The zero value is right for most.
type Options struct {
	// Homes are homes that the test has made, by case: databases, mostly, which are better written by a test than kept
	// as bytes. Each is a folder like testdata/CASE/home; its golden stands in testdata/CASE all the same.
	Homes map[string]string

	// Shares names the adapters whose files this one may read too, because both products write one format.
	Shares []string

	// MayMove says, by case, why an id in it may change when lines are appended: the reason is printed, the check left
	// out.
	MayMove map[string]string
}

// Run runs the contract suite.
func Run(t *testing.T, a adapter.Adapter, o Options) {
	t.Run("info", func(t *testing.T) { report(t, checkInfo(a.Info())) })
	homes := allHomes(t, o)
	if len(homes) == 0 {
		t.Fatal("no case: put one into testdata/CASE/home")
	}
	var all []*evidence
	for _, name := range sortedKeys(homes) {
		t.Run(name, func(t *testing.T) {
			h := openHome(t, name, homes[name])
			before := fingerprint(t, homes[name])
			all = append(all, runCase(t, a, h, o)...)
			if after := fingerprint(t, homes[name]); !slices.Equal(before, after) {
				t.Errorf("reading changed the source (-before +after):\n%s", diffLines(before, after))
			}
		})
	}
	t.Run("damage", func(t *testing.T) { report(t, checkDamage(a, all)) })
	t.Run("foreign", func(t *testing.T) { report(t, checkForeign(a, "..", o.Shares)) })
}

// runCase runs all that concerns one home.
func runCase(t *testing.T, a adapter.Adapter, h *home, o Options) []*evidence {
	found := find(a, h)
	report(t, found.problems)
	report(t, checkFindStops(a, h))
	for _, e := range found.evidence {
		e.want = read(a, e.input())
		report(t, e.prefix(checkResult(a.Info(), e, nil, e.want)))
		report(t, e.prefix(checkUnits(e)))
		report(t, e.prefix(checkAgain(a, e)))
		report(t, e.prefix(checkNamed(a, e)))
		report(t, e.prefix(checkOnDisk(a, e)))
		report(t, e.prefix(checkStops(a, e)))
		report(t, e.prefix(checkMoved(a, e)))
		if why := o.MayMove[h.name]; why != "" {
			t.Logf("ids of %q may move: %s", e.source.Path, why)
		} else {
			report(t, e.prefix(checkAppended(a, e)))
		}
		report(t, e.prefix(checkPadded(a, e)))
	}
	compareGolden(t, filepath.Join("testdata", h.name, "golden.json"), golden(found))
	return found.evidence
}

// allHomes lists the homes of testdata and of the options.
func allHomes(t *testing.T, o Options) map[string]string {
	homes := testdataHomes(t)
	for name, dir := range o.Homes {
		if _, twice := homes[name]; twice {
			t.Errorf("case %q stands in testdata and in Options.Homes", name)
		}
		homes[name] = dir
	}
	return homes
}

func testdataHomes(t testing.TB) map[string]string {
	dirs, err := filepath.Glob(filepath.Join("testdata", "*", "home"))
	if err != nil {
		t.Fatal(err)
	}
	homes := map[string]string{}
	for _, dir := range dirs {
		homes[filepath.Base(filepath.Dir(dir))] = dir
	}
	return homes
}

// problems are what is wrong, one line each. Checks return them, so that they can be tested themselves.
type problems []string

func report(t *testing.T, list problems) {
	t.Helper()
	const most = 20
	for i, p := range list {
		if i == most {
			t.Errorf("and %d more", len(list)-most)
			return
		}
		t.Error(p)
	}
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// fingerprint lists names, sizes, times and digests of all files in a tree.
func fingerprint(t *testing.T, dir string) []string {
	var list []string
	err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		line := strings.Join([]string{name, info.Mode().String(), info.ModTime().String()}, " ")
		if info.Mode().IsRegular() {
			line += " " + fileDigest(t, name)
		}
		list = append(list, line)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}
