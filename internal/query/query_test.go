package query

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// testEnv is the environment of the tests and of the examples in docs/QUERY.md: Tuesday, 10 March 2026, 15:30 in Berlin.
func testEnv(t testing.TB) Env {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	return Env{
		Now:     time.Date(2026, 3, 10, 15, 30, 0, 0, berlin),
		Zone:    berlin,
		Sources: []string{"claude-code", "codex", "cursor", "copilot", "gemini-cli"},
		Home:    "/home/ada",
		Dir:     "/home/ada/lantern",
	}
}

// tree writes a tree with the kinds of its nodes.
func tree(n Node) string {
	list := func(name string, of []Node) string {
		parts := make([]string, len(of))
		for i, n := range of {
			parts[i] = tree(n)
		}
		return name + "(" + strings.Join(parts, ", ") + ")"
	}
	switch n := n.(type) {
	case nil:
		return "everything"
	case And:
		return list("and", n.Of)
	case Or:
		return list("or", n.Of)
	case Not:
		return "not(" + tree(n.Of) + ")"
	case Word:
		return "word " + n.Text
	case Literal:
		return "literal " + n.Text
	case Phrase:
		return "phrase " + n.Text
	case Prefix:
		return "prefix " + n.Text
	case Match:
		if n.Glob {
			return string(n.Field) + " like " + n.Value
		}
		return string(n.Field) + " " + n.Value
	case Exists:
		return "any " + string(n.Field)
	case When:
		from, to := "", ""
		if !n.From.IsZero() {
			from = " from " + short(n.From)
		}
		if !n.To.IsZero() {
			to = " to " + short(n.To)
		}
		return "time" + from + to
	}
	return "?"
}

// short writes a time without what is zero in it.
func short(t time.Time) string {
	return strings.TrimSuffix(strings.TrimSuffix(t.Format("2006-01-02 15:04:05"), ":00"), " 00:00")
}

func codes(warnings []Warning) string {
	var all []string
	for _, w := range warnings {
		all = append(all, strings.TrimSpace(w.Code+" "+w.DidYouMean))
	}
	return strings.Join(all, "; ")
}

