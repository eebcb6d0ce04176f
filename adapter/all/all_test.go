package all

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lore/adapter"
	"lore/adapter/claudecode"
)

// notAdapters are the folders beside the adapters.
var notAdapters = map[string]bool{"all": true, "adaptertest": true, "kit": true}

func TestEveryAdapterIsInTheList(t *testing.T) {
	list, err := Adapters()
	if err != nil {
		t.Fatal(err)
	}
	folders, err := os.ReadDir("..")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("all.go")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, f := range folders {
		if !f.IsDir() || notAdapters[f.Name()] {
			continue
		}
		n++
		if !strings.Contains(string(source), f.Name()+".New()") {
			t.Errorf("the adapter in %q is not in the list", filepath.Join("adapter", f.Name()))
		}
	}
	if n != len(list) {
		t.Errorf("%d folders, but %d adapters in the list", n, len(list))
	}
}

func TestTwoOfOneNameNamesBoth(t *testing.T) {
	err := distinct([]adapter.Adapter{claudecode.New(), claudecode.New()})
	if err == nil || !strings.Contains(err.Error(), "0 and 1") {
		t.Errorf("got %v, want an error that names both", err)
	}
}
