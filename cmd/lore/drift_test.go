package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"lore"
	"lore/internal/face/mcp"
)

// surface is one way in which ids reach somebody. In args, CONVERSATION and MESSAGE stand for every one of them in turn.
// names says which ids it has to name; all of those that it names at all have to be right.
type surface struct {
	name  string
	args  []string
	read  func(t *testing.T, k *known, out string) []claim
	names func(k *known) []string
}

// surfaces is the list. A new one is a line here.
var surfaces = []surface{
	{"list as text", words("list --all"), fromText, (*known).conversationIDs},
	{"list as JSON", words("list --all --json"), fromJSON, (*known).conversationIDs},
	{"list as NDJSON", words("list --all --ndjson"), fromJSON, (*known).conversationIDs},
	{"search as text", words("search --all -n 0 -- role:*"), fromText, nil},
	{"search as JSON", words("search --all -n 0 --json -- role:*"), fromJSON, (*known).messageIDs},
	{"search as NDJSON", words("search --all -n 0 --ndjson -- role:*"), fromJSON, (*known).messageIDs},
	{"grep as text", words("grep ."), fromText, nil},
	{"grep as JSON", words("grep --json ."), fromJSON, (*known).messageIDs},
	{"show as text", words("show CONVERSATION"), fromText, (*known).all},
	{"show as JSON", words("show CONVERSATION --json"), fromJSON, (*known).all},
	{"show as NDJSON", words("show CONVERSATION --ndjson"), fromJSON, (*known).messageIDs},
	{"show a message as text", words("show MESSAGE --context 0"), fromText, (*known).some},
	{"show a message as JSON", words("show MESSAGE --context 1 --json"), fromJSON, (*known).some},
	{"inspect as JSON", words("inspect CONVERSATION --json"), fromJSON, (*known).conversationIDs},
	{"id as text", words("id MESSAGE --explain"), fromText, (*known).some},
	{"id of a conversation as JSON", words("id CONVERSATION --json"), fromJSON, (*known).conversationIDs},
	{"id of a message as JSON", words("id MESSAGE --json"), fromJSON, (*known).some},
	{"export as JSON", words("export CONVERSATION --format json"), fromJSON, (*known).all},
	{"export as JSON lines", words("export --all --format jsonl"), fromJSON, (*known).all},
	{"export as Markdown", words("export CONVERSATION --format markdown"), fromText, (*known).conversationIDs},
	{"export as HTML", words("export CONVERSATION --format html"), fromText, (*known).conversationIDs},
	{"MCP list", words("mcp list"), fromTool, (*known).conversationIDs},
	{"MCP search", words("mcp search debounce"), fromTool, nil},
	{"MCP recall", words("mcp recall debounce"), fromTool, nil},
	{"MCP show of a conversation", words("mcp show CONVERSATION"), fromTool, nil},
	{"MCP show of a message", words("mcp show MESSAGE"), fromTool, (*known).some},
	{"marks as JSON", words("mark MESSAGE --json"), fromJSON, (*known).some},
}

func words(line string) []string { return strings.Fields(line) }

// claim is what a surface says of one id. A field that it does not say is empty.
type claim struct{ id, short, content, hash, native string }

// known is what is true of a corpus, by the recipe.
type known struct {
	kind   map[string]string // id → "conversation", "message", "content", "hash"
	claims map[string]claim
	named  map[string]bool // by the surface in hand
}

func newKnown(t *testing.T, list []*printed) *known {
	k := &known{kind: map[string]string{}, claims: map[string]claim{}}
	for _, c := range list {
		c.checkReference(t)
		k.kind[c.ID], k.kind[c.ContentHash] = "conversation", "hash"
		k.claims[c.ID] = claim{id: c.ID, short: c.ShortID, hash: c.ContentHash, native: textOf(c.NativeID)}
		for i := range c.Messages {
			m := &c.Messages[i]
			k.kind[m.ID], k.kind[m.ContentID] = "message", "content"
			k.claims[m.ID] = claim{id: m.ID, short: m.ShortID, content: m.ContentID, native: textOf(m.Native)}
		}
	}
	return k
}

