package kit

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
)

// typicalLine is a record with a tool result of about n bytes: code with line ends, quotes and some accents.
func typicalLine(n int) string {
	var text strings.Builder
	for i := 0; text.Len() < n; i++ {
		text.WriteString("\tif err := harbour.Open(\"dock-" + strconv.Itoa(i) + "\"); err != nil { // Fähre\n")
	}
	words, _ := json.Marshal(text.String())
	return `{"parentUuid":"0bd34928-0001-4000-8000-000000000001","isSidechain":false,"userType":"external","cwd":"/proj/lantern","sessionId":"0bd34928-0000-4000-8000-000000000000","version":"2.1.0","gitBranch":"main","type":"user","seq":12,"message":{"role":"user","content":[{"tool_use_id":"toolu_01","type":"tool_result","content":` +
		string(words) + `},{"type":"text","text":"done"}]},"uuid":"0bd34928-0001-4000-8000-000000000002","timestamp":"2026-03-02T09:01:00.000Z"}`
}

func BenchmarkParse(b *testing.B) {
	for _, n := range []int{100, 1000, 4000, 100_000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			line := []byte(typicalLine(n))
			var doc Doc
			b.SetBytes(int64(len(line)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := doc.Parse(line); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkString(b *testing.B) {
	line := []byte(typicalLine(4000))
	var doc Doc
	v, _ := doc.Parse(line)
	text := v.Get("message", "content").Index(0).Get("content")
	b.SetBytes(int64(len(text.Raw())))
	b.ReportAllocs()
	for b.Loop() {
		_ = text.String()
	}
}
