package main

import (
	"context"
	"errors"
	"iter"
	"path"
	"strings"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// The frozen names: they are hashed into ids.
const (
	source = "talk"
	store  = "talks"
)

// talk reads a source that writes one file of JSON lines a conversation:
//
//	{"talk":"s1","id":"m1","who":"me","at":"2026-03-02T09:00:00Z","words":"hello"}
type talk struct{}

// Info implements adapter.Adapter.
func (talk) Info() adapter.Info {
	return adapter.Info{Name: "talk", Title: "Talk", Version: 1,
		Stores:   []adapter.Store{{Source: source, Name: store, What: "conversations"}},
		Roots:    []adapter.Root{{Source: source, Path: ".talk"}},
		Fidelity: adapter.Fidelity{Keeps: []string{"what was said, by whom and when"}, Leaves: []string{"nothing"}}}
}

// Find implements adapter.Adapter.
func (talk) Find(ctx context.Context, at adapter.Place) iter.Seq2[adapter.Source, error] {
	return func(yield func(adapter.Source, error) bool) {
		for src, err := range kit.WalkFiles(ctx, at.FS, ".", func(p string) bool { return path.Ext(p) == ".talk" }) {
			src.Product, src.Store = source, store
			if !yield(src, err) {
				return
			}
		}
	}
}

// Read implements adapter.Adapter.
func (talk) Read(ctx context.Context, in adapter.Input) iter.Seq2[*lore.Conversation, error] {
	return func(yield func(*lore.Conversation, error) bool) {
		if err := read(ctx, in, yield); err != nil && !errors.Is(err, kit.ErrStopped) {
			yield(nil, err)
		}
	}
}

func read(ctx context.Context, in adapter.Input, yield func(*lore.Conversation, error) bool) error {
	lines, err := kit.OpenLines(in, in.Source.Path, kit.Options{TopKeys: []string{"talk"}})
	if err != nil {
		return err
	}
	defer lines.Close()
	native := strings.TrimSuffix(path.Base(in.Source.Path), ".talk")
	pieces := kit.NewPieces(in, func() *lore.Conversation {
		return &lore.Conversation{Source: source, Store: store, Native: native, Kind: lore.Main}
	}, yield)
	tally := kit.NewTally(in, in.Source.Path)
	var ledger lore.Ledger
	for r := range lines.All() {
		if err := ctx.Err(); err != nil {
			return err
		}
		m, ok := message(r.Value)
		if !ok {
			ledger.Meet("line") // of a type that this adapter does not know: accounted for, and named
			tally.Unknown(r.Line, "line")
			continue
		}
		m.Units, m.Origins = 1, []lore.Locator{lines.Locator(r)}
		ledger.Keep(1)
		if err := pieces.Add(m); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	ledger.Damage(lines.Damaged())
	return pieces.End(ledger, append(lines.Losses(), tally.List()...))
}

// message makes a message of a line; false for a line that is none.
func message(v kit.Value) (lore.Message, bool) {
	if !v.Get("words").IsString() {
		return lore.Message{}, false
	}
	m := lore.Message{Native: v.Get("id").String(), Role: lore.Assistant, AtFrom: lore.FromNone, Active: true,
		Parts: []lore.Part{kit.TextPart(lore.Text, v.Get("words"))}}
	if v.Get("who").String() == "me" {
		m.Role = lore.User
	}
	if at, ok := kit.ParseTime(v.Get("at")); ok {
		m.At, m.AtFrom = at, kit.TimeFrom(at)
	}
	return m, true
}
