package kit

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"lore"
)

type frozenKey struct{ a, b int32 }

type frozenThing struct {
	yes    bool
	n      int64
	small  int16
	hash   uint64
	id     [16]byte
	pair   [2]uint16
	text   string
	list   []frozenKey
	empty  []string
	bytes  []byte
	byKey  map[frozenKey]string
	set    map[uint64]struct{}
	next   *frozenThing
	at     lore.Time
	role   lore.Role
	nobody map[string]int
}

func TestFreezeAndThaw(t *testing.T) {
	in := frozenThing{yes: true, n: -1 << 62, small: -3, hash: 1<<64 - 1, id: [16]byte{1, 15: 9}, pair: [2]uint16{7, 1 << 15}, text: "é",
		list: []frozenKey{{1, -1}, {}}, empty: []string{}, bytes: []byte{0, 1}, byKey: map[frozenKey]string{{1, 2}: "x", {}: ""},
		set: map[uint64]struct{}{5: {}}, next: &frozenThing{text: "inner"}, at: lore.NewTime(12345, 3, true), role: lore.User}
	b := append(Freeze(nil, &in), "rest"...)
	var out frozenThing
	rest, err := Thaw(b, &out)
	if err != nil || string(rest) != "rest" {
		t.Fatalf("%q, %v", rest, err)
	}
	all := cmp.AllowUnexported(frozenThing{}, frozenKey{}, lore.Time{})
	if d := cmp.Diff(in, out, all); d != "" {
		t.Errorf("(-frozen +thawed):\n%s", d)
	}
	for n := range len(b) - len("rest") {
		if _, err := Thaw(b[:n], &frozenThing{}); err == nil {
			t.Fatalf("%d of %d bytes are taken for all", n, len(b)-len("rest"))
		}
	}
	if Layout(&in) == Layout(&frozenKey{}) || Layout(&in) != Layout(&out) {
		t.Error("the layout does not tell types apart")
	}
}
