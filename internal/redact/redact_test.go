package redact

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The keys of the tests are invented and put together here, so that no scanner of repositories takes them for real ones.
var (
	x20 = "Fak3" + strings.Repeat("e0X9", 4)
	x36 = strings.Repeat("F4KEz7", 6)
	x40 = strings.Repeat("F4KEz7aB", 5)
	h32 = strings.Repeat("0f1e2d3c", 4)
	jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
)

func TestText(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"anthropic", "my key is sk-ant-api03-" + x40 + ".", "my key is [redacted:anthropic-key]."},
		{"openai project", "OPENAI_API_KEY=sk-proj-" + x40, "OPENAI_API_KEY=[redacted:openai-key]"},
		{"openai first form", "use sk-" + x40 + " here", "use [redacted:api-key] here"},
		{"github", "export GH=ghp_" + x36, "export GH=[redacted:github-token]"},
		{"github fine grained", "github_pat_" + x36 + "_" + x36, "[redacted:github-token]"},
		{"github in an address", "git clone https://ghp_" + x36 + "@github.com/a/b", "git clone https://[redacted:github-token]@github.com/a/b"},
		{"gitlab", "glpat-" + x20, "[redacted:gitlab-token]"},
		{"slack", "xoxb-123456789012-1234567890123-" + x20, "[redacted:slack-token]"},
		{"slack webhook", "https://hooks.slack.com/services/T0000/B0000/" + x20, "https://hooks.slack.com/services/[redacted:slack-webhook]"},
		{"aws id", "aws_access_key_id=AKIAIOSFODNN7EXAMPLE\n", "aws_access_key_id=[redacted:aws-key]\n"},
		{"aws secret", "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "aws_secret_access_key = [redacted:secret]"},
		{"google", "key=AIza" + x20 + x20[:15], "key=[redacted:google-key]"},
		{"stripe", "sk_live_" + x20, "[redacted:stripe-key]"},
		{"npm", "//registry.npmjs.org/:_authToken=npm_" + x36, "//registry.npmjs.org/:_authToken=[redacted:npm-token]"},
		{"hugging face", "hf_" + x36, "[redacted:huggingface-token]"},
		{"telegram", "bot123456789:AA" + x36[:33], "bot123456789:[redacted:telegram-token]"},
		{"jwt", "token " + jwt + "!", "token [redacted:jwt]!"},
		{"bearer", `-H "Authorization: Bearer ` + x20 + `"`, `-H "Authorization: Bearer [redacted:bearer-token]"`},
		{"bearer of a known kind", "authorization: bearer ghp_" + x36, "authorization: bearer [redacted:github-token]"},
		{"bearer jwt", "Bearer " + jwt, "Bearer [redacted:jwt]"},
		{"basic", "Authorization: Basic YWxhZGRpbjpvcGVuc2VzYW1l", "Authorization: Basic [redacted:basic-auth]"},

		{"private key", "a\n-----BEGIN PRIVATE KEY-----\nMIIFAKE\n-----END PRIVATE KEY-----\nb", "a\n[redacted:private-key]\nb"},
		{"private key in JSON", `{"k":"-----BEGIN RSA PRIVATE KEY-----\nMIIF\nAKE=\n-----END RSA PRIVATE KEY-----\n","n":1}`,
			`{"k":"[redacted:private-key]\n","n":1}`},
		{"private key with numbers of lines", "     1→-----BEGIN OPENSSH PRIVATE KEY-----\n     2→b3BlbnNzaA\n     3→-----END OPENSSH PRIVATE KEY-----\n",
			"     1→[redacted:private-key]\n"},
		{"private key that breaks off", "-----BEGIN EC PRIVATE KEY-----\n" + x40 + x40 + "\n\"}", "[redacted:private-key]\n\"}"},

		{"connection string", "postgres://app:s3cr3t!@db.example:5432/x?a=b", "postgres://app:[redacted:password]@db.example:5432/x?a=b"},
		{"connection string without a name", "redis://:hunter2@localhost", "redis://:[redacted:password]@localhost"},
		{"connection string of pairs", "Server=db;User Id=sa;Password=pw1;Encrypt=true", "Server=db;User Id=sa;Password=[redacted:password];Encrypt=true"},
		{"password", "password=hunter2 next", "password=[redacted:password] next"},
		{"environment", "export PGPASSWORD=correcthorse", "export PGPASSWORD=[redacted:password]"},
		{"password in JSON", `{"user":"a","password": "correct horse","n":1}`, `{"user":"a","password": "[redacted:password]","n":1}`},
		{"password in JSON in JSON", `{"body":"{\"password\":\"a\\\"b\"}"}`, `{"body":"{\"password\":\"[redacted:password]\"}"}`},
		{"password in a command in JSON", `{"command":"export DB_PASSWORD='x y'\nls"}`, `{"command":"export DB_PASSWORD='[redacted:password]'\nls"}`},
		{"a string that ends within", `{"a":"password=\"x\\","b":"c"}`, `{"a":"password=\"[redacted:password]","b":"c"}`},
		{"yaml", "  password: hunter2\n", "  password: [redacted:password]\n"},
		{"ruby", `{'api_key' => 'abc123def456'}`, `{'api_key' => '[redacted:secret]'}`},
		{"typed", `const token: string = "abc123def456"`, `const token: string = "[redacted:secret]"`},
		{"walrus", `if password := "geheim"; true {}`, `if password := "[redacted:password]"; true {}`},
		{"option", "cmd --password hunter2 --verbose", "cmd --password [redacted:password] --verbose"},
		{"option with sign", "cmd --api-key=abc123def456", "cmd --api-key=[redacted:secret]"},
		{"curl", "curl -s -u ada:tides https://x", "curl -s -u ada:[redacted:password] https://x"},
		{"query", "https://x.example/?access_token=abc123def456&x=1", "https://x.example/?access_token=[redacted:secret]&x=1"},
		{"xml", "<server><password>tides</password></server>", "<server><password>[redacted:password]</password></server>"},
		{"header", "X-Api-Key: abc123def456ghi789", "X-Api-Key: [redacted:secret]"},

		{"behind an escape of JSON", `"a\nghp_` + x36 + `"`, `"a\n[redacted:github-token]"`},
		{"behind an escape of an address", "x%3Dghp_" + x36, "x%3D[redacted:github-token]"},
		{"behind a colour", "\x1b[31mghp_" + x36 + "\x1b[0m", "\x1b[31m[redacted:github-token]\x1b[0m"},
		{"two", "ghp_" + x36 + " ghp_" + x36, "[redacted:github-token] [redacted:github-token]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, n := Text(c.in)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("Text (-want +got):\n%s", diff)
			}
			if want := strings.Count(c.want, Open); n != want {
				t.Errorf("Text counts %d, want %d", n, want)
			}
			if again, n := Text(got); again != got || n != 0 {
				t.Errorf("Text of its own result replaced %d: %q", n, again)
			}
		})
	}
}