func TestParse(t *testing.T) {
	for _, c := range []struct{ text, tree, print, warnings string }{
		{"", "everything", "", ""},
		{" \n\t", "everything", "", ""},
		{"lamp", "word lamp", "lamp", ""},
		{"lamp light", "and(word lamp, word light)", "lamp light", ""},
		{"lamp AND light", "and(word lamp, word light)", "lamp light", ""},
		{"lamp OR light", "or(word lamp, word light)", "lamp OR light", ""},
		{"a OR b role:user", "and(or(word a, word b), role user)", "(a OR b) role:user", ""},
		{"a AND b OR c AND d", "or(and(word a, word b), and(word c, word d))", "(a b) OR (c d)", ""},
		{"(a b) OR c", "or(and(word a, word b), word c)", "(a b) OR c", ""},
		{"a (b OR (c d)) e", "and(word a, or(word b, and(word c, word d)), word e)", "a (b OR (c d)) e", ""},
		{"a (b c)", "and(word a, word b, word c)", "a b c", ""},
		{"NOT a b", "and(not(word a), word b)", "-a b", ""},
		{"-a -(b c)", "and(not(word a), not(and(word b, word c)))", "-a -(b c)", ""},
		{"NOT NOT a", "word a", "a", ""},
		{"NOT --force", "not(literal --force)", "NOT --force", ""},
		{`-"a b" -role:user -x/y`, "and(not(phrase a b), not(role user), not(literal x/y))", `-"a b" -role:user -x/y`, ""},
		{"naïve 灯塔 nai\u0308ve v2", "and(word naïve, word 灯塔, word nai\u0308ve, word v2)", "naïve 灯塔 nai\u0308ve v2", ""},
		{"us* src/ap* a*b *x x** *", "and(prefix us, prefix src/ap, literal a*b, literal *x, literal x**, literal *)", "us* src/ap* a*b *x x** *", ""},

		// What only looks like syntax is text.
		{"--no-verify", "literal --no-verify", "--no-verify", ""},
		{"-- no such text", "and(literal --, word no, word such, word text)", "-- no such text", ""},
		{"-> a - b", "and(literal ->, word a, literal -, word b)", "-> a - b", ""},
		{"a/b C++ 100% ^x a_b node.js f(x)", "and(literal a/b, literal C++, literal 100%, literal ^x, literal a_b, literal node.js, literal f(x))", "a/b C++ 100% ^x a_b node.js f(x)", ""},
		{`C:\x https://a.b/c?d=e std::vector localhost:8080 x:=1`, `and(literal C:\x, literal https://a.b/c?d=e, literal std::vector, literal localhost:8080, literal x:=1)`, `C:\x https://a.b/c?d=e std::vector localhost:8080 x:=1`, ""},
		{"Note: x", "and(literal Note:, word x)", "Note: x", ""},
		{"foo:bar", "literal foo:bar", "foo:bar", "unknown_field"},
		{"rolle:user", "literal rolle:user", "rolle:user", "unknown_field role:user"},
		{"Role:user", "literal Role:user", "Role:user", "unknown_field role:user"},
		{"author:user", "literal author:user", "author:user", "unknown_field role:user"},
		{`foo:"a b" c`, `and(phrase foo:"a b", word c)`, `"foo:\"a b\"" c`, "unknown_field"},
		{"role: user", "and(phrase role:, word user)", `"role:" user`, "empty_field"},
		{"file:///etc/hosts", "phrase file:///etc/hosts", `"file:///etc/hosts"`, ""},
		{"on:click", "phrase on:click", `"on:click"`, "not_a_date"},
		{`"`, `phrase "`, `"\""`, "unbalanced_quote"},
		{`"half quote`, `and(phrase "half, word quote)`, `"\"half" quote`, "unbalanced_quote"},
		{`""`, `phrase ""`, `"\"\""`, ""},
		{`"key": "value"`, `and(phrase "key":, phrase value)`, `"\"key\":" "value"`, ""},
		{"“curly quotes”", "phrase curly quotes", `"curly quotes"`, ""},
		{`"a \"b\" \\ c\d"`, `phrase a "b" \ c\d`, `"a \"b\" \\ c\\d"`, ""},
		{"NOT", "phrase NOT", `"NOT"`, ""},
		{"AND", "phrase AND", `"AND"`, ""},
		{"OR a", "and(phrase OR, word a)", `"OR" a`, "lone_operator"},
		{"a OR", "and(word a, phrase OR)", `a "OR"`, "lone_operator"},
		{"a OR OR b", "and(word a, or(phrase OR, word b))", `a ("OR" OR b)`, "lone_operator"},
		{"NOT AND", "and(phrase NOT, phrase AND)", `"NOT" "AND"`, "lone_operator; lone_operator"},
		{"-OR", "not(phrase OR)", `-"OR"`, ""},
		{"(paren)", "phrase (paren)", `"(paren)"`, ""},
		{"(a) OR (b)", "or(word a, word b)", "a OR b", ""},
		{"-(a)", "not(word a)", "-a", ""},
		{"(us*)", "prefix us", "us*", ""},
		{"(half a", "and(phrase (half, word a)", `"(half" a`, "unbalanced_parenthesis"},
		{"half) a", "and(phrase half), word a)", `"half)" a`, ""},
		{"((a b) c", "and(phrase ((a, phrase b), word c)", `"((a" "b)" c`, "unbalanced_parenthesis"},
		{"foo() () ( )", `and(literal foo(), phrase (), phrase ( ))`, `foo() "()" "( )"`, ""},
		{"/proj/a b/c#d.go", "and(literal /proj/a, literal b/c#d.go)", "/proj/a b/c#d.go", ""},

		// Fields.
		{"source:codex agent:claude", "and(source codex, source claude-code)", "source:codex source:claude-code", ""},
		{"role:User,tool", "or(role user, role tool)", "role:user OR role:tool", ""},
		{"role:(user OR tool) kind:(call result)", "and(or(role user, role tool), or(kind call, kind result))", "(role:user OR role:tool) (kind:call OR kind:result)", ""},
		{"title:(foo bar)", "and(title foo, title bar)", "title:foo title:bar", ""},
		{`project:"my app" cwd:~/x project:.`, "and(project my app, project /home/ada/x, project /home/ada/lantern)", `project:"my app" project:/home/ada/x project:/home/ada/lantern`, ""},
		{`file:*.go file:"*.go" tool:mcp__*`, "and(file like *.go, file *.go, tool like mcp__*)", `file:*.go file:"*.go" tool:mcp__*`, ""},
		{"tag:* -has:loss is:fork", "and(any tag, not(has loss), is fork)", "tag:* -has:loss is:fork", ""},
		{"path:/home/ada/x.jsonl id:4f2k", "and(path /home/ada/x.jsonl, id 4f2k)", "path:/home/ada/x.jsonl id:4f2k", ""},
		{`title:"half open`, `and(title "half, word open)`, `title:"\"half" open`, "unbalanced_quote"},
		{"(file:a(b) OR x)", "or(file a(b), word x)", "file:a(b) OR x", ""},
	} {
		q, warnings, err := Parse(c.text, testEnv(t))
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		got := []string{tree(q.Root), q.String(), codes(warnings)}
		if diff := cmp.Diff([]string{c.tree, c.print, c.warnings}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.text, diff)
		}
		checkRoundTrip(t, q.Root)
	}
}

