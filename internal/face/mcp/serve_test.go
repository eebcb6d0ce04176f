package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	helloOf   = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"%s","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n"
	ready     = `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
	last      = `{"jsonrpc":"2.0","id":99,"method":"ping"}` + "\n"
	ping      = `{"jsonrpc":"2.0","id":9,"method":"ping"}` + "\n"
	noBatches = "-32600 this version of the protocol has no batches: send each message in a line of its own"
)

// client is both streams of a client: it writes its lines, and goes away once an answer holds last.
type client struct {
	io.Reader
	mu       sync.Mutex
	got      bytes.Buffer
	last     string
	answered chan struct{}
}

func (c *client) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if strings.Contains(string(p), c.last) {
		close(c.answered)
	}
	return c.got.Write(p)
}

// waits is the end of a stream that comes when something has happened.
type waits <-chan struct{}

func (w waits) Read([]byte) (int, error) {
	select {
	case <-w:
	case <-time.After(20 * time.Second):
	}
	return 0, io.EOF
}

// talk sends lines to a server, in a version of the protocol, and after the last answer what comes behind them. It
// returns the answers.
func talk(t *testing.T, version, lines, last, behind string) string {
	t.Helper()
	c := &client{last: last, answered: make(chan struct{})}
	in := io.MultiReader(strings.NewReader(fmt.Sprintf(helloOf, version)+ready+lines), waits(c.answered), strings.NewReader(behind))
	server := sdk.NewServer(&sdk.Implementation{Name: "lore", Version: "1"}, &sdk.ServerOptions{Capabilities: &sdk.ServerCapabilities{}})
	if err := Stdio(context.Background(), server, in, c); err != nil {
		t.Errorf("the server ended with %v", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.got.String()
}

// exchange sends lines to a server, then a ping, and returns its answers to what came after the first: the id, and the
// code of an error with the beginning of its words.
func exchange(t *testing.T, version, lines, behind string) (answers []string) {
	t.Helper()
	type answer struct {
		ID    any `json:"id"`
		Error *struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	for _, line := range strings.Split(strings.TrimSpace(talk(t, version, lines+last, `"id":99`, behind)), "\n") {
		var batch []answer
		if !strings.HasPrefix(line, "[") {
			line = "[" + line + "]"
		}
		if err := json.Unmarshal([]byte(line), &batch); err != nil {
			t.Fatalf("%.80q: %v", line, err)
		}
		for _, a := range batch {
			switch {
			case a.Error != nil:
				answers = append(answers, fmt.Sprintf("%v %d %.100s", a.ID, a.Error.Code, a.Error.Message))
			case a.ID != 1.0:
				answers = append(answers, fmt.Sprint(a.ID))
			}
		}
	}
	// Requests are answered as they are done, in any order: the last one asked is put last.
	slices.SortStableFunc(answers, func(a, b string) int {
		switch {
		case a == "99" && b != "99":
			return 1
		case b == "99" && a != "99":
			return -1
		}
		return 0
	})
	return answers
}

// TestStdioOutlivesWhatIsNoMessage: a line that is no message is answered with an error, and the next one is answered.
func TestStdioOutlivesWhatIsNoMessage(t *testing.T) {
	const now = "2025-06-18"
	notOne := "<nil> -32700 not a message of JSON-RPC 2.0 in one line: "
	tests := []struct {
		name, version, line string
		want                []string // the beginnings of the answers before that to a ping
	}{
		{"words", now, "hello\n", []string{notOne}},
		{"half a message", now, `{"jsonrpc":"2.0","id":2,` + "\n", []string{notOne}},
		{"two in a line", now, strings.TrimSpace(ping) + ping, []string{notOne}},
		{"no version", now, `{"id":2,"method":"ping"}` + "\n", []string{notOne}},
		{"bytes that are no text", now, "\xff\xfe\x00\n", []string{notOne}},
		{"deep", now, strings.Repeat("[", 100_000) + "\n", []string{"<nil> " + noBatches}},
		{"deep inside", now, `{"jsonrpc":"2.0","id":2,"method":"ping","params":` + strings.Repeat("[", 100_000) + "\n", []string{notOne}},
		{"a batch", now, "[" + strings.TrimSpace(ping) + "]\n", []string{"<nil> " + noBatches}},
		{"an empty line", now, "\r\n\n  \n", nil},
		{"Windows", now, strings.TrimSpace(ping) + "\r\n", []string{"9"}},
		{"too long", now, `{"jsonrpc":"2.0","id":2,"method":"` + strings.Repeat("x", mostLine) + "\"}\n", []string{"<nil> -32600 a message has at most 15728640 bytes"}},
	}
	for _, tt := range tests {
		got := exchange(t, tt.version, tt.line, "")
		want := append(tt.want, "99")
		for i := range min(len(got), len(want)) {
			if strings.HasPrefix(got[i], want[i]) {
				got[i] = want[i]
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
	if got := exchange(t, "2025-03-26", "["+strings.TrimSpace(ping)+"]\n", ""); !cmp.Equal(got, []string{"9", "99"}) {
		t.Errorf("a version that has batches: %q", got)
	}
	if got := exchange(t, now, ping, `{"jsonrpc":"2.0","id":3,"met`); !cmp.Equal(got, []string{"9", "99"}) {
		t.Errorf("a client that went away in the middle of a message: %q", got)
	}
}

// TestErrorsDoNotRepeatWhatWasSent: a name of a megabyte is not sent back, on either road.
func TestErrorsDoNotRepeatWhatWasSent(t *testing.T) {
	long := strings.Repeat("long", 1<<18)
	for _, request := range []string{
		`"method":"` + long + `"`,
		`"method":"tools/call","params":{"name":"` + long + `","arguments":{}}`,
		`"method":"prompts/get","params":{"name":"` + long + `"}`,
		`"method":"prompts/get","params":{"name":"recall","arguments":{"task":["` + long + `"]}}`,
	} {
		request = `{"jsonrpc":"2.0","id":2,` + request + "}\n"
		server := sdk.NewServer(&sdk.Implementation{Name: "lore", Version: "1"}, nil)
		out := talk(t, "2025-06-18", request, `"id":2`, "")
		over := httptest.NewRequest(http.MethodPost, "http://127.0.0.1:7717"+Path, strings.NewReader(request))
		for name, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Authorization": "Bearer T"} {
			over.Header.Set(name, value)
		}
		w := httptest.NewRecorder()
		Handler(server, "T").ServeHTTP(w, over)
		for road, body := range map[string]string{"stdio": out, "HTTP": w.Body.String()} {
			if !strings.Contains(body, "long") || len(body) > 4*mostError {
				t.Errorf("%s, %.60s: %d bytes: %.200s", road, request, len(body), body)
			}
		}
	}
}
