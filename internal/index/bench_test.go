package index

import (
	"context"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"lore"
	"lore/internal/query"
)

// chatter makes conversations of invented text whose words are as unevenly common as those of a language.
func chatter(conversations, messages, length int) (out []*lore.Conversation, bytes int64) {
	rnd := rand.New(rand.NewSource(1))
	zipf := rand.NewZipf(rnd, 1.2, 8, 40_000)
	word := func() string {
		n := zipf.Uint64()
		w := ""
		for ; n > 0 || w == ""; n /= 20 {
			w += string("bdfgklmnprstvzchjwxq"[n%20]) + string("aeiou"[n%5])
		}
		switch n := rnd.Intn(20); {
		case n == 0:
			return w + "_" + w
		case n == 1:
			return "src/" + w + ".go"
		}
		return w
	}
	for c := range conversations {
		var all []lore.Message
		for m := range messages {
			var b strings.Builder
			for b.Len() < length {
				b.WriteString(word())
				b.WriteByte(' ')
			}
			bytes += int64(b.Len())
			role, kind := lore.User, lore.Text
			if m%3 == 1 {
				role = lore.Assistant
			} else if m%3 == 2 {
				role, kind = lore.Tool, lore.Result
			}
			all = append(all, say(fmt.Sprint(m), role, lore.Part{Kind: kind, Text: b.String()}))
		}
		out = append(out, talk(fmt.Sprint("bench", c), all...))
	}
	return out, bytes
}

func BenchmarkBuild(b *testing.B) {
	all, bytes := chatter(20, 100, 1500)
	b.SetBytes(bytes)
	w, err := OpenWriter(b.TempDir(), WriterOptions{})
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	builder := newBuilder()
	for b.Loop() {
		builder.reset()
		for row, c := range all {
			for i := range c.Messages {
				builder.add(uint32(row+1), &c.Messages[i], 1, uint32(i), "")
			}
		}
		if _, err := builder.write(w.dir + "/" + newName()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSearch(b *testing.B) {
	all, _ := chatter(40, 100, 1500)
	r := stored(b, all...)
	for _, q := range []string{"ba", "ba da fa", `"da fa"`, "src/da.go", "da_da", "ga*", "role:user ba", "zzz qqq ba wewe"} {
		tree, _, err := query.Parse(q, query.Env{})
		if err != nil {
			b.Fatal(err)
		}
		b.Run(q, func(b *testing.B) {
			for b.Loop() {
				if _, err := r.Search(context.Background(), tree, Options{Limit: 20}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkMerge(b *testing.B) {
	all, _ := chatter(20, 100, 1500)
	dir := b.TempDir()
	w, err := OpenWriter(dir, WriterOptions{Memory: 1 << 20})
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	s := w.Session()
	for _, c := range all {
		put(b, s, c, 1)
	}
	commit(b, w)
	var bytes int64
	for _, s := range w.open {
		bytes += s.size
	}
	b.SetBytes(bytes)
	for b.Loop() {
		if _, _, err := mergeSegments(context.Background(), dir+"/"+newName(), w.open, false); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkAppend puts one more message into a conversation of ten thousand.
func BenchmarkAppend(b *testing.B) {
	all, _ := chatter(1, 10_000, 300)
	w, err := OpenWriter(b.TempDir(), WriterOptions{})
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	s := w.Session()
	c := all[0]
	put(b, s, c, 1)
	commit(b, w)
	for n := 0; b.Loop(); n++ {
		c.Messages = append(c.Messages, say(fmt.Sprint("more", n), lore.User, words("one more")))
		last := talk("bench0", c.Messages[len(c.Messages)-1:]...)
		c.Messages[len(c.Messages)-1] = last.Messages[0]
		put(b, s, c, 1)
		commit(b, w)
	}
}
