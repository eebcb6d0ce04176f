package mcp

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestHTTPAnswersOnlyItsOwnMachine: what a web page, another machine or another program of this one may send.
func TestHTTPAnswersOnlyItsOwnMachine(t *testing.T) {
	const token = "a-token-of-this-test"
	server := sdk.NewServer(&sdk.Implementation{Name: "lore", Version: "1"}, nil)
	h := Handler(server, token)
	const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	tests := []struct {
		name, host, origin, auth, path string
		want                           int
	}{
		{"right", "127.0.0.1:7717", "", "Bearer " + token, Path, 200},
		{"by name", "localhost:7717", "http://localhost:3000", "Bearer " + token, Path, 200},
		{"IPv6", "[::1]:7717", "", "Bearer " + token, Path, 200},
		{"foreign host", "evil.example:7717", "", "Bearer " + token, Path, 403},
		{"a name that only begins so", "localhost.evil.example", "", "Bearer " + token, Path, 403},
		{"an address of the network", "192.168.1.5:7717", "", "Bearer " + token, Path, 403},
		{"no host", "", "", "Bearer " + token, Path, 403},
		{"foreign origin", "127.0.0.1:7717", "https://evil.example", "Bearer " + token, Path, 403},
		{"origin null", "127.0.0.1:7717", "null", "Bearer " + token, Path, 403},
		{"no token", "127.0.0.1:7717", "", "", Path, 401},
		{"wrong token", "127.0.0.1:7717", "", "Bearer nothing", Path, 401},
		{"token without its word", "127.0.0.1:7717", "", token, Path, 401},
		{"wrong path", "127.0.0.1:7717", "", "Bearer " + token, "/", 404},
	}
	for _, test := range tests {
		r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1:7717"+test.path, strings.NewReader(hello))
		r.Host = test.host
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		for name, value := range map[string]string{"Origin": test.origin, "Authorization": test.auth} {
			if value != "" {
				r.Header.Set(name, value)
			}
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != test.want {
			t.Errorf("%s: %d, want %d: %s", test.name, w.Code, test.want, w.Body)
		}
		if w.Code != 200 && strings.Contains(w.Body.String(), token) {
			t.Errorf("%s: the token leaked: %s", test.name, w.Body)
		}
	}
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1:7717"+Path, strings.NewReader(hello))
	r.Header.Set("Authorization", "Bearer ")
	Handler(server, "").ServeHTTP(w, r)
	if w.Code != 401 {
		t.Errorf("no token on either side: %d, want 401", w.Code)
	}
}

func TestListenOnlyOnLoopback(t *testing.T) {
	for _, addr := range []string{"0.0.0.0:0", ":0", "[::]:0", "192.0.2.1:0", "example.org:0"} {
		l, err := Listen(addr)
		if err == nil {
			l.Close()
		}
		if !errors.Is(err, ErrNotLoopback) {
			t.Errorf("Listen(%q): %v", addr, err)
		}
	}
	if _, err := Listen("7717"); err == nil {
		t.Error(`Listen("7717") took a port for an address`)
	}
	l, err := Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
}
