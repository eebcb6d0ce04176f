package cli

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// screen is a picker without a terminal: what it asks for is answered at once from a list.
type screen struct {
	*picker
	all []pickItem
	log strings.Builder
}

func newScreen(width, height int) *screen {
	s := &screen{picker: &picker{}, all: []pickItem{
		{id: "koljojmg9ric", title: "Debounce the lamp's button", facts: "claude-code · lantern · 2026-03-02", snippet: "Yes, but make the debounce window a constant so that we can tune it.", ranges: [][2]int{{18, 26}}},
		{id: "1aeq35s12p4n", title: "灯塔 \x1b[31mand a title that is far too long for any list", facts: "codex", snippet: strings.Repeat("long ", 40) + "debounce"},
		{id: "cmusmlkjd4i0", title: "(no title)", facts: "codex · atlas", snippet: "debounce"},
	}}
	s.do(s.resize(width, height))
	s.do(pickEffect{ask: true})
	return s
}

// do answers what the picker asks for.
func (s *screen) do(e pickEffect) {
	if e.ask {
		a := pickAnswer{number: s.picker.asked, status: fmt.Sprintf("%d hits for %q", len(s.all), s.question())}
		for _, it := range s.all {
			if strings.Contains(it.snippet, strings.TrimSuffix(s.question(), "*")) {
				a.items = append(a.items, it)
			}
		}
		s.do(s.answer(a))
	}
	if e.preview != "" {
		v := pickPreview{id: e.preview}
		for i := range 30 {
			v.lines = append(v.lines, []span{{fmt.Sprintf("line %d of %s", i, e.preview), plain}})
		}
		s.previewed(v)
	}
}

// press types keys as a terminal sends them and returns what leaving asks for.
func (s *screen) press(bytes string) pickEffect {
	var d keyDecoder
	for _, k := range append(d.decode([]byte(bytes)), d.flush()...) {
		e := s.key(k)
		if e.leave {
			return e
		}
		s.do(e)
	}
	return pickEffect{}
}

// shot writes the screen down.
func (s *screen) shot(title string) {
	f := s.view()
	fmt.Fprintf(&s.log, "== %s: %dx%d, cursor %d,%d\n", title, s.width, s.height, f.x, f.y)
	for _, line := range f.lines {
		text := ""
		for _, x := range line {
			text += x.text
		}
		fmt.Fprintf(&s.log, "|%s|\n", padTo(text, s.width))
	}
}

// TestPickFrames: the screens that a person sees, at several sizes.
func TestPickFrames(t *testing.T) {
	s := newScreen(60, 16)
	s.shot("begin")
	s.press("debounce")
	s.shot("typed")
	s.press("\x1b[B")
	s.shot("down")
	s.press("\x1b[6~")
	s.shot("the preview is scrolled")
	s.press("\x19")
	s.shot("copied")
	s.press(" xyz")
	s.shot("nothing found")
	s.do(s.answer(pickAnswer{number: s.picker.asked, failed: true, status: `unknown role "x": use user, assistant, tool or system`}))
	s.shot("wrong")
	s.press("\x15")
	s.do(s.resize(110, 12))
	s.shot("wide")
	s.do(s.resize(24, 6))
	s.shot("tiny")
	golden(t, "pick.txt", s.log.String())
}

// TestPickLeaves: each way out.
func TestPickLeaves(t *testing.T) {
	for _, tt := range []struct {
		keys string
		want pickEffect
	}{
		{"debounce\x1b[B\r", pickEffect{leave: true, open: "1aeq35s12p4n"}},
		{"xyz\r\x1b", pickEffect{leave: true}},
		{"\x03", pickEffect{leave: true, code: exitInterrupted}},
		{"\x1b[200~one\r\ntwo\x1b[201~\x1b", pickEffect{leave: true}},
	} {
		s := newScreen(80, 20)
		if diff := cmp.Diff(fmt.Sprintf("%+v", tt.want), fmt.Sprintf("%+v", s.press(tt.keys))); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.keys, diff)
		}
	}
}

