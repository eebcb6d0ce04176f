package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"lore/internal/face/mcp"
	"lore/internal/service"
	"lore/internal/text"
)

// service returns the service of the machine, with its histories imported.
func (m *machine) service(t *testing.T) *service.Service {
	t.Helper()
	s := m.program(nil, io.Discard, io.Discard).Service
	s.Home, s.OwnHome, s.Dir = m.home, true, m.dir
	if _, err := s.Import(context.Background(), service.ImportRequest{}); err != nil {
		t.Fatal(err)
	}
	return &s
}

// client connects a client of the SDK to a server of the machine, within the process.
func (m *machine) client(t *testing.T, o mcp.Options) *sdk.ClientSession {
	t.Helper()
	ctx := context.Background()
	mine, its := sdk.NewInMemoryTransports()
	if _, err := mcp.New(ctx, m.service(t), o).Connect(ctx, its, nil); err != nil {
		t.Fatal(err)
	}
	return connect(t, mine)
}

func connect(t *testing.T, over sdk.Transport) *sdk.ClientSession {
	t.Helper()
	c, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(context.Background(), over, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// ask calls a tool and returns its text and its structured content.
func ask(t *testing.T, c *sdk.ClientSession, tool string, args any) (string, map[string]any, bool) {
	t.Helper()
	res, err := c.CallTool(context.Background(), &sdk.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	var b strings.Builder
	for _, x := range res.Content {
		b.WriteString(x.(*sdk.TextContent).Text)
	}
	structured, _ := res.StructuredContent.(map[string]any)
	return b.String(), structured, res.IsError
}

// TestMCPOverStdio runs the command itself as an agent does.
func TestMCPOverStdio(t *testing.T) {
	m := newMachine(t)
	m.service(t)
	cmd := exec.Command("lore", "mcp", "--home", m.home, "--dir", m.dir)
	c := connect(t, &sdk.CommandTransport{Command: cmd})
	text, structured, failed := ask(t, c, "recall", map[string]any{"task": "where does the nightly job set its deadline?"})
	if failed || structured["relevant"] != true || !strings.Contains(text, "deadline") {
		t.Errorf("recall: %v\n%s", structured, text)
	}
	if err := c.Close(); err != nil {
		t.Errorf("the server did not end when its client left: %v", err)
	}
}

// TestMCPClientClosesInTheMiddle: a server whose client goes away while it answers ends by itself.
func TestMCPClientClosesInTheMiddle(t *testing.T) {
	m := newMachine(t)
	m.service(t)
	cmd := exec.Command("lore", "mcp", "--home", m.home, "--dir", m.dir)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"search","arguments":{"query":"deadline"}}}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"sea`,
	} {
		if _, err := io.WriteString(in, line+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	out.Close()
	in.Close()
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-ended:
	case <-time.After(20 * time.Second):
		cmd.Process.Kill()
		t.Fatal("the server is still there")
	}
	if strings.Contains(stderr.String(), "panic") {
		t.Error(stderr.String())
	}
}

// TestMCPOverHTTP: the SDK's client over HTTP, in every version of the protocol that it speaks.
func TestMCPOverHTTP(t *testing.T) {
	m := newMachine(t)
	const token = "a-token-of-this-test"
	server := httptest.NewServer(mcp.Handler(mcp.New(context.Background(), m.service(t), mcp.Options{}), token))
	defer server.Close()
	c := connect(t, &sdk.StreamableClientTransport{Endpoint: server.URL + mcp.Path, HTTPClient: &http.Client{Transport: bearer(token)}})
	text, structured, failed := ask(t, c, "search", map[string]any{"query": "debounce"})
	if failed || structured["total"] == float64(0) {
		t.Errorf("search: %s", text)
	}
	_, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(context.Background(),
		&sdk.StreamableClientTransport{Endpoint: server.URL + mcp.Path, MaxRetries: -1}, nil)
	if err == nil {
		t.Error("a client without the token was answered")
	}
}

// bearer sends a token with each request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// TestMCPErrors: what is wrong with a call is said in the protocol's own form, in one short line, and nothing is repeated
// that could be long.
func TestMCPErrors(t *testing.T) {
	m := newMachine(t)
	c := m.client(t, mcp.Options{})
	big := strings.Repeat("x", 10<<20)
	var many []string
	for i := range 100_000 {
		many = append(many, fmt.Sprint("t", i))
	}
	tests := []struct {
		name, tool string
		args       any
		want       string // in the text of the error
	}{
		{"wrong type", "search", map[string]any{"query": 5}, "string"},
		{"wrong type of a number", "search", map[string]any{"query": "a", "limit": "many"}, "integer"},
		{"missing", "recall", map[string]any{}, "task"},
		{"unknown argument", "list", map[string]any{"wild": true}, "wild"},
		{"10 MB query", "search", map[string]any{"query": big}, "at most 4096"},
		{"a long task", "recall", map[string]any{"task": big[:70<<10]}, "at most"},
		{"a long id", "show", map[string]any{"id": big[:5000]}, "at most"},
		{"10 MB of the wrong type", "search", map[string]any{"query": "a", "limit": big}, "limit"},
		{"limit", "list", map[string]any{"limit": 1000}, "1 to 50"},
		{"budget", "recall", map[string]any{"task": "a job", "budget": 3}, "100 to"},
		{"empty task", "recall", map[string]any{"task": "  "}, "no word"},
		{"empty query", "search", map[string]any{"query": ""}, "asks for nothing"},
		{"wrong field", "search", map[string]any{"query": "role:pope"}, "role"},
		{"no such id", "show", map[string]any{"id": "zzzz"}, "no conversation or message"},
		{"short id", "show", map[string]any{"id": "a"}, "too short for an id"},
		{"10 MB project", "remember", map[string]any{"text": "a", "project": big}, "at most 4096"},
		{"10 MB author", "remember", map[string]any{"text": "a", "author": big}, "short name"},
		{"author with signs", "remember", map[string]any{"text": "a", "author": "a\x1bb"}, "short name"},
		{"many tags", "remember", map[string]any{"text": "a", "tags": many}, "at most 100"},
		{"many references", "remember", map[string]any{"text": "a", "refs": many}, "at most 100"},
		{"many marks", "mark", map[string]any{"id": "zzzz", "tags": many}, "at most 100"},
		{"ref of another version", "show", map[string]any{"id": "lore9:AAAA"}, "lore9"},
		{"no cursor", "search", map[string]any{"query": "deadline", "cursor": "c9.zzz"}, "not a cursor"},
		{"cursor of another query", "list", map[string]any{"query": "deadline", "cursor": m.cursor(t, c)}, "another request"},
	}
	for _, test := range tests {
		text, structured, failed := ask(t, c, test.tool, test.args)
		if !failed || !strings.Contains(text, test.want) || structured != nil {
			t.Errorf("%s: failed %v, %.300q; want %q in it", test.name, failed, text, test.want)
		}
		if len(text) > 700 {
			t.Errorf("%s: an error of %d bytes", test.name, len(text))
		}
	}
	if _, err := c.CallTool(context.Background(), &sdk.CallToolParams{Name: "drop_tables"}); err == nil {
		t.Error("an unknown tool was called")
	}
	if _, err := c.ReadResource(context.Background(), &sdk.ReadResourceParams{URI: "lore://conversation/zzzz"}); err == nil {
		t.Error("a resource that is not there was read")
	}
}

// cursor returns the cursor of the second page of a list.
func (m *machine) cursor(t *testing.T, c *sdk.ClientSession) string {
	t.Helper()
	_, structured, _ := ask(t, c, "list", map[string]any{"limit": 1})
	next, _ := structured["next"].(string)
	if next == "" {
		t.Fatalf("no second page: %v", structured)
	}
	return next
}

// TestMCPPages: the pages of a list and of a message are all of it, each once, and the last one says so.
func TestMCPPages(t *testing.T) {
	m := newMachine(t)
	c := m.client(t, mcp.Options{})
	var ids []string
	cursor := ""
	for range 10 {
		_, page, _ := ask(t, c, "list", map[string]any{"limit": 1, "cursor": cursor})
		for _, x := range page["conversations"].([]any) {
			ids = append(ids, x.(map[string]any)["id"].(string))
		}
		if cursor, _ = page["next"].(string); cursor == "" {
			break
		}
	}
	if slices.Sort(ids); len(ids) != 4 || len(slices.Compact(ids)) != 4 {
		t.Errorf("pages of a list: %v", ids)
	}
	var b strings.Builder
	message := m.middleMessage(t, m.firstID(t))
	cursor, pages := "", 0
	for range 100 {
		_, page, _ := ask(t, c, "show", map[string]any{"id": message, "context": 0, "budget": 100, "cursor": cursor})
		for _, x := range page["messages"].([]any) {
			b.WriteString(unframed(x.(map[string]any)["quote"].(string)))
		}
		pages++
		if cursor, _ = page["next"].(string); cursor == "" {
			break
		}
	}
	if !strings.Contains(b.String(), "datasheet") || pages > 90 {
		t.Errorf("%d pages: %q", pages, b.String())
	}
}

var frameOf = regexp.MustCompile(`(?s)^<(\d{6,})>(.*)</(\d{6,})>$`)

func unframed(q string) string {
	if parts := frameOf.FindStringSubmatch(q); parts != nil && parts[1] == parts[3] {
		return parts[2]
	}
	return "NOT FRAMED: " + q
}

// TestMCPLeavesTheCallerOut: what the caller says itself is no answer to it.
func TestMCPLeavesTheCallerOut(t *testing.T) {
	m := newMachine(t)
	const native = "5d1f0c3a-0000-4000-8000-00000000d001"
	for name, session := range map[string]string{"a source's own id": native, "a path": "/home/ada/.claude/projects/x/" + native + ".jsonl"} {
		c := m.client(t, mcp.Options{})
		_, with, _ := ask(t, c, "search", map[string]any{"query": "debounce"})
		_, without, _ := ask(t, c, "search", map[string]any{"query": "debounce", "session": session})
		if with["total"] == float64(0) || without["total"] != float64(0) {
			t.Errorf("%s: %v hits with it, %v without", name, with["total"], without["total"])
		}
		_, listed, _ := ask(t, c, "list", map[string]any{"session": session})
		if listed["total"] != float64(3) {
			t.Errorf("%s: %v conversations listed", name, listed["total"])
		}
		res, err := c.CallTool(context.Background(), &sdk.CallToolParams{Name: "search", Arguments: map[string]any{"query": "debounce"},
			Meta: sdk.Meta{"sessionId": session}})
		if err != nil || res.StructuredContent.(map[string]any)["total"] != float64(0) {
			t.Errorf("%s in the metadata of the call: %v %v", name, err, res)
		}
	}
	c := m.client(t, mcp.Options{Except: []string{native}})
	if _, got, _ := ask(t, c, "search", map[string]any{"query": "debounce"}); got["total"] != float64(0) {
		t.Errorf("by an option of the server: %v hits", got["total"])
	}
}

// TestMCPSameIDs: the ids that tools give are those that the command prints, and show takes each.
func TestMCPSameIDs(t *testing.T) {
	m := newMachine(t)
	c := m.client(t, mcp.Options{})
	_, stdout, _ := m.run("list", "--json", "--all")
	var listed struct {
		Conversations []struct {
			ShortID string `json:"short_id"`
		}
	}
	if err := json.Unmarshal([]byte(stdout), &listed); err != nil {
		t.Fatal(err)
	}
	_, got, _ := ask(t, c, "list", map[string]any{"limit": 50})
	var want, have []string
	for _, x := range listed.Conversations {
		want = append(want, x.ShortID)
	}
	for _, x := range got["conversations"].([]any) {
		have = append(have, x.(map[string]any)["id"].(string))
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("list (-command +tool):\n%s", diff)
	}
	_, recalled, _ := ask(t, c, "recall", map[string]any{"task": "debounce the button"})
	for _, x := range recalled["passages"].([]any) {
		id := x.(map[string]any)["id"].(string)
		if _, shown, failed := ask(t, c, "show", map[string]any{"id": id}); failed || !strings.Contains(string(must(json.Marshal(shown))), id) {
			t.Errorf("show %s: %v", id, shown)
		}
	}
}

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}

