package text

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// found returns the matches, each in brackets.
func found(m *Matcher, text string) string {
	var b strings.Builder
	at := 0
	for {
		r, ok := m.Find(text, at)
		if !ok {
			return b.String() + text[at:]
		}
		b.WriteString(text[at:r.Start] + "[" + text[r.Start:r.End] + "]")
		at = r.End
	}
}

func TestFind(t *testing.T) {
	for _, c := range []struct {
		m    *Matcher
		want string // a text with its matches in brackets
	}{
		{Word("store"), "[store] [Store] user_[store] [Store]Front my[Store] stores restore"},
		{Word("getUserById"), "call [getUserById](7) [GETUSERBYID] getUserByIds"},
		{Word("server"), "HTTP[Server] SERVERS [server]2"},
		{Word("NAÏVE"), "[naïve].js [nai\u0308ve].css [naive] naives"},
		{Word("strasse"), "Die [Straße] [STRASSE] Straßen"},
		{Word("straße"), "Die [Straße] [STRASSE]"},
		{Word("s"), "ß [S]"},
		{Word("istanbul"), "[İstanbul] [ISTANBUL] [I\u0307stanbul]"},
		{Word("full12"), "[Ｆｕｌｌ１２]"},
		{Word("灯塔"), "昨晚修复了[灯塔]的配置 [灯塔]守护者"},
		{Word("守"), "灯塔[守]护者"},
		{Word("docker部署"), "使用[docker部署]了 docker 部署"},
		{Word("が"), "[か\u3099] か カ"},
		{Word("한글"), "[한글] [\u1112\u1161\u11ab\u1100\u1173\u11af] 하글"},
		{Word("red"), "\x1b[31m[red]\x1b[0mreds \x1b[1;31m[Red]"},
		{Word("e"), "[e\u0301] [é] ée"},
		{Literal("wrong-book"), "the [wrong-book] index, Wrong-Books, wrong book"},
		{Literal("C++"), "learn [C++] and C# [c++]17 ObjC"},
		{Literal("100%"), "we are [100%] sure 1100% 100 sure"},
		{Literal("a_b"), "token [a_b] here axb [A_B]_c data_base"},
		{Literal(`a\b`), `path [a\b] there a\\b`},
		{Literal("^x"), "star a*b caret [^x] ^xy"},
		{Literal("f(x)"), "call [f(x)] now"},
		{Literal(`"half`), `say ["half] quote`},
		{Literal("2.1.3"), "v[2.1.3]-beta 2.1.30 12.1.3"},
		{Literal("10.0.0.7"), "host [10.0.0.7] is up, 10.0.0.70 is not"},
		{Literal("node.js"), "use [node.js] here, node js, [NODE.JS]"},
		{Literal("api/user"), "src/[api/user]_store.go api/users"},
		{Literal("--no-verify"), "with [--no-verify] today [--No-Verify]-ssl"},
		{Literal("naïve.js"), "[naïve.js] [nai\u0308ve.js] [NAIVE.JS]"},
		{Literal("don't"), "I [don’t] and [don't]"},
		{Literal("x=１％"), "[x=1%]"},
		{Phrase("exact phrase"), "an [exact phrase] here, [exact, phrase], [exact\n  phrase], phrase exact, exact a phrase"},
		{Phrase("C++ code"), "[C++ code] [C++, code] C code"},
		{Phrase("NOT AND"), "[NOT AND] OR NEAR"},
		{Phrase("a - b"), "[a - b] a-b"},
		{Phrase("red fox"), "\x1b[31m[red\x1b[0m fox]"},
		{Phrase("灯塔 配置"), "[灯塔 配置] 灯塔配置"},
		{Prefix("us"), "[us] [Us]er get[Us]er bus"},
		{Prefix("src/ap"), "[src/ap]i.go [SRC/AP] src/a"},
		{Substring("UserBy"), "call get[UserBy]Id(7) CALL GET[USERBY]ID"},
		{Substring("\xed\xa0\xbd"), "x[\xed\xa0\xbd]y \xed\xa0\xbe"},
		{Word(""), "nothing"},
		{Word("\u0301"), "nothing e\u0301"},
	} {
		text := strings.NewReplacer("\x1b[", "\x1b[", "[", "", "]", "").Replace(c.want)
		if diff := cmp.Diff(c.want, found(c.m, text)); diff != "" {
			t.Errorf("%q in %q (-want +got):\n%s", c.m.text, text, diff)
		}
	}
}

