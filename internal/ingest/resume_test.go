package ingest_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lore/internal/index"
	"lore/internal/ingest"
)

// growing is a session that grows at random, as its product would write it, and now and then as it would not.
type growing struct {
	*rand.Rand
	session string
	uuids   []string
	n       int
	prompts []string // that are typed and not yet in the prompt history
	typed   int
}

func (g *growing) at() string {
	return time.Date(2026, 3, 1, 10, 0, g.n, 0, time.UTC).Format("2006-01-02T15:04:05.000Z")
}

func (g *growing) word() string {
	return []string{"kestrel", "heron", "plover", "dunlin", "curlew", "godwit"}[g.IntN(6)] + fmt.Sprint(g.IntN(40))
}

// claude returns some lines of a Claude Code session.
func (g *growing) claude() string {
	parent := "null"
	if len(g.uuids) > 0 {
		parent = fmt.Sprintf("%q", g.uuids[len(g.uuids)-1])
	}
	g.n++
	uuid := fmt.Sprintf("00000000-0000-4000-8000-%012d", g.n)
	line := func(uuid, parent, rest string) string {
		g.uuids = append(g.uuids, uuid)
		return fmt.Sprintf(`{"parentUuid":%s,"isSidechain":false,"cwd":"/proj/lantern","gitBranch":"b%d","sessionId":%q,"uuid":%q,"timestamp":%q,%s}`+"\n",
			parent, g.n/50, g.session, uuid, g.at(), rest)
	}
	switch g.IntN(22) {
	case 0, 1, 2:
		text := "ask about " + g.word()
		g.prompts = append(g.prompts, text)
		return line(uuid, parent, fmt.Sprintf(`"type":"user","message":{"role":"user","content":%q}`, text))
	case 3, 4, 5, 6, 7:
		var b strings.Builder
		msg := fmt.Sprintf("msg-%d", g.n-g.IntN(2))
		for k := range 1 + g.IntN(3) {
			b.WriteString(line(fmt.Sprintf("%s%d", uuid[:35], k), parent, fmt.Sprintf(`"type":"assistant","message":{"id":%q,"role":"assistant","model":"synth-%d","content":[{"type":"text","text":%q}],"usage":{"input_tokens":%d,"output_tokens":3}}`,
				msg, g.n/200, "answer "+g.word(), g.n)))
			parent = fmt.Sprintf("%q", g.uuids[len(g.uuids)-1])
		}
		return b.String()
	case 8, 9:
		id := fmt.Sprintf("toolu_%d", g.n)
		return line(uuid, parent, fmt.Sprintf(`"type":"assistant","message":{"id":"msg-t%d","role":"assistant","content":[{"type":"tool_use","id":%q,"name":"Bash","input":{"command":%q}}]}`, g.n, id, "ls "+g.word())) +
			line(uuid[:35]+"f", fmt.Sprintf("%q", uuid), fmt.Sprintf(`"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":%q,"content":%q}]}`, id, strings.Repeat(g.word()+" ", 1+g.IntN(60))))
	case 10:
		return fmt.Sprintf(`{"type":"permission-mode","permissionMode":"plan","sessionId":%q}`+"\n", g.session)
	case 11:
		return fmt.Sprintf(`{"type":"ai-title","aiTitle":"Title %d","sessionId":%q}`+"\n", g.IntN(4), g.session)
	case 12:
		return fmt.Sprintf(`{"type":"last-prompt","lastPrompt":"ask about %s","sessionId":%q}`+"\n", g.word(), g.session)
	case 13:
		text := "later " + g.word()
		g.prompts = append(g.prompts, text)
		return fmt.Sprintf(`{"type":"queue-operation","operation":"enqueue","timestamp":%q,"sessionId":%q,"content":%q}`+"\n", g.at(), g.session, text) +
			[]string{"", fmt.Sprintf(`{"type":"queue-operation","operation":"dequeue","timestamp":%q,"sessionId":%q}`+"\n", g.at(), g.session) +
				line(uuid, parent, fmt.Sprintf(`"type":"user","message":{"role":"user","content":%q}`, text))}[g.IntN(2)]
	case 14:
		return fmt.Sprintf(`{"type":"file-history-snapshot","messageId":%q,"snapshot":{},"isSnapshotUpdate":false}`+"\n", uuid)
	case 15:
		return line(uuid, parent, `"type":"attachment","attachment":{"type":"hook_success","hookName":"h","content":"hook `+g.word()+`"}`)
	case 16:
		g.prompts = append(g.prompts, "/model "+g.word())
		return line(uuid, parent, fmt.Sprintf(`"type":"novelty-%d","content":"x"`, g.IntN(3)))
	case 17:
		return `{"type":"user","message":{"role":"us` + "\n" // a torn line
	case 18:
		if len(g.uuids) > 40 && g.IntN(4) == 0 { // a rewind
			parent = fmt.Sprintf("%q", g.uuids[len(g.uuids)-2-g.IntN(30)])
		}
		return line(uuid, parent, fmt.Sprintf(`"type":"user","message":{"role":"user","content":%q}`, "again "+g.word()))
	case 19:
		return line(uuid, "null", `"type":"system","subtype":"compact_boundary","content":"Conversation compacted","logicalParentUuid":`+parent)
	case 20:
		return line(uuid, parent, `"type":"user","isMeta":true,"message":{"role":"user","content":"<local-command-stdout>`+g.word()+`</local-command-stdout>"}`)
	}
	return line(uuid, parent, fmt.Sprintf(`"type":"system","subtype":"turn_duration","durationMs":%d`, g.n))
}