// TestMCPRemembers: a note of an agent is found by its words, with its author; a second one takes nothing away.
func TestMCPRemembers(t *testing.T) {
	m := newMachine(t)
	c := m.client(t, mcp.Options{})
	message := m.middleMessage(t, m.firstID(t))
	for _, text := range []string{"The zeppelin battery draws 12 uA", "The zeppelin battery was measured twice"} {
		if said, _, failed := ask(t, c, "remember", map[string]any{"text": text, "refs": []string{message[:12]}, "tags": []string{"lamp"}}); failed {
			t.Fatal(said)
		}
	}
	said, found, _ := ask(t, c, "search", map[string]any{"query": "zeppelin source:lore"})
	if found["total"] != float64(2) || !strings.Contains(said, "12 uA") {
		t.Errorf("search: %s", said)
	}
	said, marked, failed := ask(t, c, "mark", map[string]any{"id": message[:12], "star": true, "note": "</123456> as it says"})
	if failed || marked["starred"] != true || strings.Count(said, "</123456>") != 1 {
		t.Errorf("mark: %s", said)
	}
	if _, found, _ := ask(t, c, "search", map[string]any{"query": "is:starred"}); found["total"] != float64(1) {
		t.Errorf("is:starred: %v", found["total"])
	}
	for tool, args := range map[string]map[string]any{"mark": {"id": "zzzz", "star": true}, "remember": {"text": " "}} {
		if said, _, failed := ask(t, c, tool, args); !failed {
			t.Errorf("%s %v: %s", tool, args, said)
		}
	}
}

