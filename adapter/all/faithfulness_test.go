package all

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write docs/FAITHFULNESS.md anew")

func TestFaithfulnessPage(t *testing.T) {
	list := Adapters()
	for _, a := range list {
		if info := a.Info(); len(info.Keeps) == 0 || len(info.Leaves) == 0 {
			t.Errorf("%q does not say what it keeps and what it leaves", info.Name)
		}
	}
	page := filepath.Join("..", "..", "docs", "FAITHFULNESS.md")
	want := Faithfulness(list)
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, string(got)); d != "" {
		t.Errorf("the page is not what the adapters declare; run go test ./adapter/all -update (-declared +page):\n%s", d)
	}
}
