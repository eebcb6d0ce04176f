package lore_test

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// room is a folder, or with "*" each folder at that place, and the floor on which it stands. A room imports only from
// floors below its own, and never from a room beside it.
type room struct {
	pattern string
	floor   int
}

// rooms is the house. The first pattern that fits a folder counts; a folder that none fits fails the test, so that a
// new room is a decision and not an accident.
var rooms = []room{
	{".", 0},

	{"adapter", 1},
	{"adapter/kit", 1},
	{"internal/text", 1},
	{"internal/redact", 1},
	{"internal/config", 1},
	{"internal/query", 1},
	{"internal/agents", 1},
	{"internal/pages", 1},
	{"internal/watch", 1},
	{"internal/fault", 1},

	{"adapter/all", 3},
	{"adapter/*", 2}, // the formats, and adaptertest
	{"internal/frame", 2},
	{"internal/archive", 2},
	{"internal/index", 2},
	{"internal/export", 2},

	{"internal/ingest", 3},
	{"internal/service", 4},
	{"internal/face/*", 5},
	{"cmd/*", 6},
	{"examples/*", 6},
}

// besides are the imports between rooms of one floor that the house allows: the kit speaks of an adapter's input, and
// the tests of a format run the contract suite.
func besides(file, from, to string) bool {
	return from == "adapter/kit" && to == "adapter" ||
		to == "adapter/adaptertest" && strings.HasSuffix(file, "_test.go")
}

// limit narrows what a room may reach beyond the rule of floors.
type limit struct {
	rooms   string
	except  []string
	forbids []string // patterns of folders of this module, or of packages of the standard library
	why     string
}

var limits = []limit{
	{"adapter/*", []string{"adapter/kit", "adapter/all", "adapter/adaptertest"}, []string{"internal/*", "os", "os/exec", "net", "net/http", "database/sql", "log", "crypto/*"},
		"a format is a pure function from bytes to records"},
	{"internal/archive", nil, []string{"adapter", "adapter/*"}, "storage knows no adapter"},
	{"internal/index", nil, []string{"adapter", "adapter/*"}, "storage knows no adapter"},
	{"internal/query", nil, []string{"os", "net", "net/http", "database/sql"}, "a query is read without any I/O"},
	{"examples/*", nil, []string{"internal/*", "cmd/*"}, "an example is written as a program outside of this module would be"},
	{"internal/face/*", nil, []string{"adapter", "adapter/*", "internal/archive", "internal/index", "internal/ingest"},
		"a face reaches only the service"},
}

// TestHouse reads the imports of every file and holds them against the floors.
func TestHouse(t *testing.T) {
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && file != "." && (name == "testdata" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")) {
			return filepath.SkipDir
		}
		if d.IsDir() || filepath.Ext(name) != ".go" {
			return nil
		}
		imports, err := importsOf(file)
		if err != nil {
			return err
		}
		for _, fault := range checkFile(filepath.ToSlash(file), imports) {
			t.Error(fault)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func importsOf(file string) ([]string, error) {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	var imports []string
	for _, spec := range parsed.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, err
		}
		imports = append(imports, p)
	}
	return imports, nil
}

// checkFile returns what is wrong with the imports of one file, given by its path from the root of the module.
func checkFile(file string, imports []string) (faults []string) {
	from := path.Dir(file)
	floor, ok := floorOf(from)
	if !ok {
		return []string{fmt.Sprintf("%s: the folder %q is no room of the house: give it a floor in arch_test.go", file, from)}
	}
	test := strings.HasSuffix(file, "_test.go")
	for _, imported := range imports {
		to, ours := folderOf(imported)
		switch {
		case !ours && floor == 0 && !test && strings.Contains(strings.Split(imported, "/")[0], "."):
			faults = append(faults, fmt.Sprintf("%s: the record imports %q, but only the standard library is below it", file, imported))
		case !ours || to == from || besides(file, from, to):
		default:
			above, ok := floorOf(to)
			if !ok {
				faults = append(faults, fmt.Sprintf("%s: imports %q, which is no room of the house", file, imported))
			} else if above >= floor {
				faults = append(faults, fmt.Sprintf("%s: %q on floor %d imports %q on floor %d: only lower floors may be imported", file, from, floor, to, above))
			}
		}
		for _, l := range limits {
			if !test && l.bans(from, imported) {
				faults = append(faults, fmt.Sprintf("%s: %q may not import %q: %s", file, from, imported, l.why))
			}
		}
	}
	return faults
}

