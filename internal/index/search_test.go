package index

import (
	"context"
	"fmt"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lore"
	"lore/internal/query"
)

// ask parses and asks a question.
func ask(t testing.TB, r *Reader, q string, o Options) *Result {
	t.Helper()
	tree, _, err := query.Parse(q, query.Env{Now: time.Unix(1_700_000_000, 0), Zone: time.UTC})
	if err != nil {
		t.Fatalf("%q: %v", q, err)
	}
	res, err := r.Search(context.Background(), tree, o)
	if err != nil {
		t.Fatalf("%q: %v", q, err)
	}
	return res
}

// natives lists the native ids of the messages that were found exactly, sorted; looser hits are marked by their tier.
func natives(t testing.TB, r *Reader, res *Result, of ...*lore.Conversation) []string {
	t.Helper()
	name := map[lore.ID]string{}
	for _, c := range of {
		for i := range c.Messages {
			name[c.Messages[i].ID] = c.Messages[i].Native
		}
	}
	out := []string{}
	for _, h := range res.Hits {
		n := name[h.Message]
		if h.Tier != TierExact {
			n += " " + string(h.Tier)
		}
		out = append(out, n)
	}
	sort.Strings(out)
	return out
}

// spoken is a conversation of a user's messages, named a, b, c, ...
func spoken(native string, texts ...string) *lore.Conversation {
	var all []lore.Message
	for i, s := range texts {
		role := lore.User
		if i%2 == 1 {
			role = lore.Assistant
		}
		all = append(all, say(string(rune('a'+i)), role, words(s)))
	}
	return talk(native, all...)
}

func TestQueries(t *testing.T) {
	for _, group := range []struct {
		name  string
		texts []string
		want  map[string]string // question → messages
	}{
		{"SE01Literals", []string{"please commit with --no-verify today", "the wrong-book index", "value foo:bar set", "learn C++ and C#",
			"call f(x) now", `say "half quote`, "NOT AND OR NEAR are words", "star a*b caret ^x", "col: book only"},
			map[string]string{"--no-verify": "a", "wrong-book": "b", "foo:bar": "c", "C++": "d", "f(x)": "e", `"NOT AND"`: "g", "^x": "h",
				"-- no such text": ""}},
		{"SE02Paths", []string{"open src/api/user_store.go please", "mail ops@example.test", "bump to v2.1.3-beta", "load is 61.2% now",
			"see https://example.test/a?b=c#d", `in C:\Users\lamp\x.txt`},
			map[string]string{"src/api/user_store.go": "a", "user_store": "a", "api/user": "a", "ops@example.test": "b", "2.1.3": "c", "61.2%": "d",
				"a?b=c#d": "e", `C:\Users\lamp`: "f"}},
		{"SE03Wildcards", []string{"we are 100% sure", "we are 100 sure", "token a_b here", "token axb here", `path a\b there`},
			map[string]string{"100%": "a", "a_b": "c", `a\b`: "e"}},
		{"SE04Chinese", []string{"昨晚修复了灯塔的配置问题", "配置", "请检查数据库配置文件", "用户身份验证失败", "灯塔守护者"},
			map[string]string{"配置": "a b c", "灯塔": "a e", "用户身份": "d", "数据": "c", "守": "e", "昨晚": "a"}},
		{"SE07Numbers", []string{"bought 10 apples", "host 10.0.0.7 is up", "host 10.0.0.70 is down", "use node here", "use node.js here"},
			map[string]string{"10.0.0.7": "b", "node.js": "e"}},
		{"SE12Letters", []string{"edit naïve.js", "edit nai\u0308ve.css", "Die Straße ist lang", "İstanbul ve Izmir", "an exact phrase here",
			"a phrase exact there", "call getUserById(7)", "CALL GETUSERBYID"},
			map[string]string{"NAÏVE": "a b", "straße": "c", "strasse": "c", `"exact phrase"`: "e", "getUserById": "g h", "user": "g"}},
		{"Booleans", []string{"red lamp", "red tide", "blue lamp", "green"},
			map[string]string{"red lamp": "a", "red OR blue": "a b c", "lamp -red": "c", "lamp NOT blue": "a", "(red OR green) -tide": "a d", "gre*": "d"}},
	} {
		t.Run(group.name, func(t *testing.T) {
			c := spoken("one", group.texts...)
			r := stored(t, c)
			for q, want := range group.want {
				got := strings.Join(natives(t, r, ask(t, r, q, Options{All: true, Strict: true}), c), " ")
				if got != want {
					t.Errorf("%q: found %q, want %q", q, got, want)
				}
			}
		})
	}
}

