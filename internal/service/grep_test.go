package service_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"lore"
	"lore/adapter/all"
	"lore/internal/service"
)

// home is a machine with histories, and a service over them.
type home struct {
	t   *testing.T
	dir string
	*service.Service
}

func newHome(t *testing.T) *home {
	t.Helper()
	h := &home{t: t, dir: t.TempDir()}
	h.Service = &service.Service{Dir: filepath.Join(t.TempDir(), "lore"), Home: h.dir, OwnHome: true, Env: func(string) string { return "" },
		Adapters: all.Adapters(), Zone: time.UTC, Build: "test",
		Now: func() time.Time { return time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC) }}
	return h
}

func (h *home) write(name, content string) {
	h.t.Helper()
	name = filepath.Join(h.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		h.t.Fatal(err)
	}
}

// turn is one line of a Claude Code session; parts are its content as JSON.
func turn(session string, n int, role, parts string) string {
	kind := "user"
	if role == "assistant" {
		kind = "assistant"
	}
	return fmt.Sprintf(`{"parentUuid":%s,"isSidechain":false,"cwd":"/proj/lantern","sessionId":%q,"version":"2.1.90","type":%q,"uuid":%q,`+
		`"timestamp":"2026-03-02T09:%02d:%02d.000Z","message":{"role":%q,"model":"m-1","content":[%s]}}`+"\n",
		parent(session, n), session, kind, uuid(session, n), n/60, n%60, kind, parts)
}

func uuid(session string, n int) string { return fmt.Sprintf("%s%04d", session[:32], n) }

func parent(session string, n int) string {
	if n == 0 {
		return "null"
	}
	return strconv.Quote(uuid(session, n-1))
}

// ascii quotes a text as an encoder does that writes ASCII alone; plain as one that escapes nothing but what it must.
func ascii(s string) string {
	return strings.ReplaceAll(strconv.QuoteToASCII(s), `\U0001f600`, `\ud83d\ude00`)
}
func plain(s string) string { return string(lore.AppendJSON(nil, s)) }

var vocabulary = strings.Split("deadlock Deadlock straße STRASSE 灯塔 灯 naïve NAÏVE \"quoted\" a\\b x/y 100% <b> don't 😀 task TASK \u212aelvin ta\u017fk foo foobar food _foo 12 mutex", " ")

// words makes a text of several lines.
func words(r *rand.Rand) string {
	var b strings.Builder
	for range 1 + r.IntN(12) {
		b.WriteString(vocabulary[r.IntN(len(vocabulary))])
		b.WriteString([]string{" ", " ", "\n", "\r\n", "\n\n", "\t", "."}[r.IntN(7)])
	}
	return b.String()
}

// randomSession is a session with texts, thinking, calls and results.
func randomSession(r *rand.Rand, session string) string {
	var b strings.Builder
	quote := ascii
	if r.IntN(2) == 0 {
		quote = plain
	}
	for n := range 3 + r.IntN(8) {
		role, part := "user", `{"type":"text","text":`+quote(words(r))+`}`
		switch r.IntN(4) {
		case 0:
			role = "assistant"
		case 1:
			role, part = "assistant", `{"type":"thinking","thinking":`+quote(words(r))+`},`+part
		case 2:
			role, part = "assistant", part+fmt.Sprintf(`,{"type":"tool_use","id":"c%d","name":"Bash","input":{"command":%s,"n":12}}`, n, quote(words(r)))
		}
		b.WriteString(turn(session, n, role, part))
	}
	return b.String()
}

