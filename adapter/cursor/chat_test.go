package cursor

import (
	"path/filepath"
	"testing"

	"lore"
)

const chatPath = ".cursor/chats/c3/44444444-0000-4000-8000-000000000009/store.db"

func readChatDB(t *testing.T, blobs []row, meta string) *lore.Conversation {
	t.Helper()
	home := t.TempDir()
	chatDB(t, filepath.Join(home, chatPath), blobs, meta)
	list := readHome(t, home, ".cursor")
	if len(list) != 1 {
		t.Fatalf("%d records", len(list))
	}
	return list[0]
}

// TestCU13ChatsInRootOrder: the root orders messages, wherever their rows stand.
func TestCU13ChatsInRootOrder(t *testing.T) {
	blobs, root := chatRows([]string{`{"role":"assistant","content":"second"}`, `{"role":"user","content":"<user_query>first</user_query>"}`}, 1, 0)
	c := readChatDB(t, blobs, `{"agentId":"x","latestRootBlobId":"`+root+`","name":"Cellar"}`)
	same(t, []string{`user ` + blobs[1].key + ` text"first"`, `assistant ` + blobs[0].key + ` text"second"`}, shown(c))
	same(t, []string{"x", "Cellar"}, []string{c.Native, c.Title})
	same(t, [6]int{4, 4, 0, 0, 0, 0}, counts(c))
}

// TestChatWithoutRoot: all messages count, in the order in which they were written, and a loss says so.
func TestChatWithoutRoot(t *testing.T) {
	blobs, _ := chatRows([]string{`{"role":"user","content":"one"}`, `{"role":"assistant","content":"two"}`}, 0)
	c := readChatDB(t, blobs, "")
	same(t, []string{`user ` + blobs[0].key + ` text"one"`, `assistant ` + blobs[1].key + ` text"two"`}, shown(c))
	same(t, []string{"missing_header meta/0 1"}, codes(c))
	same(t, "44444444-0000-4000-8000-000000000009", c.Native)
}

// TestNestedRoots: a root may list lists, and a list that names a blob which is gone does not end it.
func TestNestedRoots(t *testing.T) {
	blobs, inner := chatRows([]string{`{"role":"user","content":"one"}`, `{"role":"assistant","content":"two"}`}, 0, 1)
	blobs = append(blobs, row{"outer", append([]byte("\x0a\x40"), inner...)})
	gone := "0000000000000000000000000000000000000000000000000000000000000000"
	blobs[len(blobs)-1].value = append(append([]byte("\x0a\x40"), gone...), blobs[len(blobs)-1].value.([]byte)...)
	c := readChatDB(t, blobs, `{"agentId":"x","latestRootBlobId":"outer"}`)
	same(t, []string{`user ` + blobs[0].key + ` text"one"`, `assistant ` + blobs[1].key + ` text"two"`}, shown(c))
	same(t, []string{"missing_row blobs/" + gone + " 1"}, codes(c))
}

func TestWire(t *testing.T) {
	tests := []struct {
		in   string
		want []string
		bad  bool
	}{
		{"\x0a\x02ab\x10\x05\x22\x01c", []string{"ab", "c"}, false},
		{"\x0d1234\x09123456781\x00", nil, true},
		{"\x0a\x05ab", nil, true},
		{"\x0b", nil, true},
		{"\x00", nil, true},
		{"", nil, false},
	}
	for _, tt := range tests {
		var got []string
		bad := false
		for f, err := range fields([]byte(tt.in)) {
			if bad = err != nil; !bad {
				got = append(got, string(f.bytes))
			}
		}
		if bad != tt.bad || !tt.bad && len(got) != len(tt.want) {
			t.Errorf("%q: %q, bad %v", tt.in, got, bad)
		}
	}
}