func TestFilters(t *testing.T) {
	a := talk("one", say("u", lore.User, words("saffron one")),
		say("a", lore.Assistant, lore.Part{Kind: lore.Call, Name: "Edit", Text: `{"file_path":"/proj/lantern/src/main.go","old":"saffron"}`}),
		say("t", lore.Tool, lore.Part{Kind: lore.Result, Text: "saffron failed", Name: "Edit", IsError: true}))
	a.Messages[1].Model, a.Project = "lantern-opus-4", lore.Project{Dir: "/proj/lantern", Name: "lantern", Branch: "main"}
	b := talk("two", say("v", lore.User, words("saffron two")))
	b.Source, b.Kind, b.Title, b.TitleFrom = "codex", lore.Subagent, "Harbour lights", lore.TitleFromSource
	b.ID = lore.ConversationID(b.Source, b.Native)
	r := stored(t, a, b)
	for q, want := range map[string]string{
		"saffron":                         "a t u v",
		"saffron role:user":               "u",
		"saffron role:user type:subagent": "v",
		"saffron source:codex":            "v",
		"saffron -source:codex":           "a t u",
		"saffron project:lantern":         "a t u",
		"saffron project:/proj":           "a t u",
		"saffron branch:main kind:result": "t",
		"saffron model:opus":              "a",
		"saffron tool:edit":               "a",
		"file:main.go":                    "a",
		"file:src/main.go":                "a",
		"file:other.go":                   "",
		"has:error":                       "t",
		"has:call":                        "a",
		"is:active saffron -has:call":     "t u v",
		"title:harbour saffron":           "v",
		"since:2023-11-14 saffron one":    "u",
		"until:2023-11-13 saffron":        "",
		"id:" + b.ID.String()[:8]:         "v",
		"harbour":                         "v", // by its title
	} {
		got := strings.Join(natives(t, r, ask(t, r, q, Options{All: true, Strict: true}), a, b), " ")
		if got != want {
			t.Errorf("%q: found %q, want %q", q, got, want)
		}
	}
}

func TestOneHitForEachConversation(t *testing.T) {
	r := stored(t, spoken("one", "lamp", "lamp lamp", "the lamp"), spoken("two", "a lamp"))
	res := ask(t, r, "lamp", Options{})
	if len(res.Hits) != 2 || res.Total != 2 || res.Hits[0].More+res.Hits[1].More != 2 {
		t.Errorf("%d hits of %d, %+v", len(res.Hits), res.Total, res.Hits)
	}
	if res := ask(t, r, "lamp", Options{All: true}); len(res.Hits) != 4 || res.Hits[0].Conversation.ID == res.Hits[1].Conversation.ID {
		t.Errorf("all: %d hits; the second is of another conversation", len(res.Hits))
	}
}

func TestPagesFollowEachOther(t *testing.T) {
	var all []*lore.Conversation
	for i := range 9 {
		all = append(all, spoken(fmt.Sprint(i), strings.Repeat("lamp ", i+1)+"word"))
	}
	r := stored(t, all...)
	want := ask(t, r, "lamp word", Options{})
	var got []Hit
	for from := 0; from < 9; from += 4 {
		page := ask(t, r, "lamp word", Options{Limit: 4, Offset: from})
		if page.Total != 9 || page.More != (from+4 < 9) {
			t.Errorf("page at %d: total %d, more %v", from, page.Total, page.More)
		}
		got = append(got, page.Hits...)
	}
	if diff := cmp.Diff(hitIDs(want.Hits), hitIDs(got)); diff != "" {
		t.Error(diff)
	}
}

func hitIDs(hits []Hit) (out []string) {
	for _, h := range hits {
		out = append(out, h.Message.Short())
	}
	return out
}

func TestSE08CopiesFold(t *testing.T) {
	texts := []string{"shared turn saffron", "same answer"}
	first := spoken("one", texts...)
	all := []*lore.Conversation{first}
	for i := 2; i <= 4; i++ {
		c := spoken(fmt.Sprint(i), append(texts, "unique turn saffron tail")[:2+i/4]...)
		c.Lineage = &lore.Lineage{Kind: lore.Fork, Of: first.ID, Shared: 2}
		all = append(all, c)
	}
	r := stored(t, all...)
	res := ask(t, r, "saffron", Options{All: true})
	if len(res.Hits) != 2 || res.Total != 2 {
		t.Fatalf("%d hits", len(res.Hits))
	}
	for _, h := range res.Hits {
		if want := map[bool]int{true: 3, false: 0}[strings.Contains(h.Snippet, "shared")]; len(h.AlsoIn) != want {
			t.Errorf("%q is also in %d, want %d", h.Snippet, len(h.AlsoIn), want)
		}
	}
}