// request makes a random grep.
func request(r *rand.Rand) service.GrepRequest {
	atom := func() string {
		w := vocabulary[r.IntN(len(vocabulary))]
		switch r.IntN(9) {
		case 0:
			return `\w+`
		case 1:
			return `.`
		case 2:
			return `[a-m]+`
		case 3:
			return `(?i:` + regexp.QuoteMeta(w) + `)`
		case 4:
			return `(?:` + regexp.QuoteMeta(w) + `|` + regexp.QuoteMeta(vocabulary[r.IntN(len(vocabulary))]) + `)?`
		case 5:
			cut := []rune(w)
			return regexp.QuoteMeta(string(cut[r.IntN(len(cut)):]))
		}
		return regexp.QuoteMeta(w)
	}
	pattern := func() string {
		s := atom()
		for range r.IntN(3) {
			s += []string{"", " ", ".*", "|"}[r.IntN(4)] + atom()
		}
		return s
	}
	yes := func(n int) bool { return r.IntN(n) == 0 }
	req := service.GrepRequest{Pattern: pattern(), IgnoreCase: yes(3), SmartCase: yes(5), Line: yes(8), Invert: yes(8), Before: r.IntN(3), After: r.IntN(3)}
	if yes(4) {
		req.Literal, req.Pattern = true, vocabulary[r.IntN(len(vocabulary))]
	}
	if yes(4) {
		req.Patterns = []string{vocabulary[2+r.IntN(4)], vocabulary[r.IntN(4)]}
		req.Patterns[0], req.Patterns[1] = regexp.QuoteMeta(req.Patterns[0]), regexp.QuoteMeta(req.Patterns[1])
	}
	if yes(6) {
		req.MaxCount = 1 + r.IntN(4)
	}
	if yes(5) {
		req.Query = []string{"role:user", "role:assistant", "kind:thinking", "-role:user", "since:2026-03-02T09:00:04", "project:lantern tool:Bash", "project:other"}[r.IntN(7)]
	}
	return req
}

// naive answers a grep as plainly as can be, from the records that show prints.
func naive(req service.GrepRequest, all []*service.Shown) []string {
	var exprs []string
	sensitive := false
	for _, p := range append([]string{req.Pattern}, req.Patterns...) {
		sensitive = sensitive || strings.ContainsFunc(p, unicode.IsUpper) // there is no class in capitals
		if req.Literal {
			p = regexp.QuoteMeta(p)
		}
		exprs = append(exprs, "(?:"+p+")")
	}
	expr := strings.Join(exprs, "|")
	if req.Line {
		expr = "^(?:" + expr + ")$"
	}
	if req.IgnoreCase || req.SmartCase && !sensitive {
		expr = "(?i)" + expr
	}
	re := regexp.MustCompile(expr)
	var out []string
	for _, c := range all {
		left := req.MaxCount
		for _, m := range c.Messages {
			for k, p := range m.Parts {
				if !asked(req.Query, c, m, p) || req.MaxCount > 0 && left == 0 {
					continue
				}
				found := naiveLines(re, req, p.Text, &left)
				if found == nil && p.Kind == lore.Call && !req.Invert {
					found = naiveLines(re, req, decodedCall(p.Text), &left)
				}
				for _, l := range found {
					out = append(out, fmt.Sprintf("%s %s %d %s", c.ID.Short(), m.ID.Short(), k, l))
				}
			}
		}
	}
	slices.Sort(out)
	return out
}

