package codex

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"lore"
	"lore/adapter"
)

// TestFind: what is found at each root, in the order of the names.
func TestFind(t *testing.T) {
	files := fstest.MapFS{}
	for _, name := range []string{
		"archived_sessions/" + fileStem + ".jsonl.zst", "sessions/2026/03/02/" + fileStem + ".jsonl", "sessions/rollout-2025-08-23-" + selfID + ".json",
		"sessions/2026/03/02/notes.txt", "sessions/2026/03/02/other.json", "history.jsonl", "history.json", "session_index.jsonl",
		"auth.json", "config.toml", "log/codex-tui.log", "worktrees/a/history.jsonl",
	} {
		files[name] = &fstest.MapFile{}
	}
	cases := map[string][]string{
		sourceCodex: {
			"codex/archived archived_sessions/" + fileStem + ".jsonl.zst", "codex/history history.json", "codex/history history.jsonl", "codex/sessions session_index.jsonl",
			"codex/sessions sessions/2026/03/02/" + fileStem + ".jsonl", "codex/sessions sessions/rollout-2025-08-23-" + selfID + ".json",
		},
		sourceTrae: {
			"trae/cli archived_sessions/" + fileStem + ".jsonl.zst", "trae/cli session_index.jsonl",
			"trae/cli sessions/2026/03/02/" + fileStem + ".jsonl", "trae/cli sessions/rollout-2025-08-23-" + selfID + ".json",
		},
	}
	for product, want := range cases {
		var got []string
		for src, err := range New().Find(context.Background(), adapter.Place{Root: adapter.Root{Source: product}, FS: files}) {
			if err != nil {
				t.Error(err)
			}
			got = append(got, fmt.Sprintf("%s/%s %s", src.Product, src.Store, src.Path))
		}
		same(t, want, got)
	}
}

// TestCX13GiantCompaction: one line above the bound is cut, told, and in nobody's way; no base64 is text.
func TestCX13GiantCompaction(t *testing.T) {
	if testing.Short() {
		t.Skip("makes lines of 33 MiB")
	}
	image := `{"type":"input_image","image_url":"data:image/png;base64,` + strings.Repeat("QUJD", 33<<18) + `"}`
	c := readOne(t, meta(""), userItem("before"),
		envelope("compacted", `{"message":"Summary","replacement_history":[{"type":"message","role":"user","content":[`+image+`]}]}`),
		item(`{"type":"message","role":"user","content":[{"type":"input_text","text":"see"},`+image+`]}`), botItem("after"))
	same(t, []string{"user: before", "system(compaction): Summary", "user: see <image>", "assistant: after"}, render(c))
	same(t, []string{"oversized_record@3", "oversized_record@4"}, lost(c))
	p := c.Messages[2].Parts[1]
	if !p.Cut || p.Bytes < 33<<20 {
		t.Errorf("%+v", lore.Part{Kind: p.Kind, Cut: p.Cut, Bytes: p.Bytes})
	}
}

// TestPieces: a record in pieces is the record, and each piece but the last says that more follows.
func TestPieces(t *testing.T) {
	var records []string
	for i := range 100 {
		records = append(records, userItem(fmt.Sprint("prompt ", i)), userEvent(fmt.Sprint("prompt ", i)), botItem(fmt.Sprint("answer ", i)))
	}
	whole := readOne(t, append([]string{meta("")}, records...)...)
	in := adapter.Input{
		Source: adapter.Source{Product: sourceCodex, Store: storeSessions, Path: filePath}, Place: "~/.codex", Bound: 5000,
		FS: fstest.MapFS{filePath: {Data: []byte(rollout(append([]string{meta("")}, records...)...))}},
	}
	list, err := drain(in)
	if err != nil || len(list) < 5 {
		t.Fatalf("%d pieces, %v", len(list), err)
	}
	var all []string
	for i, piece := range list {
		all = append(all, render(piece)...)
		last := i == len(list)-1
		if piece.More == last || piece.Native != selfID || (piece.Ledger.Units > 0) != last {
			t.Errorf("piece %d: more %v, ledger %+v", i, piece.More, piece.Ledger)
		}
	}
	same(t, render(whole), all)
}