func TestEqualTextsFold(t *testing.T) {
	long := "a sentence of the keeper about the lamp, well over forty characters"
	r := stored(t, spoken("one", long, "x", long), spoken("two", long), spoken("three", "lamp"), spoken("four", "lamp"))
	res := ask(t, r, "lamp", Options{All: true})
	copies := map[int]int{}
	for _, h := range res.Hits {
		copies[len(h.AlsoIn)]++
	}
	// The long text twice in one conversation is two hits, one of them also in the other; short texts stay apart.
	if diff := cmp.Diff(map[int]int{1: 1, 0: 3}, copies); diff != "" {
		t.Error(diff)
	}
}

func TestTiers(t *testing.T) {
	r := stored(t, spoken("one", "the migration was rolled back", "we decided to keep the cache warm"), spoken("two", "lighthouse keeper"))
	for _, test := range []struct {
		q    string
		tier Tier
		hits int
	}{
		{"migration rolled", TierExact, 1},
		{"lighthuose", TierSpelling, 1},
		{"migration lighthouse", TierAny, 2},
		{"a/b-missing", TierExact, 0}, // a single literal wants just that
		{"zzzz", TierExact, 0},
		{"migration -rolled", TierExact, 0},
	} {
		res := ask(t, r, test.q, Options{})
		if res.Tier != test.tier || len(res.Hits) != test.hits {
			t.Errorf("%q: tier %q with %d hits, want %q with %d", test.q, res.Tier, len(res.Hits), test.tier, test.hits)
		}
		for _, h := range res.Hits {
			if h.Tier != test.tier {
				t.Errorf("%q: a hit of tier %q", test.q, h.Tier)
			}
		}
	}
}

func TestHitSaysWhereItStands(t *testing.T) {
	dir := t.TempDir()
	w := openWriter(t, dir)
	if err := w.PutEvidence(Evidence{ID: 1, Path: "~/x/one.jsonl"}); err != nil {
		t.Fatal(err)
	}
	c := spoken("one", "keep the lamp lit")
	c.Messages[0].Origins[0].Row = "items/k"
	put(t, w.Session(), c, 1)
	commit(t, w)
	h := ask(t, open(t, dir), "lamp", Options{}).Hits[0]
	want := Hit{Conversation: h.Conversation, Message: c.Messages[0].ID, Content: c.Messages[0].ContentID, Role: lore.User, Active: true,
		Kind: lore.Text, At: c.Messages[0].At, Score: h.Score, Tier: TierExact, Snippet: "keep the lamp lit", Ranges: [][2]int{{9, 13}},
		Evidence: 1, Origin: c.Messages[0].Origins[0]}
	if diff := cmp.Diff(want, h, cmp.Comparer(func(a, b lore.Time) bool { return a == b })); diff != "" {
		t.Error(diff)
	}
}