// codex returns some lines of a rollout of Codex.
func (g *growing) codex() string {
	g.n++
	line := func(typ, payload string) string {
		return fmt.Sprintf(`{"timestamp":%q,"type":%q,"payload":{%s}}`+"\n", g.at(), typ, payload)
	}
	if g.n == 1 {
		return line("session_meta", fmt.Sprintf(`"id":%q,"timestamp":%q,"cwd":"/proj/lantern","originator":"codex_cli_rs","cli_version":"0.9.0","git":{"branch":"main"}`, g.session, g.at()))
	}
	words := g.word()
	switch g.IntN(16) {
	case 0, 1:
		return line("event_msg", fmt.Sprintf(`"type":"task_started","turn_id":"t%d"`, g.n)) +
			line("response_item", fmt.Sprintf(`"type":"message","role":"user","content":[{"type":"input_text","text":"ask %s"}]`, words)) +
			line("event_msg", fmt.Sprintf(`"type":"user_message","message":"ask %s","images":[]`, words))
	case 2, 3, 4:
		return line("event_msg", fmt.Sprintf(`"type":"agent_message","message":"answer %s %d"`, words, g.n)) +
			line("response_item", fmt.Sprintf(`"type":"message","role":"assistant","content":[{"type":"output_text","text":"answer %s %d"}]`, words, g.n))
	case 5, 6, 7:
		id := fmt.Sprintf("call_%d", g.n)
		out := line("response_item", fmt.Sprintf(`"type":"function_call","name":"shell","arguments":"{\"command\":[\"ls\",\"%s\"]}","call_id":%q`, words, id))
		if g.IntN(5) > 0 {
			out += line("response_item", fmt.Sprintf(`"type":"function_call_output","call_id":%q,"output":%q`, id, strings.Repeat(words+" ", 1+g.IntN(40))))
		}
		if g.IntN(3) == 0 {
			out += line("event_msg", fmt.Sprintf(`"type":"exec_command_end","call_id":%q,"stdout":"x","stderr":"bad %s","exit_code":1`, id, words))
		}
		return out
	case 8, 9:
		return line("event_msg", fmt.Sprintf(`"type":"token_count","info":{"total_token_usage":{"input_tokens":%d,"output_tokens":%d},"last_token_usage":{"input_tokens":10,"output_tokens":%d}}`, 10*g.n, g.n, g.IntN(9)))
	case 10:
		return line("turn_context", fmt.Sprintf(`"cwd":"/proj/lantern","model":"synth-%d"`, g.n/60))
	case 11:
		return line("event_msg", fmt.Sprintf(`"type":"task_complete","last_agent_message":"answer %s %d"`, words, g.n-g.IntN(3)))
	case 12:
		return line("response_item", fmt.Sprintf(`"type":"reasoning","summary":[{"type":"summary_text","text":"think %s"}]`, words)) +
			line("event_msg", fmt.Sprintf(`"type":"agent_reasoning","text":"think %s"`, words))
	case 13:
		return line("event_msg", fmt.Sprintf(`"type":"novelty_%d"`, g.IntN(3)))
	case 14:
		switch g.IntN(6) {
		case 0:
			return line("event_msg", `"type":"thread_rolled_back","num_turns":1`)
		case 1:
			return line("event_msg", `"type":"turn_aborted","reason":"interrupted"`)
		case 2:
			return line("compacted", `"message":"summary `+words+`"`)
		}
		return line("event_msg", fmt.Sprintf(`"type":"thread_name_updated","thread_name":"Name %d"`, g.IntN(4)))
	}
	return line("response_item", fmt.Sprintf(`"type":"message","role":"assistant","content":[{"type":"strange","text":"x"},{"type":"output_text","text":"more %s %d"}]`, words, g.n))
}

