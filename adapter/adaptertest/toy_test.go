package adaptertest

import (
	"context"
	"iter"
	"path"
	"strconv"
	"strings"
	"time"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// toy is an adapter of an invented product, and each flag is a mistake that an adapter may make.
type toy struct {
	panics    bool // on damage
	unlisted  bool // drops settings without a place in the ledger
	misplaced bool // says that a unit stands one byte further on
	pathInID  bool // uses the folder in ids
	clock     bool // takes the time from the clock
	lineInID  bool // uses how many lines follow in ids
	greedy    bool // takes every file for its own
	piecewise bool // loses what stands behind the first piece
	silent    bool // passes losses over
	twice     bool // tells losses twice
}

func (toy) Info() adapter.Info {
	return adapter.Info{
		Name: "lantern", Title: "Lantern", Version: 1,
		Stores:   []adapter.Store{{Source: "lantern", Name: "log", What: "conversations"}},
		Roots:    []adapter.Root{{Source: "lantern", Path: ".lantern"}},
		Fidelity: adapter.Fidelity{Keeps: []string{"words"}, Leaves: []string{"settings: no conversation"}},
	}
}

func (toy) Find(ctx context.Context, at adapter.Place) iter.Seq2[adapter.Source, error] {
	return func(yield func(adapter.Source, error) bool) {
		for src, err := range kit.WalkFiles(ctx, at.FS, "log", func(p string) bool { return path.Ext(p) == ".jsonl" }) {
			src.Product, src.Store = "lantern", "log"
			if !yield(src, err) {
				return
			}
		}
	}
}

func (a toy) Read(_ context.Context, in adapter.Input) iter.Seq2[*lore.Conversation, error] {
	return func(yield func(*lore.Conversation, error) bool) {
		lines, err := kit.OpenLines(in, in.Source.Path, kit.Options{TopKeys: []string{"seq"}})
		if err != nil {
			yield(nil, err)
			return
		}
		defer lines.Close()
		c, size, mine := a.begin(in), int64(0), a.greedy
		for r := range lines.All() {
			mine = mine || r.Value.Get("seq").Exists()
			if size >= in.PieceBound() {
				c.More = true
				if !yield(c, nil) {
					return
				}
				if size, c = 0, a.begin(in); a.piecewise {
					break
				}
			}
			size += a.add(c, lines, r)
		}
		if a.panics && lines.Damaged() > 0 {
			panic("damage")
		}
		if !mine {
			yield(nil, adapter.ErrNotMine)
			return
		}
		a.end(c, lines)
		yield(c, nil)
	}
}

func (a toy) begin(in adapter.Input) *lore.Conversation {
	native := strings.TrimSuffix(path.Base(in.Source.Path), ".jsonl")
	if a.pathInID {
		native = in.Name(in.Source.Path)
	}
	return &lore.Conversation{Source: "lantern", Store: "log", Native: native, Kind: lore.Main}
}

func (a toy) add(c *lore.Conversation, lines *kit.Lines, r *kit.Record) int64 {
	role := r.Value.Get("role").String()
	if !r.Value.Get("seq").Exists() {
		c.Ledger.Meet("no seq")
		return 0
	}
	if role != "user" && role != "assistant" {
		if !a.unlisted {
			c.Ledger.Skip(role)
		}
		return 0
	}
	c.Ledger.Keep(1)
	m := lore.Message{Role: lore.Role(role), Active: true, Units: 1, Origins: []lore.Locator{lines.Locator(r)}}
	m.Parts = []lore.Part{{Kind: lore.Text, Text: r.Value.Get("text").String()}}
	m.At, _ = kit.ParseTime(r.Value.Get("at"))
	m.AtFrom = kit.TimeFrom(m.At)
	seq, _ := r.Value.Get("seq").Int()
	m.Native = strconv.Itoa(int(seq))
	if a.lineInID {
		m.Native = strconv.Itoa(int(lines.Size() - r.Offset))
	}
	if a.clock {
		m.At = lore.NewTime(time.Now().UnixNano(), 9, false)
		m.AtFrom = lore.FromFile
	}
	if a.misplaced {
		m.Origins[0].Offset += 1 << 20
	}
	c.Messages = append(c.Messages, m)
	return int64(len(m.Parts[0].Text))
}

func (a toy) end(c *lore.Conversation, lines *kit.Lines) {
	c.Ledger.Damage(lines.Damaged())
	if !a.silent {
		c.Losses = append(c.Losses, lines.Losses()...)
	}
	if a.twice {
		c.Losses = append(c.Losses, lines.Losses()...)
	}
	c.Title, c.TitleFrom = "tide", lore.TitleFromSource
}