// TestSE11LongPaste finds a needle at the end of a text that the document store cuts, and shows it.
func TestSE11LongPaste(t *testing.T) {
	paste := strings.Repeat("潮汐 ", 30_000) + "needle tansy-se11 海"
	c := spoken("one", paste, "long indeed")
	raw := []byte(`{"type":"user","message":{"content":"` + strings.ReplaceAll(paste, "海", `\u6d77`) + `"}}`)
	dir := t.TempDir()
	w := openWriter(t, dir)
	put(t, w.Session(), c, 1)
	commit(t, w)
	asked := 0
	r, err := Open(dir, ReaderOptions{Raw: func(evidence, offset, length int64) ([]byte, error) {
		asked++
		return raw, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	res := ask(t, r, "tansy-se11", Options{})
	if len(res.Hits) != 1 || !strings.Contains(res.Hits[0].Snippet, "tansy-se11 海") || !res.TotalIsExact {
		t.Errorf("%+v", res)
	}
	if asked == 0 {
		t.Error("the evidence was not read")
	}
	// Without the evidence a literal cannot be seen, and the total says so.
	if res := ask(t, open(t, dir), "tansy-se11", Options{Strict: true}); len(res.Hits) != 0 || res.TotalIsExact {
		t.Errorf("without evidence: %+v", res)
	}
}

func TestBulkIsIndexedAtBothEnds(t *testing.T) {
	var b strings.Builder
	b.WriteString("headneedle ")
	for i := range 40_000 {
		fmt.Fprintf(&b, "line%d ", i)
	}
	b.WriteString("tailneedle")
	c := talk("one", say("t", lore.Tool, lore.Part{Kind: lore.Result, Text: b.String()}))
	r := stored(t, c)
	for q, want := range map[string]int{"headneedle": 1, "tailneedle": 1, "line25000": 0} {
		if res := ask(t, r, q, Options{Strict: true}); len(res.Hits) != want {
			t.Errorf("%q: %d hits", q, len(res.Hits))
		}
	}
}

// TestCC41SideFile verifies a literal in the middle of a text that does not stand in its unit.
func TestCC41SideFile(t *testing.T) {
	text := strings.Repeat("seq ", 5000) + "jasmine-cc41 " + strings.Repeat("seq ", 5000)
	r := stored(t, talk("one", say("t", lore.Tool, lore.Part{Kind: lore.Result, Text: text})))
	if res := ask(t, r, "jasmine-cc41", Options{Strict: true}); len(res.Hits) != 1 || !res.TotalIsExact {
		t.Errorf("%+v", res)
	}
}

func TestVerifyBound(t *testing.T) {
	var texts []string
	for i := range 20 {
		texts = append(texts, fmt.Sprintf("node js and node.js %d", i))
	}
	r := stored(t, spoken("one", texts...))
	if res := ask(t, r, "node.js", Options{All: true, Verify: 5}); res.TotalIsExact || res.Total != 5 {
		t.Errorf("bounded: %d, exact %v", res.Total, res.TotalIsExact)
	}
	if res := ask(t, r, "node.js", Options{All: true}); !res.TotalIsExact || res.Total != 20 {
		t.Errorf("unbounded: %d, exact %v", res.Total, res.TotalIsExact)
	}
}

func TestList(t *testing.T) {
	a, b := spoken("one", "red lamp"), spoken("two", "blue lamp")
	b.EndedAt = lore.NewTime(1_800_000_000e9, 0, false)
	b.Project = lore.Project{Dir: "/proj/x", Name: "x"}
	b.Lineage = &lore.Lineage{Kind: lore.Continuation, Of: a.ID}
	r := stored(t, a, b)
	for q, want := range map[string]string{
		"": "two one", "lamp": "two one", "red": "one", "project:x": "two", "-project:x": "one", "role:user": "two one", "is:continuation": "two",
		"is:fork": "", "project:x OR red": "two one", "source:nothing": "",
	} {
		tree, _, err := query.Parse(q, query.Env{})
		if err != nil {
			t.Fatal(err)
		}
		l, err := r.List(context.Background(), tree, ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range l.Entries {
			got = append(got, e.Native)
		}
		if g := strings.Join(got, " "); g != want || l.Total != len(got) {
			t.Errorf("%q: %q of %d, want %q", q, g, l.Total, want)
		}
	}
	l, err := r.List(context.Background(), query.Query{}, ListOptions{Limit: 1, Offset: 1})
	if err != nil || len(l.Entries) != 1 || l.Entries[0].Native != "one" || l.Total != 2 || l.More {
		t.Errorf("second page: %+v, %v", l, err)
	}
}

// TestLongList lists more conversations than are asked for one by one.
func TestLongList(t *testing.T) {
	var all []*lore.Conversation
	for i := range manyEntries + 5 {
		c := spoken(fmt.Sprintf("%03d", i), "lamp")
		c.EndedAt = lore.NewTime(int64(2e9+i)*1e9, 0, false)
		all = append(all, c)
	}
	l, err := stored(t, all...).List(context.Background(), query.Query{}, ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range l.Entries {
		if want := all[len(all)-1-i].Native; e.Native != want {
			t.Fatalf("place %d: %s, want %s", i, e.Native, want)
		}
	}
	if l.Total != len(all) || len(l.Entries) != len(all) {
		t.Errorf("%d of %d", len(l.Entries), l.Total)
	}
}

// TestWordInLongerWords finds a literal inside of longer identifiers, also where it takes a look through all terms.
func TestWordInLongerWords(t *testing.T) {
	long := strings.Repeat("segment_", 12)
	texts := []string{"the user_store", "my_user_store_two", "a user of the store", long + "user_store_" + long, "xuser_store"}
	for range scanTerms {
		texts = append(texts, "a user, then a store")
	}
	var all []lore.Message
	for i, s := range texts {
		all = append(all, say(fmt.Sprint("m", i), lore.User, words(s)))
	}
	c := talk("one", all...)
	r := stored(t, c)
	got := natives(t, r, ask(t, r, "user_store", Options{All: true, Strict: true}), c)
	if diff := cmp.Diff([]string{"m0", "m1", "m3"}, got); diff != "" {
		t.Error(diff)
	}
}
