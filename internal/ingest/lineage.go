package ingest

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"lore"
	"lore/internal/index"
)

// relative is a conversation that begins with the same messages as others.
type relative struct {
	entry    *index.Entry
	header   *lore.Conversation
	messages []index.Message
}

// lineages finds, for conversations that are new, which others begin with the same messages: a source that resumes or
// forks a session copies its records into a new file and says nowhere where they come from. The result does not depend
// on which of them was imported first.
func (r *run) lineages(ctx context.Context, x *index.Reader) (out []restatement, err error) {
	done := map[int64]bool{}
	defer x.Forgo()
	for i, id := range r.fresh {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if i%64 == 63 {
			x.Forgo()
		}
		group, err := relatives(x, id, done)
		if err != nil {
			return nil, err
		}
		if len(group) < 2 {
			continue
		}
		for i := 1; i < len(group); i++ {
			found := descent(group[:i], group[i])
			if found == nil || sameLineage(group[i].header.Lineage, found) {
				continue
			}
			out = append(out, restatement{group[i].entry.ID, found})
		}
	}
	return out, nil
}

// firstNamed is among how many of its first messages a conversation's kin is looked for.
const firstNamed = 8

// relatives returns the conversations that hold one of the first messages of a new one, itself included, the one that
// ended first in front.
func relatives(x *index.Reader, id lore.ID, done map[int64]bool) ([]relative, error) {
	e, err := x.Conversation(id)
	if err != nil {
		return nil, err
	}
	if done[e.Row] {
		return nil, nil
	}
	first, err := x.Messages(id)
	if err != nil {
		return nil, err
	}
	first = first[:min(len(first), firstNamed)]
	rows := map[int64]bool{}
	for i := range first {
		if first[i].NativeHash == 0 || !first[i].Active {
			continue
		}
		same, err := x.ByNativeHash(first[i].NativeHash)
		if err != nil {
			return nil, err
		}
		for k := range same {
			if same[k].ContentID == first[i].ContentID {
				rows[same[k].Conversation] = true
			}
		}
		break
	}
	if len(rows) < 2 {
		return nil, nil
	}
	return loadRelatives(x, e.Source, rows, done)
}

func loadRelatives(x *index.Reader, source string, rows, done map[int64]bool) ([]relative, error) {
	var group []relative
	for row := range rows {
		e, err := x.ConversationRow(row)
		if err != nil {
			return nil, err
		}
		if e.Source != source || e.Native == "" {
			continue
		}
		done[row] = true
		header, err := e.Conversation()
		if err != nil {
			return nil, err
		}
		messages, err := x.Messages(e.ID)
		if err != nil {
			return nil, err
		}
		group = append(group, relative{e, header, messages})
	}
	slices.SortFunc(group, func(a, b relative) int {
		return cmp.Or(cmp.Compare(a.header.EndedAt.UnixNano(), b.header.EndedAt.UnixNano()),
			cmp.Compare(len(a.messages), len(b.messages)), bytes.Compare(a.entry.ID[:], b.entry.ID[:]))
	})
	return group, nil
}

// descent returns of which of the older ones a conversation is a copy: the one that shares most of its beginning.
func descent(older []relative, c relative) *lore.Lineage {
	var best *lore.Lineage
	for _, o := range older {
		type key struct {
			native  uint64
			content lore.ID
		}
		has := make(map[key]bool, len(o.messages))
		for i := range o.messages {
			has[key{o.messages[i].NativeHash, o.messages[i].ContentID}] = true
		}
		shared := 0
		for i := range c.messages {
			if !has[key{c.messages[i].NativeHash, c.messages[i].ContentID}] {
				break
			}
			shared++
		}
		if shared == 0 || (best != nil && shared <= best.Shared) {
			continue
		}
		kind := lore.Fork
		if shared >= len(o.messages) {
			kind = lore.Continuation
		}
		best = &lore.Lineage{Kind: kind, OfNative: o.entry.Native, Of: o.entry.ID, Shared: shared}
	}
	return best
}

func sameLineage(a, b *lore.Lineage) bool {
	return a != nil && a.Of == b.Of && a.Shared == b.Shared
}