// naiveLines returns the lines of a text that match, with those around them.
func naiveLines(re *regexp.Regexp, req service.GrepRequest, text string, left *int) []string {
	if text == "" {
		return nil
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	kind := make([]string, len(lines))
	any := false
	for i := range lines {
		lines[i] = strings.TrimSuffix(lines[i], "\r")
		if re.MatchString(lines[i]) != req.Invert && (req.MaxCount == 0 || *left > 0) {
			*left--
			kind[i], any = "match", true
		}
	}
	if !any {
		return nil
	}
	var out []string
	for i, l := range lines {
		k := kind[i]
		for j := max(0, i-req.After); k == "" && j <= min(len(lines)-1, i+req.Before); j++ {
			if kind[j] != "" {
				k = "context"
			}
		}
		if k != "" {
			out = append(out, fmt.Sprintf("%d %s %q %v", i+1, k, l, submatches(re, k, l, req.Invert)))
		}
	}
	return out
}

func submatches(re *regexp.Regexp, kind, line string, invert bool) [][]int {
	if kind == "context" || invert {
		return nil
	}
	return re.FindAllStringIndex(line, -1)
}

// asked decides the few filters that request makes.
func asked(query string, c *service.Shown, m lore.Message, p lore.Part) bool {
	calls := slices.ContainsFunc(m.Parts, func(p lore.Part) bool { return p.Kind == lore.Call && p.Name == "Bash" })
	switch query {
	case "role:user":
		return m.Role == lore.User
	case "role:assistant":
		return m.Role == lore.Assistant
	case "-role:user":
		return m.Role != lore.User
	case "kind:thinking":
		return p.Kind == lore.Thinking
	case "since:2026-03-02T09:00:04":
		return m.At.Time().Second() >= 4
	case "project:lantern tool:Bash":
		return calls
	}
	return query == ""
}

// decodedCall is the input of a call as the histories of this test have it.
func decodedCall(input string) string {
	m := regexp.MustCompile(`^\{"command":(".*"),"n":12\}$`).FindStringSubmatch(input)
	if m == nil {
		return ""
	}
	s, err := strconv.Unquote(strings.NewReplacer(`\/`, "/", `\ud83d\ude00`, `\U0001f600`).Replace(m[1]))
	if err != nil {
		return ""
	}
	return "command: " + s + "\nn: 12\n"
}

// grep returns the lines of a grep in the order of their text.
func (h *home) grep(req service.GrepRequest) (out []string, sum service.GrepSummary) {
	h.t.Helper()
	err := h.Grep(context.Background(), req, func(e service.GrepEvent) error {
		switch d := e.Data.(type) {
		case service.GrepSummary:
			sum = d
		case service.GrepMatch:
			var at [][]int
			for _, s := range d.Submatches {
				if d.Line[s.Start:s.End] != s.Match {
					h.t.Errorf("submatch %+v of %q", s, d.Line)
				}
				at = append(at, []int{s.Start, s.End})
			}
			out = append(out, fmt.Sprintf("%s %s %d %d %s %q %v", d.Conversation.Short(), d.Message.Short(), d.Part, d.LineNumber, e.Type, d.Line, at))
		}
		return nil
	})
	if err != nil {
		h.t.Fatalf("%+v: %v", req, err)
	}
	slices.Sort(out)
	return out, sum
}

// shown returns every conversation as show prints it.
func (h *home) shown() (all []*service.Shown) {
	h.t.Helper()
	list, err := h.List(context.Background(), service.ListRequest{})
	if err != nil {
		h.t.Fatal(err)
	}
	for _, c := range list.Conversations {
		s, err := h.Show(context.Background(), service.ShowRequest{ID: c.ID.String()})
		if err != nil {
			h.t.Fatal(err)
		}
		all = append(all, s.Conversation)
	}
	return all
}

// TestGrepAgainstNaive compares random greps, over the archive and over the sources, with a search of every line of what
// show prints.
func TestGrepAgainstNaive(t *testing.T) {
	const seed = 7
	r := rand.New(rand.NewPCG(seed, seed))
	h := newHome(t)
	for n := range 6 {
		id := fmt.Sprintf("%08d-0000-4000-8000-00000000d0%02d", n, n)
		h.write(".claude/projects/-proj-lantern/"+id+".jsonl", randomSession(r, id))
	}
	all := h.shown()
	if len(all) != 6 {
		t.Fatalf("%d conversations", len(all))
	}
	greps := 120
	if testing.Short() {
		greps = 30
	}
	hits := 0
	for range greps {
		req := request(r)
		want := naive(req, all)
		hits += len(want)
		for _, req.Live = range []bool{false, true} {
			got, _ := h.grep(req)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("seed %d, %+v (-naive +lore):\n%s", seed, req, diff)
			}
		}
	}
	if hits < greps {
		t.Errorf("%d lines in %d greps: the test looks for what is not there", hits, greps)
	}
}

