package chatexport

import (
	"context"
	"fmt"
	"path"

	"github.com/cespare/xxhash/v2"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// reading is one file while it is read.
type reading struct {
	in     adapter.Input
	losses *kit.Tally // of the file
	ledger lore.Ledger
	talks  int               // conversations
	good   int               // elements that decode
	told   map[string]uint64 // conversations, with a hash of their bytes
	assets assets
	yield  yielder
}

func read(ctx context.Context, in adapter.Input, yield yielder) error {
	product, empty, err := sniff(in)
	switch {
	case err != nil:
		return err
	case in.Source.Product == "" && product == "":
		return adapter.ErrNotMine
	case in.Source.Product == "":
		in.Source.Product = product
	case product != in.Source.Product && !(empty && in.Source.Store != ""):
		return adapter.ErrNotMine
	}
	in.Source.Store = storeExport
	r := &reading{in: in, losses: kit.NewTally(in, in.Source.Path), told: map[string]uint64{},
		assets: assetsOf(in), yield: yield}
	stream, err := kit.Content(in, in.Source.Path)
	if err != nil {
		return err
	}
	defer stream.Close()
	known := isGPT
	if in.Source.Product == sourceClaude {
		known = isClaude
	}
	list := newElements(stream, maxElement, known)
	for el := list.next(ctx); el != nil; el = list.next(ctx) {
		if err := r.element(el, known, list.doc.Flaws()); err != nil {
			return err
		}
	}
	return r.end(list)
}

// sniff tells which product wrote the file; empty is true when the file holds no JSON at all.
func sniff(in adapter.Input) (product string, empty bool, err error) {
	stream, err := kit.Content(in, in.Source.Path)
	if err != nil {
		return "", false, err
	}
	defer stream.Close()
	b, err := readHead(stream)
	if err != nil {
		return "", false, err
	}
	named := in.Source.Store != "" || conversations().MatchString(path.Base(in.Source.Path))
	return productOf(b, named), isBlank(b), nil
}

// element reads one element of the array; flaws are those of its bytes.
func (r *reading) element(el *element, known func(kit.Value) bool, flaws kit.Flaws) error {
	r.fault(el)
	if el.data == nil {
		return nil
	}
	v := el.value
	if !known(v) {
		r.ledger.Meet("element")
		r.losses.More(lore.UnknownRecord, lore.Info, el.line, "elements that are no conversation")
		return nil
	}
	r.good++
	if r.again(el, v) {
		return nil
	}
	t := newTalk(r, el, v)
	t.lose(lore.InvalidUTF8, lore.Warning, flaws.InvalidUTF8, "bytes")
	t.lose(lore.LoneSurrogate, lore.Info, flaws.LoneSurrogates, "escapes")
	t.lose(lore.NulPadding, lore.Warning, flaws.NULs, "NUL bytes")
	if r.in.Source.Product == sourceClaude {
		return t.claude(v)
	}
	return t.gpt(v)
}

// again reports whether an element says, to the byte, what one before it said.
func (r *reading) again(el *element, v kit.Value) bool {
	id, hash := gptID(v), xxhash.Sum64(el.data)
	if r.in.Source.Product == sourceClaude {
		id = v.Get("uuid").String()
	}
	if before, ok := r.told[id]; id == "" || !ok || before != hash {
		r.told[id] = hash
		return false
	}
	r.ledger.Merge(v.Get("mapping").Len() + v.Get("chat_messages").Len())
	r.losses.More(lore.DuplicateLine, lore.Info, el.line, "conversations that stand there twice")
	return true
}

// fault tells what is wrong with an element as a whole. What is lost of it is one damaged unit.
func (r *reading) fault(el *element) {
	what := "lost"
	if el.data != nil {
		what = "its messages up to there are kept"
	}
	switch el.fault {
	case sound:
		return
	case damaged:
		r.losses.One(lore.BadJSON, lore.Warning, el.line, fmt.Sprintf("element %d: %s", el.number, what))
	case cutOff:
		r.losses.One(lore.BadJSON, lore.Warning, el.line, fmt.Sprintf("element %d: the file ends in it; %s", el.number, what))
	case oversized:
		r.losses.One(lore.OversizedRecord, lore.Warning, el.line,
			fmt.Sprintf("element %d at byte %d is above %d bytes: %s", el.number, el.offset, maxElement, what))
	}
	r.ledger.Damage(1)
}

// end tells what concerns the file as a whole.
func (r *reading) end(list *elements) error {
	if list.bom {
		r.losses.One(lore.BOMStripped, lore.Info, 0, "3 bytes")
	}
	if list.nuls > 0 {
		r.losses.One(lore.NulPadding, lore.Warning, 0, fmt.Sprintf("%d NUL bytes", list.nuls))
	}
	if list.strays > 0 {
		r.ledger.Damage(list.strays)
		r.losses.Many(lore.BadJSON, lore.Warning, list.stray, list.strays, "elements that are no objects")
	}
	if err := list.Err(); err != nil {
		return err
	}
	if r.talks == 0 && r.ledger.Damaged == 0 {
		r.losses.One(lore.Empty, lore.Info, 0, "no messages")
	}
	if losses := r.losses.List(); r.ledger.Units > 0 || len(losses) > 0 {
		c := &lore.Conversation{Source: r.in.Source.Product, Store: storeExport, Kind: lore.Main, Partial: true, Ledger: r.ledger, Losses: losses}
		if !r.yield(c, nil) {
			return kit.ErrStopped
		}
	}
	if r.good == 0 && r.ledger.Damaged > 0 {
		return fmt.Errorf("none of %d elements decodes: %w", r.ledger.Damaged, adapter.ErrMalformed)
	}
	return nil
}
