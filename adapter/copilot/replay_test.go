package copilot

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/fstest"

	"lore/adapter"
)

// model applies a step as the editor does, to decoded JSON. ok is false where it would fail, or where lore is stricter: a
// missing element is not made, a path does not lead through null.
func model(state any, kind int, path []any, value any, has bool, cut int) (after any, ok bool) {
	if kind == kindInitial {
		_, ok := value.(map[string]any)
		if !ok {
			return state, false
		}
		return value, true
	}
	if len(path) == 0 {
		return state, kind != kindPush
	}
	return modelAt(state, kind, path, value, has, cut)
}

func modelAt(in any, kind int, path []any, value any, has bool, cut int) (any, bool) {
	get, put, ok := access(in, path)
	if !ok {
		return in, false
	}
	if len(path) > 1 {
		inner := get()
		if inner == nil {
			m, isObject := in.(map[string]any)
			if _, there := m[fmt.Sprint(path[0])]; !isObject || there {
				return in, false
			}
			if _, index := path[1].(int); index {
				inner = []any{}
			} else {
				inner = map[string]any{}
			}
		}
		after, ok := modelAt(inner, kind, path[1:], value, has, cut)
		if !ok {
			return in, false
		}
		return put(after, true), true
	}
	switch {
	case kind == kindPush:
		list, isList := get().([]any)
		if !isList && get() != nil {
			return in, false
		}
		list = append([]any{}, list...)
		for cut > len(list) {
			list = append(list, nil)
		}
		if cut >= 0 {
			list = list[:cut]
		}
		if has {
			values, isList := value.([]any)
			if !isList {
				return in, false
			}
			list = append(list, values...)
		}
		return put(list, true), true
	case kind == kindDelete || !has:
		return put(nil, false), true
	}
	return put(value, true), true
}

// access returns how to read and write one element of a container; put with there false deletes it.
func access(in any, path []any) (get func() any, put func(v any, there bool) any, ok bool) {
	switch x := in.(type) {
	case map[string]any:
		key := fmt.Sprint(path[0])
		return func() any { return x[key] }, func(v any, there bool) any {
			y := map[string]any{}
			for k, old := range x {
				y[k] = old
			}
			if y[key] = v; !there {
				delete(y, key)
			}
			return y
		}, true
	case []any:
		i, isIndex := path[0].(int)
		if !isIndex || i > len(x)+2 {
			return nil, nil, false
		}
		return func() any {
				if i < len(x) {
					return x[i]
				}
				return nil
			}, func(v any, there bool) any {
				if !there && i >= len(x) {
					return x
				}
				y := append([]any{}, x...)
				for i >= len(y) {
					y = append(y, nil)
				}
				y[i] = v
				return y
			}, true
	}
	return nil, nil, false
}

// TestReplayAgainstModel replays random logs and compares the state with that of the model after every step.
func TestReplayAgainstModel(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 150 {
		var log []string
		var want any
		var states []string
		for range 1 + r.IntN(12) {
			kind, path, value, has, cut := randomStep(r, len(log) == 0)
			log = append(log, encode(kind, path, value, has, cut))
			if after, ok := model(want, kind, path, value, has, cut); ok {
				want = after
			}
			states = append(states, text(want))
		}
		got := replayed(t, log)
		for i := range states {
			if states[i] != got[i] {
				t.Fatalf("after step %d of\n%s\nthe model has %s\nthe replay has %s", i+1, strings.Join(log[:i+1], "\n"), states[i], got[i])
			}
		}
	}
}

func randomStep(r *rand.Rand, first bool) (kind int, path []any, value any, has bool, cut int) {
	if first || r.IntN(12) == 0 {
		return kindInitial, nil, map[string]any{"requests": []any{map[string]any{"requestId": "a", "response": []any{"x", "y"}}}, "n": nil}, true, -1
	}
	paths := [][]any{{"requests"}, {"requests", 0}, {"requests", 1}, {"requests", 0, "response"}, {"requests", 0, "response", 1},
		{"requests", 1, "response"}, {"requests", 0, "result", "metadata"}, {"title"}, {"n"}, {"n", "x"}, {"title", "x"}, {"list", 0}, {}, {"requests", "x"}}
	values := []any{"text", 1.5, nil, true, map[string]any{"requestId": "b", "response": []any{"z"}}, []any{"p", map[string]any{"q": 1.0}}, []any{}}
	kind, path, cut = 1+r.IntN(3), paths[r.IntN(len(paths))], -1
	value, has = values[r.IntN(len(values))], r.IntN(5) > 0
	if kind == kindPush {
		value = []any{value}
		if r.IntN(2) == 0 {
			cut = r.IntN(4)
		}
	}
	return kind, path, value, has && kind != kindDelete, cut
}

func encode(kind int, path []any, value any, has bool, cut int) string {
	m := map[string]any{"kind": kind}
	if path != nil {
		m["k"] = path
	}
	if has {
		m["v"] = value
	}
	if cut >= 0 {
		m["i"] = cut
	}
	return text(m)
}

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// replayed returns the state after each line of a log.
func replayed(t *testing.T, log []string) (states []string) {
	t.Helper()
	for i := range log {
		fsys := fstest.MapFS{logPath: {Data: []byte(lines(log[:i+1]...))}}
		s := newSession(context.Background(), adapter.Input{FS: fsys, Source: adapter.Source{Path: logPath}}, shapeLog, nil)
		f, err := s.file(logPath)
		if err == nil {
			err = s.replayLog(context.Background(), f, true)
		}
		if err != nil {
			t.Fatal(err)
		}
		var v any
		s.scratch = s.scratch[:0]
		s.compose(s.root, maxValue)
		if err := json.Unmarshal(s.scratch, &v); err != nil {
			t.Fatalf("%v in %s", err, s.scratch)
		}
		states = append(states, text(v))
		s.close()
	}
	return states
}

// TestWalkerWindows: values are found whatever stands at the edge of what is read at once.
func TestWalkerWindows(t *testing.T) {
	for _, pad := range []int{windowSize - 30, windowSize - 12, windowSize - 11, windowSize - 6, windowSize - 2, windowSize - 1, windowSize} {
		doc := `{` + strings.Repeat(" ", pad) + `"k\"ey":"va\\\"lue","list":[1,{"x":"]"},null],"end":true}`
		var w walker
		w.reset(bytes.NewReader([]byte(doc)), 0, int64(len(doc)))
		var got []string
		err := w.object(func(key string) error {
			at, err := w.skip()
			got = append(got, key+"="+doc[at.off:at.off+at.len])
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		same(t, []string{`k"ey="va\\\"lue"`, `list=[1,{"x":"]"},null]`, `end=true`}, got)
	}
}

// TestHeadOfString: a string is cut between characters.
func TestHeadOfString(t *testing.T) {
	whole := `"aé€𝄞\n\u00e9\ud834\udd1e\\z"`
	f := &file{at: strings.NewReader(whole), size: int64(len(whole))}
	for n := 2; n < len(whole); n++ {
		b, err := f.head(span{0, int64(len(whole)), '"'}, int64(n))
		if err != nil {
			t.Fatal(err)
		}
		var head, all string
		if err := json.Unmarshal(b, &head); err != nil {
			t.Fatalf("%q: %v", b, err)
		}
		if json.Unmarshal([]byte(whole), &all); !strings.HasPrefix(all, head) || strings.ContainsRune(head, '\ufffd') {
			t.Errorf("%q is no beginning of %q", head, all)
		}
	}
}