// TestGrepWholeWords: a word ends where no letter, digit or underscore of any script follows.
func TestGrepWholeWords(t *testing.T) {
	h := newHome(t)
	id := "00000000-0000-4000-8000-00000000d001"
	h.write(".claude/projects/-proj-lantern/"+id+".jsonl", turn(id, 0, "user", `{"type":"text","text":"über übermut foo foo foo_bar foo\nnaïve naï foo-foo (foobar)\n👩 👩\u200d👧 m² m\u203fs"}`))
	for _, tt := range []struct{ pattern, want string }{
		{"über", "[[0 5]]"},
		{"foo", "[[15 18] [19 22] [31 34]] [[12 15] [16 19]]"},
		{"foo|foobar", "[[15 18] [19 22] [31 34]] [[12 15] [16 19] [21 27]]"},
		{"naï", "[[7 11]]"},
		{"👩", "[[0 4]]"},   // a joined sign is another one
		{"m", "[[17 18]]"}, // a raised figure is no letter, a tie binds
		{"", ""},
	} {
		var found []string
		err := h.Grep(context.Background(), service.GrepRequest{Pattern: tt.pattern, Word: true, Live: true}, func(e service.GrepEvent) error {
			if d, ok := e.Data.(service.GrepMatch); ok && tt.pattern != "" {
				var at [][]int
				for _, s := range d.Submatches {
					at = append(at, []int{s.Start, s.End})
				}
				found = append(found, fmt.Sprint(at))
			}
			return nil
		})
		if got := strings.Join(found, " "); got != tt.want || err != nil {
			t.Errorf("-w %q: got %s, want %s, %v", tt.pattern, got, tt.want, err)
		}
	}
}

// TestGrepSmartCaseWithoutLetters: what a class or the name of a group is spelled with says nothing about case, and a
// pattern without letters of its own means its classes as they are.
func TestGrepSmartCaseWithoutLetters(t *testing.T) {
	h := newHome(t)
	id := "00000000-0000-4000-8000-00000000d002"
	h.write(".claude/projects/-proj-lantern/"+id+".jsonl", turn(id, 0, "user", `{"type":"text","text":"ab CD\nef"}`))
	for pattern, want := range map[string][]string{
		"[[:upper:]]+": {"CD"}, `\p{Lu}+`: {"CD"}, "(?P<Name>c)d": {"CD"}, "(?<Name>c)d": {"CD"}, "[a-c]+": {"ab", "C"}, "[A-C]+": {"C"},
	} {
		var found []string
		err := h.Grep(context.Background(), service.GrepRequest{Pattern: pattern, SmartCase: true, Live: true}, func(e service.GrepEvent) error {
			if d, ok := e.Data.(service.GrepMatch); ok {
				for _, s := range d.Submatches {
					found = append(found, s.Match)
				}
			}
			return nil
		})
		if diff := cmp.Diff(want, found); diff != "" || err != nil {
			t.Errorf("-S %s: %v (-want +got):\n%s", pattern, err, diff)
		}
	}
}

// TestGrepFindsWhatIsEscapedTwice: JSON that an encoder of plain ASCII wrote into a string of JSON.
func TestGrepFindsWhatIsEscapedTwice(t *testing.T) {
	h := newHome(t)
	const session = "0199a213-81c0-7800-8aa1-bbab2a035a53"
	line := func(kind, payload string) string {
		return `{"timestamp":"2026-05-01T10:00:00.000Z","type":"` + kind + `","payload":{` + payload + "}}\n"
	}
	h.write(".codex/sessions/2026/05/01/rollout-2026-05-01T10-00-00-"+session+".jsonl",
		line("session_meta", `"id":"`+session+`","timestamp":"2026-05-01T10:00:00.000Z","cwd":"/proj/lantern"`)+
			line("response_item", `"type":"function_call","name":"shell","call_id":"c1","arguments":"{\"command\":[\"echo \\u706f\\u5854 \\uD83D\\uDCA1\"]}"`)+
			line("response_item", `"type":"function_call_output","call_id":"c1","output":"{\"output\":\"\\u706f\\u5854\",\"metadata\":{\"exit_code\":0}}"`))
	if _, err := h.Import(context.Background(), service.ImportRequest{}); err != nil {
		t.Fatal(err)
	}
	for pattern, want := range map[string]int{"灯塔": 2, "塔": 2, "💡": 1, "塔灯": 0} {
		for _, live := range []bool{false, true} {
			lines := 0
			err := h.Grep(context.Background(), service.GrepRequest{Pattern: pattern, Live: live}, func(e service.GrepEvent) error {
				if _, ok := e.Data.(service.GrepMatch); ok {
					lines++
				}
				return nil
			})
			if lines != want || err != nil {
				t.Errorf("%s, live %v: %d lines, want %d: %v", pattern, live, lines, want, err)
			}
		}
	}
}

