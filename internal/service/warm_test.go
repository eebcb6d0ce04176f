package service_test

import (
	"context"
	"sync"
	"testing"

	"lore/internal/service"
)

// TestWarmSeesWhatIsImported: what is kept open is opened anew behind an import and behind a rebuild, also while it is
// in use.
func TestWarmSeesWhatIsImported(t *testing.T) {
	h := newHome(t)
	write := func(n string, text string) {
		id := "0000000" + n + "-0000-4000-8000-00000000d001"
		h.write(".claude/projects/-proj-lantern/"+id+".jsonl", turn(id, 0, "user", `{"type":"text","text":"`+text+`"}`))
	}
	warm := h.Warm()
	defer warm.Close()
	total := func() int {
		t.Helper()
		res, err := warm.Search(context.Background(), service.SearchRequest{Query: "heron"})
		if err != nil {
			t.Fatal(err)
		}
		return res.Total
	}
	write("1", "the first heron stands there")
	h.importAll()
	if n := total(); n != 1 {
		t.Errorf("%d hits", n)
	}
	write("2", "a second heron flies by")
	h.importAll()
	if n := total(); n != 2 {
		t.Errorf("after an import: %d hits", n)
	}
	write("3", "a third heron has a fish")
	if _, err := h.Import(context.Background(), service.ImportRequest{Reindex: true}); err != nil {
		t.Fatal(err)
	}
	if n := total(); n != 3 {
		t.Errorf("after a rebuild: %d hits", n)
	}
	var all sync.WaitGroup
	for n := range 4 {
		all.Go(func() {
			if n == 0 {
				write("4", "a fourth heron")
				h.importAll()
			}
			for range 20 {
				total()
			}
		})
	}
	all.Wait()
	if n := total(); n != 4 {
		t.Errorf("in the end: %d hits", n)
	}
}