func textOf(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func (k *known) of(kind string) (ids []string) {
	for id, is := range k.kind {
		if is == kind {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

func (k *known) conversationIDs() []string { return k.of("conversation") }
func (k *known) messageIDs() []string      { return k.of("message") }

// some are messages enough to ask for one by one.
func (k *known) some() (ids []string) {
	for i, id := range k.messageIDs() {
		if i%4 == 0 {
			ids = append(ids, id)
		}
	}
	return ids
}

func (k *known) all() []string { return append(k.conversationIDs(), k.messageIDs()...) }

// walk runs a surface over the whole corpus and returns what it prints.
func (s *surface) walk(t *testing.T, m *machine, k *known) (out []string) {
	runs := [][]string{s.args}
	for word, ids := range map[string][]string{"CONVERSATION": k.conversationIDs(), "MESSAGE": k.some()} {
		at := slices.Index(s.args, word)
		if at < 0 {
			continue
		}
		runs = nil
		for _, id := range ids {
			args := slices.Clone(s.args)
			args[at] = id
			runs = append(runs, args)
		}
	}
	if s.args[0] == "mcp" {
		return tools(t, m, runs)
	}
	for _, args := range runs {
		_, stdout, _ := m.run(args...)
		out = append(out, stdout)
	}
	return out
}

// tools calls a tool of the MCP server for each run and returns its structured answers.
func tools(t *testing.T, m *machine, runs [][]string) (out []string) {
	t.Helper()
	c := m.client(t, mcp.Options{})
	for _, args := range runs {
		var in map[string]any
		switch tool := args[1]; tool {
		case "list":
			in = map[string]any{"limit": 50}
		case "search":
			in = map[string]any{"query": args[2]}
		case "recall":
			in = map[string]any{"task": args[2]}
		default:
			in = map[string]any{"id": args[2]}
		}
		said, answer, failed := ask(t, c, args[1], in)
		if failed {
			t.Errorf("%q: %s", args, said)
		}
		b, err := json.Marshal(answer)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(b))
	}
	return out
}

// fromTool reads the claims of a tool, which gives short forms alone: what is called an id has to be one.
func fromTool(t *testing.T, k *known, out string) (all []claim) {
	t.Helper()
	short := map[string]string{}
	for _, id := range k.all() {
		short[k.claims[id].short], short[id] = id, id
	}
	for _, at := range namedID.FindAllStringSubmatch(out, -1) {
		id := short[at[1]]
		if id == "" {
			t.Errorf("%s is no short form of an id", at[0])
		}
		all = append(all, claim{id: id})
	}
	return all
}

// namedID is a member of JSON that holds one id.
var namedID = regexp.MustCompile(`"(?:id|conversation|message)":"([0-9a-v]+)"`)

// TestOneNameEverywhere walks every surface over one corpus: an id that one prints is the id that all print, it is the one
// that the recipe gives, and its short form names it alone. The second time short forms begin at four characters, where
// two ids of the corpus are alike.
func TestOneNameEverywhere(t *testing.T) {
	for _, letters := range []int{0, 4} {
		t.Run(fmt.Sprintf("%d letters", letters), func(t *testing.T) {
			m := driftCorpus(t)
			m.letters = letters
			k := newKnown(t, m.conversations(t))
			checkShorts(t, m, k, letters)
			for i := range surfaces {
				s := &surfaces[i]
				t.Run(s.name, func(t *testing.T) { s.check(t, m, k) })
			}
		})
	}
}

func (s *surface) check(t *testing.T, m *machine, k *known) {
	k.named = map[string]bool{}
	n := 0
	for _, out := range s.walk(t, m, k) {
		if out == "" {
			t.Fatalf("%q prints nothing", s.args)
		}
		for _, c := range s.read(t, k, out) {
			n++
			k.named[c.id] = true
			if want := k.claims[c.id]; c.id == "" || differ(c.short, want.short) || differ(c.content, want.content) ||
				differ(c.hash, want.hash) || differ(c.native, want.native) {
				t.Errorf("it says %+v, show says %+v", c, want)
			}
		}
	}
	if n == 0 {
		t.Error("it names no id at all")
	}
	if s.names == nil {
		return
	}
	for _, id := range s.names(k) {
		if !k.named[id] {
			t.Errorf("it does not name the %s %s", k.kind[id], id)
		}
	}
}

func differ(said, want string) bool { return said != "" && said != want }

// checkShorts: each short form names one thing alone, and leads to it.
func checkShorts(t *testing.T, m *machine, k *known, letters int) {
	t.Helper()
	widened, asked := 0, k.some()
	for _, id := range k.all() {
		short := k.claims[id].short
		if !strings.HasPrefix(id, short) || len(short) < 4 {
			t.Errorf("%s is shown as %q", id, short)
		}
		for _, other := range k.all() {
			if other != id && strings.HasPrefix(other, short) {
				t.Errorf("%q is short for %s and for %s", short, id, other)
			}
		}
		if len(short) > 4 && letters == 4 {
			widened++
		}
		if k.kind[id] == "message" && !slices.Contains(asked, id) && len(short) == max(letters, 12) {
			continue
		}
		var got struct{ ID string }
		_, stdout, stderr := m.run("id", short, "--json")
		if json.Unmarshal([]byte(stdout), &got) != nil || got.ID != id {
			t.Errorf("%q leads to %q, not to %s: %s", short, got.ID, id, stderr)
		}
	}
	if letters == 4 && widened < 2 {
		t.Error("no two ids of the corpus are alike in four characters")
	}
}

// fromJSON reads the claims of JSON, one object or one a line: an object with an id claims what stands beside it, and every
// other text of the form of an id has to be one.
func fromJSON(t *testing.T, k *known, out string) (all []claim) {
	for line := range strings.Lines(out) {
		var v any
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		all = append(all, k.claimed(t, "", v)...)
	}
	return all
}

var fullID = regexp.MustCompile(`^[0-9a-v]{52}$`)

// meant are the kinds of id that members hold.
var meant = map[string][]string{"id": {"conversation", "message", "content", "hash"}, "conversation": {"conversation"}, "of": {"conversation"},
	"asked":   {"message", "conversation"},
	"message": {"message"}, "parent": {"message", "conversation"}, "on": {"message", "conversation"}, "content_id": {"content"}, "content_hash": {"hash"}}

func (k *known) claimed(t *testing.T, key string, v any) (all []claim) {
	switch v := v.(type) {
	case string:
		if !fullID.MatchString(v) || key == "text" || key == "canonical" {
			return nil
		}
		if !slices.Contains(meant[key], k.kind[v]) {
			t.Errorf("%q is %s, which is %q and no %v", key, v, k.kind[v], meant[key])
		}
		if key == "conversation" || key == "message" {
			all = append(all, claim{id: v})
		}
	case []any:
		for _, x := range v {
			all = append(all, k.claimed(t, key, x)...)
		}
	case map[string]any:
		get := func(name string) string { s, _ := v[name].(string); return s }
		if id := get("id"); fullID.MatchString(id) && k.claims[id].id != "" {
			all = append(all, claim{id, get("short_id"), get("content_id"), get("content_hash"), get("native_id")})
		} else if id := get("message"); fullID.MatchString(id) {
			all = append(all, claim{id: id, short: get("short_id")})
		}
		for name, x := range v {
			all = append(all, k.claimed(t, name, x)...)
		}
	}
	return all
}

// shown is what a short or full id looks like in text: no word of a language, as it has a figure in it.
var shown = regexp.MustCompile(`(?:^|[^\w-])([0-9a-v]{4,52})(?:$|[^\w-])`)

// fromText reads the ids in text. Whether a word of the right form is an id is told by the line that it stands in.
func fromText(t *testing.T, k *known, out string) (all []claim) {
	t.Helper()
	short := map[string]string{}
	for _, id := range k.all() {
		short[k.claims[id].short], short[id] = id, id
	}
	for line := range strings.Lines(out) {
		for _, at := range shown.FindAllStringSubmatch(line, -1) {
			if id := short[at[1]]; id != "" {
				all = append(all, claim{id: id})
			}
		}
		if at := strings.Index(line, "lore show "); at >= 0 {
			word := strings.Fields(line[at+len("lore show "):])[0]
			if short[word] == "" {
				t.Errorf("%q leads nowhere", line)
			}
		}
	}
	return all
}

// driftCorpus is the samples, a list of prompts without a session, two messages whose ids begin alike, a note and marks.
func driftCorpus(t *testing.T) *machine {
	t.Helper()
	m := newMachine(t)
	history := filepath.Join(m.home, ".claude", "history.jsonl")
	f, err := os.OpenFile(history, os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(f, `{"display":"a prompt of an older version","timestamp":1759000000000,"project":"/proj/lantern"}`)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	const session = "a1a1a1a1-0000-4000-8000-00000000d009"
	one, two := alike(lore.ConversationID("claude-code", session))
	var lines strings.Builder
	for i, uuid := range []string{one, two, one} {
		fmt.Fprintf(&lines, `{"parentUuid":null,"isSidechain":false,"userType":"external","cwd":"/proj/lantern","sessionId":%q,"version":"2.1.90","type":"user","uuid":%q,"timestamp":"2026-03-06T10:00:0%d.000Z","message":{"role":"user","content":"say it again %d"}}`+"\n", session, uuid, i, i/2)
	}
	dir := filepath.Join(m.home, ".claude", "projects", "-proj-lantern")
	if err := os.WriteFile(filepath.Join(dir, session+".jsonl"), []byte(lines.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"import", "--quiet"},
		{"remember", "--author", "codex", "--tag", "lantern", "--ref", session, "The staging pool has twenty connections"},
		{"mark", session, "--star"},
	} {
		if code, _, stderr := m.run(args...); code != 0 {
			t.Fatalf("%q: code %d: %s", args, code, stderr)
		}
	}
	return m
}

// alike returns two native ids whose messages have ids that begin with the same five characters.
func alike(conversation lore.ID) (one, two string) {
	met := map[string]string{}
	for i := 0; ; i++ {
		uuid := fmt.Sprintf("a1a1a1a1-0001-4000-8000-%012d", i)
		begin := lore.MessageID(conversation, uuid).String()[:5]
		if before := met[begin]; before != "" {
			return before, uuid
		}
		met[begin] = uuid
	}
}