// TestInnocent pins what stays as it is: what only resembles a credential, and what a name beside it makes no secret.
func TestInnocent(t *testing.T) {
	for _, in := range []string{
		"",
		"safe: 3f786850e387550fdab836ed7e6dc881de23001b sk-learn 6f1e2d3c-aaaa-4bbb-8ccc-1234567890ab",
		"lore show 9k2m4n6p8q0r1s3t5v7a9b1c3d5e7f9g1h3i5j7k9l1m3n5o7p9q1r",
		"sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
		"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
		"max_tokens=4096 token_count: 1234567890123 total tokens: 12",
		"func login(password string, token string) error",
		"password: string; token: Promise<string>",
		"password = getPassword()",
		`token = os.environ["GITHUB_TOKEN"]`,
		"api_key=settings.api_key",
		"password=${DB_PASSWORD} PASSWORD=$PASSWORD token={{ token }} secret=<your-secret>",
		"password=db_password",
		"The password is wrong. Password: please try again",
		`"password": "Enter your password"`,
		`"password": "", "token": null, "secret": "****"`,
		"Bearer authentication is described in the documentation",
		"Basic authentication",
		"if password == other { }",
		"PWD=/home/ada/lantern OLDPWD=/home",
		"https://example.org:8080/a@b git@github.com:a/b.git http://user@host/",
		"postgres://user:${PASSWORD}@host/x",
		"grep -e '-----BEGIN PRIVATE KEY-----' .",
		"docker run -u 1000:1000 x",
		"nextPageToken: abc123def456ghi789",
		"task-" + x40 + " disk-" + x20,
		`"sessionId":"6f1e2d3c-aaaa-4bbb-8ccc-1234567890ab","signature":"EqQBCkYIBRgCKkDx` + x40 + `"`,
		"xAKIAIOSFODNN7EXAMPLE AKIAIOSFODNN7EXAMPLEMORE",
		"eyJhbGciOiJIUzI1NiJ9 alone",
		"use --password to give it, or --token file",
	} {
		if got, n := Text(in); got != in || n != 0 {
			t.Errorf("Text(%q) replaced %d:\n%s", in, n, got)
		}
	}
}

