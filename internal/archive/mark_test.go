package archive

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lore"
)

// TestMarks: the last word on a mark counts, marks follow renames, and what is done later counts though a clock went
// back.
func TestMarks(t *testing.T) {
	now := time.Unix(100, 0)
	dir := t.TempDir()
	w, err := OpenWriter(dir, Options{Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	conv, msg, moved := lore.ID{1}, lore.ID{2}, lore.ID{3}
	set := func(on lore.ID, kind, value string, gone, want bool) {
		t.Helper()
		changed, err := w.SetMark(Mark{On: on, Conversation: conv, Kind: kind, Value: value}, gone)
		if err != nil || changed != want {
			t.Errorf("set %s %q on %d: %v, %v, want %v", kind, value, on[0], changed, err, want)
		}
	}
	set(conv, Star, "", false, true)
	set(conv, Star, "", false, false)
	set(conv, Tag, "todo", true, false)
	set(msg, Tag, "todo", false, true)
	set(msg, Note, "look here", false, true)
	now = time.Unix(50, 0)
	set(msg, Note, "look here", true, true)
	set(msg, Note, "or there", false, true)
	if err := w.Rename(msg, moved); err != nil {
		t.Fatal(err)
	}
	set(moved, Tag, "todo", false, false)
	set(moved, Note, "or there", true, true)
	set(moved, Note, "and here", false, true)
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	got, err := w.Marks()
	want := []Mark{
		{On: moved, Conversation: conv, Kind: Note, Value: "and here", At: time.Unix(50, 0)},
		{On: conv, Conversation: conv, Kind: Star, At: time.Unix(100, 0)},
		{On: moved, Conversation: conv, Kind: Tag, Value: "todo", At: time.Unix(100, 0)},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if events, err := w.MarkEvents(); err != nil || len(events) != 7 {
		t.Errorf("%d events, %v: nothing that was done is forgotten", len(events), err)
	}
}

func TestOtherMachine(t *testing.T) {
	for path, want := range map[string][2]string{
		"~/a/b":           {"", "~/a/b"},
		"@k3v9:~/a/b":     {"k3v9", "~/a/b"},
		"@k3v9:/srv/x:y":  {"k3v9", "/srv/x:y"},
		"@odd":            {"", "@odd"},
		"C:/Users/ada/.x": {"", "C:/Users/ada/.x"},
	} {
		name, rest := OtherMachine(path)
		if got := [2]string{name, rest}; got != want {
			t.Errorf("%q: %q, want %q", path, got, want)
		}
	}
	if got := qualified("m1", "~/a"); got != "@m1:~/a" {
		t.Errorf("%q", got)
	}
	if got := qualified("m1", "@m2:~/a"); got != "@m2:~/a" {
		t.Errorf("%q", got)
	}
}
