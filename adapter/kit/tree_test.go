package kit

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTreePath(t *testing.T) {
	var tree Tree
	add := func(id, parent string) {
		up := Root
		if n, ok := tree.Node(parent); ok {
			up = n
		}
		tree.Add(id, up)
	}
	add("a", "")
	add("b", "a")
	add("c", "a")
	add("b", "c") // an id that is taken: reached by its number alone
	add("d", "b")
	add("e", "f") // its parent comes later
	add("f", "e")
	got := [][]bool{tree.Path(4), tree.Path(6), tree.Path(3), tree.Path(Root)}
	want := [][]bool{
		{true, true, false, false, true, false, false},
		{false, false, false, false, false, true, true},
		{true, false, true, true, false, false, false},
		make([]bool, 7),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("paths (-want +got):\n%s", diff)
	}
}
