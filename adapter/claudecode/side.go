package claudecode

import (
	"fmt"
	"path"
	"strings"

	"lore"
	"lore/adapter"
)

// readSide reads a side file whose transcript is gone: the result of a call that nobody remembers.
func readSide(in adapter.Input, out *sink) error {
	p := in.Source.Path
	s := sides{in: in}
	got, ok := s.open(p)
	if !ok {
		return fmt.Errorf("open %q: no such side file", p)
	}
	if got.size == 0 {
		return blankSide(in, out)
	}
	part := lore.Part{Kind: lore.Result, Text: got.text}
	if id := strings.TrimSuffix(path.Base(p), path.Ext(p)); strings.HasPrefix(id, "toolu_") {
		part.CallID = id
	}
	var lost losses
	lost.file = in.Name(p)
	if got.size > maxSide {
		part.Cut, part.Bytes = true, got.size
		lost.add(lore.OversizedRecord, lore.Warning, 0, "the file is cut")
	}
	if got.invalid > 0 {
		lost.add(lore.InvalidUTF8, lore.Warning, 0, plural(got.invalid, "byte", "bytes"))
	}
	c := &lore.Conversation{
		Source: source, Store: storeSide, Native: sideSession(p), Kind: lore.Main, Losses: lost.list,
		Messages: []lore.Message{{
			Role: lore.Tool, AtFrom: lore.FromNone, Active: true, Parts: []lore.Part{part}, Units: 1,
			Origins: []lore.Locator{{File: in.Name(p), Line: 1, Length: min(got.size, maxSide)}},
		}},
	}
	c.Ledger.Keep(1)
	out.put(c)
	return nil
}

// blankSide yields what an empty side file says: nothing.
func blankSide(in adapter.Input, out *sink) error {
	lost := losses{file: in.Name(in.Source.Path)}
	lost.add(lore.Empty, lore.Info, 0, "no text")
	out.put(&lore.Conversation{Source: source, Store: storeSide, Partial: true, Kind: lore.Main, Losses: lost.list})
	return nil
}