// bans reports whether the limit holds for a folder and forbids it the package.
func (l limit) bans(from, imported string) bool {
	if !fits(l.rooms, from) || slices.Contains(l.except, from) {
		return false
	}
	name, _ := folderOf(imported)
	return slices.ContainsFunc(l.forbids, func(pattern string) bool { return fits(pattern, name) })
}

// folderOf returns the folder of a package of this module.
func folderOf(imported string) (string, bool) {
	if imported == "lore" {
		return ".", true
	}
	return strings.CutPrefix(imported, "lore/")
}

func floorOf(folder string) (int, bool) {
	for _, r := range rooms {
		if fits(r.pattern, folder) {
			return r.floor, true
		}
	}
	return 0, false
}

func fits(pattern, folder string) bool {
	ok, err := path.Match(pattern, folder)
	return ok && err == nil
}

// TestHouseNamesTheFault shows each way to break the house, and that the message says where.
func TestHouseNamesTheFault(t *testing.T) {
	for _, tt := range []struct{ file, imported, want string }{
		{"adapter/codex/parse.go", "lore/adapter/kit", ""},
		{"adapter/codex/parse.go", "lore/adapter/claudecode", `adapter/codex/parse.go: "adapter/codex" on floor 2 imports "adapter/claudecode" on floor 2: only lower floors may be imported`},
		{"adapter/codex/codex_test.go", "lore/adapter/adaptertest", ""},
		{"adapter/codex/parse.go", "os", `adapter/codex/parse.go: "adapter/codex" may not import "os": a format is a pure function from bytes to records`},
		{"adapter/kit/lines.go", "lore/adapter", ""},
		{"adapter/adapter.go", "lore/adapter/kit", `adapter/adapter.go: "adapter" on floor 1 imports "adapter/kit" on floor 1: only lower floors may be imported`},
		{"record.go", "lore/internal/text", `record.go: "." on floor 0 imports "internal/text" on floor 1: only lower floors may be imported`},
		{"record.go", "github.com/x/y", `record.go: the record imports "github.com/x/y", but only the standard library is below it`},
		{"record_test.go", "github.com/x/y", ""},
		{"internal/archive/keep.go", "lore/adapter", `internal/archive/keep.go: "internal/archive" may not import "lore/adapter": storage knows no adapter`},
		{"internal/archive/keep.go", "lore/internal/index", `internal/archive/keep.go: "internal/archive" on floor 2 imports "internal/index" on floor 2: only lower floors may be imported`},
		{"internal/face/cli/list.go", "lore/internal/index", `internal/face/cli/list.go: "internal/face/cli" may not import "lore/internal/index": a face reaches only the service`},
		{"internal/face/cli/list.go", "lore/internal/service", ""},
		{"internal/utils/x.go", "fmt", `internal/utils/x.go: the folder "internal/utils" is no room of the house: give it a floor in arch_test.go`},
		{"cmd/lore/main.go", "lore/tools", `cmd/lore/main.go: imports "lore/tools", which is no room of the house`},
	} {
		if got := strings.Join(checkFile(tt.file, []string{tt.imported}), "\n"); got != tt.want {
			t.Errorf("%s importing %s\n got %s\nwant %s", tt.file, tt.imported, got, tt.want)
		}
	}
}
