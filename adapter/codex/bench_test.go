package codex

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"lore/adapter"
)

// BenchmarkRead reads a rollout of the usual mix: most of it outputs inside of two layers of JSON.
func BenchmarkRead(b *testing.B) {
	listing := strings.Repeat("func lantern(wick string) error {\n\treturn fmt.Errorf(\"no %q\", wick)\n}\n", 40)
	records := []string{meta("")}
	for i := range 2000 {
		id, text := fmt.Sprint("call_", i), fmt.Sprintf("step %d: %s", i, strings.Repeat("trim the wick and ", 20))
		if i%10 == 0 {
			records = append(records, userItem(text), userEvent(text))
		}
		records = append(records, thinkEvent(text), thinkItem(text), callItem(id, "shell", `{"command":["sed","-n","1,80p","lantern.go"]}`),
			outItem(id, fmt.Sprintf(`{"output":%s,"metadata":{"exit_code":0,"duration_seconds":0.1}}`, quote(listing))), tokenCount(100*i+100, 100))
	}
	data := []byte(rollout(records...))
	in := adapter.Input{
		Source: adapter.Source{Product: sourceCodex, Store: storeSessions, Path: filePath}, Place: "~/.codex",
		FS: fstest.MapFS{filePath: {Data: data}},
	}
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := drain(in); err != nil {
			b.Fatal(err)
		}
	}
}
