package kit

import (
	"bytes"
	"reflect"
	"strings"
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

// TestPackAndUnpack: what is packed comes back, also where it is longer than what is frozen or asked for at a time; what is
// cut short, or says that there is more of it than there is, is no state.
func TestPackAndUnpack(t *testing.T) {
	in := frozenThing{text: strings.Repeat("heron ", 40_000), byKey: map[frozenKey]string{}}
	for i := range 150_000 {
		in.list = append(in.list, frozenKey{int32(i), int32(-i)})
		in.bytes = append(in.bytes, byte(i*i))
		if i < 70_000 {
			in.byKey[frozenKey{int32(i), 0}] = "x"
		}
	}
	b := PackBytes(&in)
	var out frozenThing
	if err := Unpack(bytes.NewReader(b), &out); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(in, out) { // a diff of so many takes seconds
		t.Errorf("%d, %d, %d and %d come back as %d, %d, %d and %d", len(in.text), len(in.list), len(in.bytes), len(in.byKey),
			len(out.text), len(out.list), len(out.bytes), len(out.byKey))
	}
	for n := 0; n < len(b); n += 1 + len(b)/50 {
		if err := Unpack(bytes.NewReader(b[:n]), &frozenThing{}); err == nil {
			t.Fatalf("%d of %d bytes are taken for all", n, len(b))
		}
	}
	if err := Unpack(bytes.NewReader(PackBytes(&frozenKey{1, 2})), &[]frozenKey{}); err == nil {
		t.Error("another type is taken for one with a length")
	}
	whole, place := frozenKey{1, 2}, frozenThing{text: "here"}
	state := State(7, PackBytes(&whole), &place)
	var gotWhole frozenKey
	var gotPlace frozenThing
	if !OpenState(state, 7, &gotWhole, &gotPlace) || gotWhole != whole || gotPlace.text != "here" {
		t.Errorf("got %+v and %+v", gotWhole, gotPlace)
	}
	if OpenState(state, 8, &gotWhole, &gotPlace) {
		t.Error("a state of another layout is taken")
	}
	for n := range state {
		if OpenState(state[:n], 7, &frozenKey{}, &frozenThing{}) {
			t.Fatalf("%d of %d bytes are taken for all", n, len(state))
		}
	}
}