func TestMatcherTerms(t *testing.T) {
	for _, c := range []struct {
		name string
		m    *Matcher
		want Terms
	}{
		{"word", Word("Store"), Terms{All: []string{"store"}, Exact: true}},
		{"word in camel case", Word("getUserById"), Terms{All: []string{"getuserbyid"}, Exact: true}},
		{"accents", Word("Naïve"), Terms{All: []string{"naive"}, Exact: true}},
		{"one character", Word("守"), Terms{All: []string{"守"}, Exact: true}},
		{"two characters", Word("配置"), Terms{All: []string{"配置"}, Exact: true}},
		{"four characters", Word("用户身份"), Terms{All: []string{"用户", "户身", "身份"}}},
		{"two scripts", Word("docker部署"), Terms{All: []string{"docker", "部署"}}},
		{"identifier", Literal("user_store"), Terms{All: []string{"user", "store"}, Enough: "user_store"}},
		{"short identifier", Literal("a_b"), Terms{All: []string{"a_b"}, Exact: true}},
		{"path", Literal("src/user_api/my_store.go"), Terms{All: []string{"src", "user_api", "my_store", "go"}}},
		{"edge", Literal("api/my_store"), Terms{All: []string{"api", "my", "store"}}},
		{"capitals are not borders", Literal("x/getUser"), Terms{All: []string{"x", "getuser"}}},
		{"version", Literal("v2.1.3"), Terms{All: []string{"v2", "1", "3"}}},
		{"percent", Literal("100%"), Terms{All: []string{"100"}}},
		{"flag", Literal("--no-verify"), Terms{All: []string{"no", "verify"}}},
		{"signs", Literal("=>"), Terms{}},
		{"phrase", Phrase(" exact  phrase "), Terms{All: []string{"exact", "phrase"}}},
		{"phrase of a word", Phrase("Exact"), Terms{All: []string{"exact"}, Exact: true}},
		{"prefix", Prefix("getUs"), Terms{Prefix: "getus", Exact: true}},
		{"prefix of an identifier", Prefix("user_st"), Terms{All: []string{"user"}, Prefix: "st"}},
		{"prefix of a path", Prefix("src/ap"), Terms{All: []string{"src"}, Prefix: "ap"}},
		{"prefix of a run", Prefix("配置"), Terms{All: []string{"配置"}, Exact: true}},
		{"substring", Substring("UserBy"), Terms{}},
		{"substring with a whole word", Substring("r-by-i"), Terms{All: []string{"by"}}},
		{"too long", Word(strings.Repeat("x", 300)), Terms{}},
	} {
		if diff := cmp.Diff(c.want, c.m.Terms()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// Where a matcher of a text without gaps in it matches, the terms that it names are terms of the text.
func TestMatchesHaveTerms(t *testing.T) {
	texts := []string{
		"call getUserById(7) CALL GETUSERBYID user_store my_user_store.go v2.1.3-beta host 10.0.0.7 10.0.0.70",
		"Die Straße ist lang, naïve.js, İstanbul ve Izmir, 使用docker部署, 灯塔守护者 か\u3099", "x86_64 E0308 sha256Sum HTTPServer URLs",
	}
	for _, text := range texts {
		have := map[string]bool{}
		NewAnalyzer().Tokens(text, func(term []byte) { have[string(term)] = true })
		for start, end, _ := Next(text, 0); start < len(text); start, end, _ = Next(text, end) {
			word := text[start:end]
			for _, m := range []*Matcher{Word(word), Literal(word), Prefix(word), Literal(strings.ToUpper(word))} {
				need := m.Terms()
				if !m.Matches(text) || need.Enough != "" && have[need.Enough] {
					continue
				}
				for _, term := range need.All {
					if !have[term] {
						t.Errorf("%q matches %q, which has no term %q", word, text, term)
					}
				}
			}
		}
	}
}

func FuzzMatch(f *testing.F) {
	f.Add("Straße ist lang", "strasse")
	f.Add("か\u3099 \x1b[31mred \xed\xa0\xbd\xff", "が")
	f.Fuzz(func(t *testing.T, text, needle string) {
		last := 0
		NewAnalyzer().Tokens(text, func(term []byte) {
			if len(term) == 0 || len(term) > MaxTerm || utf8.ValidString(text) && !utf8.Valid(term) {
				t.Errorf("term %q of %q", term, text)
			}
		})
		for start, end, _ := Next(text, 0); start < len(text); start, end, _ = Next(text, end) {
			if start < last || end <= start || end > len(text) {
				t.Fatalf("word %d:%d after %d in %q", start, end, last, text)
			}
			last = end
		}
		for _, make := range []func(string) *Matcher{Word, Literal, Phrase, Prefix, Substring} {
			m := make(needle)
			m.Terms()
			m.Separate()
			for from, r, ok := 0, (Range{}), true; ok; from = r.End {
				if r, ok = m.Find(text, from); ok && (r.Start < from || r.End <= r.Start || r.End > len(text)) {
					t.Fatalf("%q in %q from %d: %v", needle, text, from, r)
				}
			}
		}
		if ranges := Matches(text, []*Matcher{Substring(needle), Word("the")}, 8); len(text) < 1<<16 {
			checkSnippet(t, text, ranges)
		}
	})
}

func BenchmarkFind(b *testing.B) {
	prose := strings.Repeat("The importer reads every line of the file once, and it never follows a link out of it. ", 1000)
	tide := strings.Repeat("潮汐 ", 20_000)
	for _, c := range []struct {
		name, text string
		m          *Matcher
	}{
		{"rare word", prose, Word("zebra")},
		{"common first letter", prose, Literal("torch-light")},
		{"phrase", prose, Phrase("the filter once")},
		{"word in chinese", tide, Literal("tansy-se11")},
		{"chinese word", tide, Word("潮涌")},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			b.ReportAllocs()
			for b.Loop() {
				if c.m.Matches(c.text) {
					b.Fatal("found")
				}
			}
		})
	}
}