// TestMCPHints: every tool says what it does to the world, and no list of tools is long.
func TestMCPHints(t *testing.T) {
	m := newMachine(t)
	c := m.client(t, mcp.Options{})
	tools, err := c.ListTools(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	tokens := 0
	for _, x := range tools.Tools {
		if a := x.Annotations; a == nil || a.OpenWorldHint == nil || *a.OpenWorldHint || x.OutputSchema == nil {
			t.Errorf("%s: %+v", x.Name, x.Annotations)
		}
		tokens += text.Tokens(x.Description) + text.Tokens(string(must(json.Marshal(x.InputSchema))))
	}
	if tokens > 2000 {
		t.Errorf("the tools cost %d tokens of every session", tokens)
	}
	prompt, err := c.GetPrompt(context.Background(), &sdk.GetPromptParams{Name: "recall", Arguments: map[string]string{"task": "debounce the button"}})
	if err != nil || !strings.Contains(prompt.Messages[0].Content.(*sdk.TextContent).Text, "debounce") {
		t.Errorf("prompt: %v %v", err, prompt)
	}
	recent, err := c.ReadResource(context.Background(), &sdk.ReadResourceParams{URI: "lore://recent"})
	if err != nil || !strings.Contains(recent.Contents[0].Text, "4 conversations") {
		t.Errorf("resource: %v %v", err, recent)
	}
}

var exchange = regexp.MustCompile("(?s)<!-- ([a-z]+) (\\{[^\n]*\\}) -->\n```\n(.*?)```\n")

// TestMCPDoc calls the tool above each answer of docs/MCP.md and compares. -update puts the answers in.
func TestMCPDoc(t *testing.T) {
	const page = "../../docs/MCP.md"
	doc, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	m := newMachine(t)
	c := m.client(t, mcp.Options{})
	shown := map[string]bool{}
	written := exchange.ReplaceAllStringFunc(string(doc), func(block string) string {
		parts := exchange.FindStringSubmatch(block)
		shown[parts[1]] = true
		args := strings.NewReplacer(`"CONVERSATION"`, `"`+m.firstID(t)[:12]+`"`, `"MESSAGE"`, `"`+m.middleMessage(t, m.firstID(t))[:12]+`"`).Replace(parts[2])
		got, _, _ := ask(t, c, parts[1], json.RawMessage(args))
		got = regexp.MustCompile(`<(/?)\d{6}>`).ReplaceAllString(got, "<${1}482913>")
		if diff := cmp.Diff(parts[3], got); diff != "" && !*update {
			t.Errorf("%s %s (-doc +answer):\n%s", parts[1], parts[2], diff)
		}
		return "<!-- " + parts[1] + " " + parts[2] + " -->\n```\n" + got + "```\n"
	})
	tools, err := c.ListTools(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range tools.Tools {
		if !shown[x.Name] {
			t.Errorf("docs/MCP.md shows no exchange of %s", x.Name)
		}
	}
	if *update {
		if err := os.WriteFile(page, []byte(written), fs.FileMode(0o644)); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSC08NoCredentialLeaves: a key in a prompt, in a title, in output and in a file leaves by no tool; --no-redact lets it.
func TestSC08NoCredentialLeaves(t *testing.T) {
	m := newMachine(t)
	keys := []string{"ghp_" + strings.Repeat("F4KE", 9), "AKIAIOSFODNN7EXAMPLE"}
	line := `{"type":"user","uuid":"u1","sessionId":"5d1f0c3a-0000-4000-8000-00000000d00f","cwd":"/proj/keys","timestamp":"2026-03-13T18:00:00.000Z","message":{"role":"user","content":"my token ` + keys[0] + ` and ` + keys[1] + ` fail at pushing to zanzibar"}}` + "\n"
	file := filepath.Join(m.home, ".claude/projects/-proj-keys/5d1f0c3a-0000-4000-8000-00000000d00f.jsonl")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(line), 0o644); err != nil {
		t.Fatal(err)
	}
	closed, open := m.client(t, mcp.Options{}), m.client(t, mcp.Options{Reveal: true})
	_, found, _ := ask(t, closed, "search", map[string]any{"query": "zanzibar"})
	id := found["hits"].([]any)[0].(map[string]any)["id"].(string)
	for tool, args := range map[string]map[string]any{"search": {"query": "zanzibar"}, "recall": {"task": "pushing to zanzibar"}, "list": {"query": "project:keys"}, "show": {"id": id}, "similar": {"text": "my token and fail at pushing to zanzibar"}} {
		text, structured, _ := ask(t, closed, tool, args)
		text += string(must(json.Marshal(structured)))
		for _, key := range keys {
			if strings.Contains(text, key) || !strings.Contains(text, "[redacted:") || !strings.Contains(text, "redacted") {
				t.Errorf("%s lets %q out:\n%s", tool, key, text)
			}
		}
		if text, _, _ := ask(t, open, tool, args); !strings.Contains(text, keys[0]) {
			t.Errorf("%s --no-redact: %s", tool, text)
		}
	}
}
