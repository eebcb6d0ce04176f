package all

import (
	"fmt"
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
	list := Adapters()
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

// Start-up does not pay for this: the list is made when the program is.
func TestNoTwoAdaptersShareANameOrAStore(t *testing.T) {
	if err := distinct(Adapters()); err != nil {
		t.Error(err)
	}
}

func TestTwoOfOneNameNamesBoth(t *testing.T) {
	err := distinct([]adapter.Adapter{claudecode.New(), claudecode.New()})
	if err == nil || !strings.Contains(err.Error(), "0 and 1") {
		t.Errorf("got %v, want an error that names both", err)
	}
}

// distinct returns an error that names both of two adapters with one name or one store.

func distinct(list []adapter.Adapter) error {
	names := map[string]int{}
	stores := map[string]string{}
	for i, a := range list {
		info := a.Info()
		if first, taken := names[info.Name]; taken {
			return fmt.Errorf("adapters %d and %d of the list are both named %q", first, i, info.Name)
		}
		names[info.Name] = i
		for _, s := range info.Stores {
			key := s.Source + " " + s.Name
			if other, taken := stores[key]; taken {
				return fmt.Errorf("adapters %q and %q both read the store %q of %q", other, info.Name, s.Name, s.Source)
			}
			stores[key] = info.Name
		}
	}
	return nil
}