func TestCounts(t *testing.T) {
	var c Counter
	c.Text("ghp_" + x36 + " password=hunter2")
	c.Text("nothing")
	c.Text("glpat-" + x20 + " ghp_" + x36)
	want := []Count{{"github-token", 2}, {"gitlab-token", 1}, {"password", 1}}
	if diff := cmp.Diff(want, c.Counts()); diff != "" {
		t.Errorf("Counts (-want +got):\n%s", diff)
	}
	if c.Total() != 4 {
		t.Errorf("Total is %d, want 4", c.Total())
	}
}

// TestVendors makes a key of each row of the table: none is hidden by an earlier one or by its own conditions.
func TestVendors(t *testing.T) {
	for _, v := range vendors() {
		body := ""
		for n := max(v.min, 1); len(body) < n; {
			for _, c := range "A7b0x3D9e5Qc-/." {
				if len(body) < n && v.class(byte(c)) {
					body += string(c)
				}
			}
		}
		got, n := Text("a " + v.prefix + body + "\n")
		want := "a " + Open + v.kind + Close + "\n"
		if strings.HasSuffix(v.kind, "-webhook") {
			want = "a " + v.prefix + Open + v.kind + Close + "\n"
		}
		if got != want || n != 1 {
			t.Errorf("%s: Text gives %q, want %q", v.prefix, got, want)
		}
	}
}

// TestLinear gives the rules what makes each of them begin anew at every place; a rule that walked the same bytes again
// and again would not come to an end here.
func TestLinear(t *testing.T) {
	for _, piece := range []string{
		"password=", `password="`, "password='", "token: ", "-----BEGIN PRIVATE KEY-----", "eyJ-", "eyJa.", "sk-ant-a", "://a:b", "://:@",
		"<password>", "-u a:", "curl -u ", "Bearer ", "--password ", "ghp_A1", "\\", "xoxb-", "1:AA", "=", ":", "[1;", "pat.",
	} {
		in := strings.Repeat(piece, (1<<18)/len(piece))
		Text(in)
	}
}

func FuzzText(f *testing.F) {
	for _, seed := range []string{
		"password=hunter2", `{"token":"abc123def456"}`, "ghp_" + x36, jwt, "postgres://a:b@c", `"password":"a\\\"b\\"`,
		"-----BEGIN PRIVATE KEY-----\nMII\n-----END PRIVATE KEY-----", "curl -u a:b", "<secret>x</secret>",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		out, n := Text(in)
		if n == 0 && out != in {
			t.Fatalf("nothing was replaced, and %q became %q", in, out)
		}
		if n > strings.Count(out, Open) {
			t.Fatalf("%d were replaced in %q, and it does not show: %q", n, in, out)
		}
		document, err := json.Marshal(map[string]string{"a": in, "b": `{"c":` + string(must(json.Marshal(in))) + `}`})
		if err != nil {
			t.Fatal(err)
		}
		redacted, _ := Text(string(document))
		var back map[string]string
		if err := json.Unmarshal([]byte(redacted), &back); err != nil || len(back) != 2 {
			t.Fatalf("a JSON document lost its form (%v):\n%s\n%s", err, document, redacted)
		}
	})
}

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}
