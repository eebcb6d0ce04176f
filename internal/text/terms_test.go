package text

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func terms(text string) string {
	var all []string
	NewAnalyzer().Tokens(text, func(term []byte) { all = append(all, string(term)) })
	return strings.Join(all, " ")
}

func TestTerms(t *testing.T) {
	long := strings.Repeat("abcdefgh", 9)
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"plain Words, HERE.", "plain words here"},
		{"getUserById", "getuserbyid get user by id"},
		{"HTTPServer URLs parseJSONNow iPhone", "httpserver http server urls parsejsonnow parse json now iphone phone"},
		{"user_store __init__ A_B _ ___", "user_store user store __init__ init a_b"},
		{"test_getUserById", "test_getuserbyid test getuserbyid get user by id"},
		{"v2 E0308 sha256Sum x86_64 3rc1", "v2 2 e0308 0308 sha256sum sha256 sha 256 sum x86_64 x86 86 64 3rc1 3 rc 1"},
		{"2.1.3 10.0.0.7 61.2%", "2 1 3 10 0 0 7 61 2"},
		{"src/api/user-store.go ops@example.test --no-verify", "src api user store go ops example test no verify"},
		{"bd-q3fy 9f3c9f3c9f3c", "bd q3fy 3 fy 9f3c9f3c9f3c"},
		{"9f3c9f3c9f3c9f3c9f3c9f3c9f3c9f3c9f3c9f3c", "9f3c9f3c9f3c9f3c9f3c9f3c9f3c9f3c9f3c9f3c"},
		{"Straße STRASSE naïve nai\u0308ve İstanbul ISTANBUL ısı", "strasse strasse naive naive istanbul istanbul isi"},
		{"größteÄnderung ДомСтрой ΣΊΣΥΦΟΣ", "grossteanderung grosste anderung домстрои дом строи σισυφοσ"},
		{"Ｆｕｌｌ１２ ｶﾞ m²", "full12 full 12 ガ m2 2"},
		{"灯塔守护者", "灯 灯塔 塔 塔守 守 守护 护 护者 者"},
		{"使用docker部署2个", "使 使用 用 docker 部 部署 署 2 个"},
		{"か\u3099くせい", "が がく く くせ せ せい い"},
		{"한글 \u1112\u1161\u11ab", "한 한글 글 한"},
		{"ok🚀done ✓", "ok 🚀 done ✓"},
		{"\x1b[1;31mred\x1b[0mish \x1b]0;title\x07 \x1b(Bx \u009b2Kz", "red ish title x z"},
		{"zero\u200bwidth \ufeffbom soft\u00adhyphen", "zerowidth bom softhyphen"},
		{"bad\xffbytes \xed\xa0\xbdlone", "bad bytes lone"},
		{"½ ™ x™", "½ x"},
		{long, long[:47] + "~f1079daff9ef9bed"},
		{strings.Repeat("q", 300) + " end", "end"},
		{strings.Repeat("aB3dEfGh", 40) + "+/== end", "end"},
	} {
		if diff := cmp.Diff(c.want, terms(c.text)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.text, diff)
		}
	}
}

func BenchmarkTokens(b *testing.B) {
	for _, c := range []struct{ name, text string }{
		{"prose", strings.Repeat("The importer reads every line of the file once, and it never follows a link out of it. ", 200)},
		{"code", strings.Repeat("func (s *Store) getUserByID(ctx context.Context, user_id int64) (*User, error) {\n\treturn s.db.QueryRow(ctx, query_v2)\n}\n", 150)},
		{"chinese", strings.Repeat("昨晚修复了灯塔的配置问题，请检查数据库。", 300)},
		{"base64", strings.Repeat("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg", 200)},
	} {
		b.Run(c.name, func(b *testing.B) {
			a, n := NewAnalyzer(), 0
			b.SetBytes(int64(len(c.text)))
			b.ReportAllocs()
			for b.Loop() {
				a.Tokens(c.text, func(term []byte) { n += len(term) })
			}
		})
		b.Run(c.name+"/words", func(b *testing.B) {
			n := 0
			b.SetBytes(int64(len(c.text)))
			for b.Loop() {
				for start, end, _ := Next(c.text, 0); start < len(c.text); start, end, _ = Next(c.text, end) {
					n += end - start
				}
			}
		})
	}
}