// TestPickLateAnswer: the answer to an older question does not take the place of a newer one's.
func TestPickLateAnswer(t *testing.T) {
	s := newScreen(80, 20)
	s.press("deb")
	newest := s.picker.asked
	s.do(s.answer(pickAnswer{number: newest - 1, status: "late"}))
	s.previewed(pickPreview{id: "another"})
	if s.status == "late" || len(s.items) != 3 || s.of == "another" {
		t.Errorf("status %q, %d items, preview of %q", s.status, len(s.items), s.of)
	}
}

// TestPickQuestion: the word that is being typed is the beginning of one.
func TestPickQuestion(t *testing.T) {
	for in, want := range map[string]string{
		"connection poo": "connection poo*", "po": "po", "pool ": "pool", "role:user": "role:user", `"a phr`: `"a phr`, "a OR": "a OR", "灯塔灯塔": "灯塔灯塔", "": "",
	} {
		p := picker{input: []rune(in), at: len([]rune(in))}
		if got := p.question(); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

// TestKeys: keys in one piece, in several, and pieces that are none.
func TestKeys(t *testing.T) {
	for _, tt := range []struct {
		chunks []string
		want   string
	}{
		{[]string{"aé灯"}, "a é 灯"},
		{[]string{"\xc3", "\xa9"}, "é"},
		{[]string{"\x1b[A\x1bOB\x1b[5~"}, "up down pgup"},
		{[]string{"\x1b", "[", "B"}, "down"},
		{[]string{"\x1b"}, "esc"},
		{[]string{"\x1bx"}, "esc x"},
		{[]string{"\x1b[<0;1;2M\x1b[99~a"}, "a"},
		{[]string{"\x7f\r\n\t\x01\x19"}, "backspace enter enter tab ctrl-a ctrl-y"},
		{[]string{"\x1b[200~a\r", "b\x1b[201~\r"}, "a   b enter"},
		{[]string{"\x9b\xff\x00z"}, "ctrl-` z"},
	} {
		var d keyDecoder
		var got []string
		add := func(keys []key) {
			for _, k := range keys {
				if k.name == "" {
					k.name = string(k.r)
				}
				got = append(got, k.name)
			}
		}
		for _, c := range tt.chunks {
			add(d.decode([]byte(c)))
		}
		add(d.flush())
		if g := strings.Join(got, " "); g != tt.want {
			t.Errorf("%q: got %q, want %q", tt.chunks, g, tt.want)
		}
	}
}

// TestPickAnyKeys: whatever is typed, at whatever size, the screen holds what is drawn.
func TestPickAnyKeys(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	keys := []string{"a", "灯", "debounce ", "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D", "\x1b[H", "\x1b[F", "\x1b[5~", "\x1b[6~", "\x7f", "\x1b[3~", "\x15", "\x0b", "\x17", "\x19", "\t", "\x1b[2~", "\xff"}
	s := newScreen(80, 24)
	for range 3000 {
		s.press(keys[r.IntN(len(keys))])
		if r.IntN(20) == 0 {
			s.do(s.resize(1+r.IntN(130), 1+r.IntN(40)))
		}
		f := s.view()
		if len(f.lines) > max(s.height, 1) || f.y >= max(s.height, 1) || s.at < 0 || s.at > len(s.input) {
			t.Fatalf("%dx%d: %d lines, cursor %d,%d, %d of %q", s.width, s.height, len(f.lines), f.x, f.y, s.at, string(s.input))
		}
		for _, line := range f.lines {
			n := 0
			for _, x := range line {
				n += columns(x.text)
			}
			if n > s.width {
				t.Fatalf("%dx%d: a line of %d columns: %+v", s.width, s.height, n, line)
			}
		}
	}
}