// TestGrepFindsWhatIsPutTogether: a store that keeps a text in pieces is searched for words that stand in none of them.
func TestGrepFindsWhatIsPutTogether(t *testing.T) {
	h := newHome(t)
	const session = "019c3333-0001-7000-8000-000000000001"
	h.copy("../../adapter/grok/testdata/session/home/.grok", ".grok")
	h.write(".gemini/tmp/lantern/chats/session-2026-03-02T09-00-"+session[:8]+".json", `{"sessionId":"`+session+`","projectHash":"lantern","startTime":"2026-03-02T09:00:00.000Z","lastUpdated":"2026-03-02T09:00:09.000Z","messages":[`+
		`{"id":"m1","timestamp":"2026-03-02T09:00:00.000Z","type":"user","content":[{"text":"the light"},{"text":"house keeper"}]}]}`)
	for _, c := range h.shown() {
		for _, m := range c.Messages {
			for _, p := range m.Parts {
				for _, word := range regexp.MustCompile(`[a-z]{4,}`).FindAllString(p.Text, 1) {
					for _, live := range []bool{false, true} {
						if got, _ := h.grep(service.GrepRequest{Pattern: word, Live: live, Query: "source:" + c.Source}); len(got) == 0 {
							t.Errorf("%s: %q of %q is not found, live %v", c.Source, word, p.Text, live)
						}
					}
				}
			}
		}
	}
	if got, _ := h.grep(service.GrepRequest{Pattern: "lighthouse keeper"}); len(got) != 1 {
		t.Errorf("across two pieces: %q", got)
	}
}

func (h *home) copy(from, to string) {
	h.t.Helper()
	if err := os.CopyFS(filepath.Join(h.dir, to), os.DirFS(from)); err != nil {
		h.t.Fatal(err)
	}
}

// TestGrepFindsWhatIsGone: a session that was rewritten without a message, and a list of prompts that lost its head, are
// searched as they once were.
func TestGrepFindsWhatIsGone(t *testing.T) {
	h := newHome(t)
	id := "00000000-0000-4000-8000-00000000d001"
	session := ".claude/projects/-proj-lantern/" + id + ".jsonl"
	prompt := func(n int) string {
		return fmt.Sprintf(`{"display":"prompt kestrel%d","pastedContents":{},"timestamp":1772442070%03d,"project":"/proj/p%d","sessionId":"1000000%d-0000-4000-8000-00000000d001"}`+"\n", n, n, n, n)
	}
	h.write(session, turn(id, 0, "user", `{"type":"text","text":"first heron"}`)+turn(id, 1, "user", `{"type":"text","text":"second egret"}`))
	h.write(".claude/history.jsonl", prompt(0)+prompt(1)+prompt(2)+prompt(3))
	h.importAll()
	h.write(session, turn(id, 0, "user", `{"type":"text","text":"first heron"}`))
	h.write(".claude/history.jsonl", prompt(3)+prompt(4)+prompt(5))
	h.importAll()
	for _, word := range []string{"heron", "egret", "kestrel0", "kestrel1", "kestrel3", "kestrel5"} {
		if got, _ := h.grep(service.GrepRequest{Pattern: word}); len(got) != 1 {
			t.Errorf("%s: %q", word, got)
		}
	}
}

func (h *home) importAll() {
	h.t.Helper()
	if _, err := h.Import(context.Background(), service.ImportRequest{}); err != nil {
		h.t.Fatal(err)
	}
}

// TestGrepLiveWritesNothing: no archive is made, and what cannot be read is named.
func TestGrepLiveWritesNothing(t *testing.T) {
	h := newHome(t)
	id := "00000000-0000-4000-8000-00000000d001"
	h.write(".claude/projects/-proj-lantern/"+id+".jsonl", turn(id, 0, "user", `{"type":"text","text":"first heron"}`))
	h.write(".config/Trae/ModularData/ai-agent/database.db", "heron \x00 this is no database, and long enough to be looked at")
	got, sum := h.grep(service.GrepRequest{Pattern: "her.n", Live: true})
	if len(got) != 1 || sum.Lines != 1 {
		t.Errorf("got %q, %+v", got, sum)
	}
	if len(sum.Failures) != 1 || !strings.Contains(sum.Failures[0].File, "database.db") {
		t.Errorf("failures: %+v", sum.Failures)
	}
	if _, err := os.Stat(h.Dir); !os.IsNotExist(err) {
		t.Errorf("lore's folder: %v", err)
	}
}