// history returns the lines of what was typed since.
func (g *growing) history() string {
	var b strings.Builder
	for _, p := range g.prompts {
		g.typed++
		fmt.Fprintf(&b, `{"display":%q,"pastedContents":{},"timestamp":%d,"project":"/proj/lantern","sessionId":%q}`+"\n",
			p, time.Date(2026, 3, 1, 10, 0, g.n, 0, time.UTC).UnixMilli()-int64(g.IntN(3000)), g.session)
	}
	g.prompts = nil
	return b.String()
}

func (m *machine) append(name, text string) {
	m.t.Helper()
	path := filepath.Join(m.home, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		m.t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		m.t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		m.t.Fatal(err)
	}
}

// accounts returns what each evidence contributes to each conversation.
func (m *machine) accounts() map[string]string {
	m.t.Helper()
	at, err := ingest.IndexDir(m.dir)
	if err != nil {
		m.t.Fatal(err)
	}
	x, err := index.Open(at, index.ReaderOptions{})
	if err != nil {
		m.t.Fatal(err)
	}
	defer x.Close()
	evidences, err := x.Evidences()
	if err != nil {
		m.t.Fatal(err)
	}
	out := map[string]string{}
	for _, e := range evidences {
		linked, err := x.LinkedTo(e.ID)
		if err != nil {
			m.t.Fatal(err)
		}
		var b strings.Builder
		fmt.Fprintf(&b, "%+v %+v %q\n", e.Ledger, e.Losses, e.Failure)
		for _, l := range linked {
			links, err := x.Links(l.Conversation)
			if err != nil {
				m.t.Fatal(err)
			}
			for _, k := range links {
				if k.Evidence == e.ID {
					fmt.Fprintf(&b, "%s %d %+v %+v\n", l.Conversation, k.Messages, k.Ledger, k.Losses)
				}
			}
		}
		out[e.Path] = b.String()
	}
	return out
}

// grown checks that a home which was imported again and again, while it grew, is told as if it were imported once. It
// returns how many of the imports read less than the file.
func grown(t *testing.T, seed uint64, steps int, path func(*growing) string, lines func(*growing) string) (short int) {
	t.Helper()
	m := newMachine(t)
	g := &growing{Rand: rand.New(rand.NewPCG(seed, 1)), session: sessionA}
	resume := func(o *ingest.Options) { o.Resume(1, 6<<10) }
	half := ""
	for step := range steps {
		text := half
		for range 6 + g.IntN(12) {
			text += lines(g)
		}
		half = ""
		if g.IntN(6) == 0 { // the last line is half-written
			cut := len(text) - 1 - g.IntN(20)
			text, half = text[:cut], text[cut:]
		}
		m.append(path(g), text)
		if g.IntN(3) == 0 {
			m.append(".claude/history.jsonl", g.history())
		}
		r := m.imports(resume)
		if r.BytesRead < size(t, m, path(g)) {
			short++
		}
		if step%8 != 7 && step != steps-1 {
			continue
		}
		once := &machine{t: t, home: m.home, dir: filepath.Join(t.TempDir(), "once")}
		once.imports()
		// Scores depend on how documents are spread over segments, so hits are compared as a set.
		if d := cmp.Diff(sorted(once.tell("answer", "role:user")), sorted(m.tell("answer", "role:user"))); d != "" {
			t.Fatalf("seed %d, step %d: (-once +grown):\n%s", seed, step, d)
		}
		if d := cmp.Diff(once.accounts(), m.accounts()); d != "" {
			t.Fatalf("seed %d, step %d: accounts (-once +grown):\n%s", seed, step, d)
		}
	}
	return short
}

func sorted(x told) told {
	for q, hits := range x.Found {
		lines := strings.Split(hits, "\n")
		slices.Sort(lines)
		x.Found[q] = strings.Join(lines, "\n")
	}
	return x
}

func rolloutPath(g *growing) string {
	return ".codex/sessions/2026/03/01/rollout-2026-03-01T10-00-00-" + g.session + ".jsonl"
}

func size(t *testing.T, m *machine, name string) int64 {
	t.Helper()
	info, err := os.Stat(filepath.Join(m.home, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

func TestGrownEqualsImportedOnce(t *testing.T) {
	seeds, steps := 2, 24
	if os.Getenv("LORE_TEST_LONG") != "" {
		seeds, steps = 12, 50
	}
	claude, codex := 0, 0
	for seed := range seeds {
		c := grown(t, uint64(seed), steps, func(g *growing) string { return sessionPath(g.session) }, (*growing).claude)
		x := grown(t, uint64(seed), steps, rolloutPath, (*growing).codex)
		t.Logf("of %d imports, %d and %d read only what was new", steps, c, x)
		claude, codex = claude+c, codex+x
	}
	if min(claude, codex) < seeds*steps/6 {
		t.Errorf("only %d and %d of %d imports went on where the one before had ended", claude, codex, seeds*steps)
	}
}