func checkRoundTrip(t *testing.T, root Node) {
	t.Helper()
	text := Print(root)
	again, _, err := Parse(text, testEnv(t))
	if err != nil {
		t.Errorf("%s: %v", text, err)
		return
	}
	if diff := cmp.Diff(root, again.Root, cmpopts.IgnoreTypes(Span{})); diff != "" {
		t.Errorf("%s reads back as another tree (-want +got):\n%s", text, diff)
	}
}

func TestSpans(t *testing.T) {
	const text = `lamp -"a b" (x OR role:user) on:2026-03-07`
	q, _, err := Parse(text, testEnv(t))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	Walk(q.Root, func(n Node, asked bool) { got = append(got, text[n.Where().From:n.Where().To]) })
	if diff := cmp.Diff([]string{"lamp", `"a b"`, "x", "role:user", "on:2026-03-07"}, got); diff != "" {
		t.Errorf("leaves (-want +got):\n%s", diff)
	}
	if at := q.Root.Where(); at != (Span{0, len(text)}) {
		t.Errorf("the root stands at %v", at)
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"role:banana", `unknown role "banana": use user, assistant, tool or system; quote the whole to search for it as text`},
		{"role:asistant", `unknown role "asistant": did you mean assistant? Valid are user, assistant, tool or system; quote the whole to search for it as text`},
		{"source:copilto", `unknown source "copilto": did you mean copilot? Valid are claude-code, codex, cursor, copilot or gemini-cli; quote the whole to search for it as text`},
		{"since:soon", "cannot read the date of since:soon: write 2026-03-07, 2026-03, 7d, 12h, yesterday or on:[2026-03-01 TO 2026-03-07]"},
		{"on:2026-02-30", "cannot read the date of on:2026-02-30: write 2026-03-07, 2026-03, 7d, 12h, yesterday or on:[2026-03-01 TO 2026-03-07]"},
		{"on:[2026-03-07 TO 2026-03-01]", "on:[2026-03-07 TO 2026-03-01] ends before it begins: turn the dates around"},
		{strings.Repeat("x ", MaxTerms+1), "the query has more than 10000 words and fields"},
		{strings.Repeat("x", MaxBytes+1), "the query has 1048577 bytes: at most 1048576 can be read"},
		{strings.Repeat("( ", 1001) + "x" + strings.Repeat(" )", 1001), "the query has more than 1000 parentheses inside each other"},
	} {
		_, _, err := Parse(c.text, testEnv(t))
		if err == nil {
			t.Errorf("%.40s: no error", c.text)
		} else if diff := cmp.Diff(c.want, err.Error()); diff != "" {
			t.Errorf("%.40s (-want +got):\n%s", c.text, diff)
		}
	}
}