// TestGrepSaysWhatTwoEvidencesSayOnce: a prompt stands in the transcript and in the list of prompts.
func TestGrepSaysWhatTwoEvidencesSayOnce(t *testing.T) {
	h := newHome(t)
	id := "00000000-0000-4000-8000-00000000d001"
	h.write(".claude/projects/-proj-lantern/"+id+".jsonl", turn(id, 0, "user", `{"type":"text","text":"first heron"}`)+turn(id, 1, "user", `{"type":"text","text":"first heron"}`))
	h.write(".claude/history.jsonl", `{"display":"first heron","pastedContents":{},"timestamp":1772442070000,"project":"/proj/lantern","sessionId":"`+id+`"}`+"\n"+
		`{"display":"another heron","pastedContents":{},"timestamp":1772442071000,"project":"/proj/lantern","sessionId":"`+id+`"}`+"\n")
	for _, live := range []bool{false, true} {
		if got, sum := h.grep(service.GrepRequest{Pattern: "heron", Live: live}); len(got) != 3 {
			t.Errorf("live %v: %q, %+v", live, got, sum)
		}
	}
}

// TestGrepEndsWhenInterrupted: no event comes after the interrupt but those on their way.
func TestGrepEndsWhenInterrupted(t *testing.T) {
	h := newHome(t)
	r := rand.New(rand.NewPCG(1, 1))
	for n := range 4 {
		id := fmt.Sprintf("%08d-0000-4000-8000-00000000d0%02d", n, n)
		h.write(".claude/projects/-proj-lantern/"+id+".jsonl", randomSession(r, id))
	}
	h.importAll()
	for _, live := range []bool{false, true} {
		ctx, cancel := context.WithCancel(context.Background())
		summary := false
		err := h.Grep(ctx, service.GrepRequest{Live: live}, func(e service.GrepEvent) error {
			cancel()
			summary = summary || e.Type == "summary"
			return nil
		})
		if err == nil || summary {
			t.Errorf("live %v: error %v, summary %v", live, err, summary)
		}
	}
}

// TestGrepPatternErrors: what is wrong, and where.
func TestGrepPatternErrors(t *testing.T) {
	h := newHome(t)
	for _, tt := range []struct{ pattern, want string }{
		{`(foo`, "missing closing ) at character 1"},
		{`ä(foo|(bar)`, "missing closing ) at character 2"},
		{`[)]a)b`, "unexpected ) at character 5"},
		{`\)(`, "missing closing ) at character 3"},
		{`x[a-`, "missing closing ] `[a-` at character 2"},
		{`a**`, "invalid nested repetition operator `**` at character 2"},
		{`\q`, "invalid escape sequence at character 1"},
		{`(?=x)`, "invalid or unsupported Perl syntax `(?=` at character 1"},
		{`(?:x{1000}){1000}`, "invalid repeat count `{1000}` at character 12"},
	} {
		err := h.Grep(context.Background(), service.GrepRequest{Pattern: tt.pattern, Live: true}, nil)
		if want := fmt.Sprintf("not a regular expression: %q: %s; -F takes it literally", tt.pattern, tt.want); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestGrepExplodingPattern: what takes other engines ages is found, or not, in the length of the text.
func TestGrepExplodingPattern(t *testing.T) {
	h := newHome(t)
	id := "00000000-0000-4000-8000-00000000d001"
	h.write(".claude/projects/-proj-lantern/"+id+".jsonl", turn(id, 0, "user", `{"type":"text","text":"`+strings.Repeat("a", 50_000)+`!"}`))
	if got, _ := h.grep(service.GrepRequest{Pattern: `^(a+)+$`, Live: true}); len(got) != 0 {
		t.Errorf("%d lines", len(got))
	}
}
