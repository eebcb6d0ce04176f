package cursor

import (
	"strings"
	"testing"

	"lore"
	"lore/adapter/kit"
)

// FuzzBubble makes messages of any JSON: each has a role and a part.
func FuzzBubble(f *testing.F) {
	for _, r := range globalRows {
		if s, ok := r.value.(string); ok {
			f.Add(s)
		}
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, err := new(kit.Doc).Parse([]byte(s))
		if err != nil || !v.IsObject() {
			return
		}
		b := bubbles{losses: &losses{}}
		for _, m := range b.messages(v, "id", spot{}) {
			if m.Role == "" || len(m.Parts) == 0 {
				t.Errorf("%q: %+v", s, m)
			}
		}
		bubbleTime(v)
		bubbleUsage(v)
		projectOf(v)
	})
}

// FuzzFields walks over any bytes and ends.
func FuzzFields(f *testing.F) {
	f.Add([]byte("\x0a\x02ab\x10\x05"))
	f.Fuzz(func(t *testing.T, b []byte) {
		n := 0
		for x, err := range fields(b) {
			if err == nil {
				n += len(x.bytes)
			}
		}
		if n > len(b) {
			t.Errorf("%d bytes in fields of %d", n, len(b))
		}
	})
}

// FuzzFrame takes any text apart without losing words.
func FuzzFrame(f *testing.F) {
	f.Add("<timestamp>Monday, Mar 2, 2026, 2:07 PM (UTC+3)</timestamp>\n<user_query>a</user_query> b")
	f.Fuzz(func(t *testing.T, s string) {
		x := unframe(s)
		for _, part := range []string{x.before, x.words, x.after} {
			if !strings.Contains(s, part) {
				t.Errorf("%q is not in %q", part, s)
			}
		}
	})
}

// FuzzText parts any text into turns that lie in it.
func FuzzText(f *testing.F) {
	f.Add("user:\n<user_query>\na\n</user_query>\n\nassistant:\n[Thinking] b\nc\n[Tool call] D\n  e: f\n\n[Tool result] D\n")
	f.Add("assistant:\n<think>a</think>b\n<think>\n[Tool call] c\n</think>")
	f.Fuzz(func(t *testing.T, s string) {
		r := &textRendering{b: []byte(s)}
		w := &writer{}
		err := r.turns(t.Context(), w, func(u *turn) error {
			if u.where.Offset < 0 || u.where.Length <= 0 || u.where.Offset+u.where.Length > int64(len(s)) || len(u.runs) == 0 {
				t.Errorf("%q: %+v", s, u)
			}
			for _, m := range u.runs {
				if m.Role == lore.User && !m.Active {
					t.Errorf("%q: %+v", s, m)
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
}