// Questions that make a careless reader look for the same thing again and again.
func TestLongQuestions(t *testing.T) {
	for _, piece := range []string{`"`, "“ ", "“", "(", "( ", ") ", `title:( `, `title:(`, `on:[ `, `"a"b`, `\" `, "-", "- ", `role:"`, "NOT ", "a OR ", "(a) ", "foo:bar ", "foo:\"", "*", "x(", "()"} {
		text := strings.Repeat(piece, MaxBytes/4/len(piece))
		q, warnings, err := Parse(text, testEnv(t))
		if err == nil && len(Print(q.Root)) < 9*len(text) && len(warnings) < 100 {
			continue
		} else if err == nil {
			t.Errorf("%q: %d warnings", piece, len(warnings))
		}
	}
}

func TestAccepts(t *testing.T) {
	for _, c := range []struct {
		text, value string
		want        bool
	}{
		{"project:lantern", "Lantern", true},
		{"project:lantern", "/home/ada/lantern/web", true},
		{"project:lantern", "/home/ada/lantern2", false},
		{"project:~/lantern", "/home/ada/lantern/web", true},
		{"project:~/lantern", "/home/ada/lanterns", false},
		{"project:/lantern", "lantern", false},
		{`project:c:\work`, `C:\Work\site`, true},
		{"project:acme/billing", "/x/acme/billing", true},
		{"repo:acme/site", "git@example.test:acme/site.git", true},
		{"repo:https://example.test/acme/site", "git@example.test:acme/site.git", true},
		{"repo:acme/sit", "https://example.test/acme/site", false},
		{"branch:fix", "fix/totals", true},
		{"file:store.go", "/x/internal/store.go", true},
		{"file:internal/*.go", "/x/internal/store.go", true},
		{"file:*.go", "store.go.orig", false},
		{"model:opus", "claude-opus-4-1", true},
		{"model:gpt-5", "gpt-5.1-codex", true},
		{"model:gpt-5*", "gpt-50", true},
		{"model:op", "claude-opus-4", false},
		{"tool:bash", "Bash", true},
		{"tool:search", "mcp__lore__search", true},
		{"tool:mcp__*", "mcp__lore__search", true},
		{"id:4F2", "4f2kabc", true},
		{"role:user", "user", true},
		{"tag:a*c*", "abcd", true},
		{"tag:a*c*", "ab", false},
	} {
		q, _, err := Parse(c.text, testEnv(t))
		if err != nil {
			t.Fatal(err)
		}
		if got := q.Root.(Match).Accepts(c.value); got != c.want {
			t.Errorf("%s accepts %q: %v", c.text, c.value, got)
		}
	}
}

// TestQuoteIsReadBack: a folder of Windows or with quotes in its name is asked for as it stands.
func TestQuoteIsReadBack(t *testing.T) {
	for _, text := range []string{`a "b" c`, `\\server\share\`, `C:\work\`, `"`, `\`, `\"`, "role:user", "(", "灯塔 “x”"} {
		q, warnings, err := Parse("path:"+Quote(text)+" lamp", testEnv(t))
		if err != nil || len(warnings) > 0 {
			t.Fatal(text, warnings, err)
		}
		if got := q.Root.(And).Of[0].(Match).Value; got != text {
			t.Errorf("%q is read as %q", text, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		`lamp OR "a b" -(x y) role:user on:[2026-03-01 TO 2026-03-07}`, `((a b) c) "half role:(user tool) foo:"x y" us* -- NOT`,
		`title:"a*" file:*.go since:12h before:2026-03-07T15:04:05.5-08:00 “q” f(x) -)`,
		"on:[", "on:[ a OR on:{x", "role:(", "title:\x00(\xff",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q, _, err := Parse(text, testEnv(t))
		if err != nil {
			return
		}
		Walk(q.Root, func(n Node, _ bool) {
			if at := n.Where(); at.From < 0 || at.To < at.From || at.To > len(text) {
				t.Errorf("%#v stands at %v of %d bytes", n, at, len(text))
			}
		})
		checkRoundTrip(t, q.Root)
	})
}
