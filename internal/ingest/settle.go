package ingest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"lore"
	"lore/internal/index"
)

// settle does, when every evidence was read, what needs more than one of them: conversations that several evidences speak
// of, facts that one tells about another's, and which conversation continues which.
func (r *run) settle(ctx context.Context) error {
	unwoven, err := r.prompts.unwoven()
	if err != nil {
		return err
	}
	for _, id := range unwoven {
		r.joint[id] = true
	}
	if err := r.archive.Commit(); err != nil {
		return err
	}
	if err := r.reput(ctx, again(keys(r.joint))); err != nil {
		return err
	}
	if err := r.commit(ctx); err != nil {
		return err
	}
	return r.relate(ctx)
}

// relate does what needs the index of all that was read: it asks which conversation holds a message.
func (r *run) relate(ctx context.Context) error {
	x, err := index.Open(r.indexDir, index.ReaderOptions{})
	if err != nil {
		return err
	}
	defer x.Close()
	told, err := r.resolveAbout(ctx, x)
	if err != nil {
		return err
	}
	late, err := r.lateFacts(told)
	if err != nil {
		return err
	}
	if err := r.reput(ctx, again(late)); err != nil {
		return err
	}
	descended, err := r.lineages(ctx, x)
	if err != nil {
		return err
	}
	if err := r.reput(ctx, descended); err != nil {
		return err
	}
	lists, err := r.lists()
	if err != nil {
		return err
	}
	r.said = x
	if err := r.reput(ctx, again(lists)); err != nil {
		return err
	}
	if err := r.index.Settle(); err != nil {
		return err
	}
	return r.commit(ctx)
}

func keys(m map[lore.ID]bool) []lore.ID {
	ids := make([]lore.ID, 0, len(m))
	for id := range m {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b lore.ID) int { return bytes.Compare(a[:], b[:]) })
	return ids
}

// restatement is a conversation to be put again, with the lineage that was found for it, if any.
type restatement struct {
	id      lore.ID
	lineage *lore.Lineage
}

func again(ids []lore.ID) []restatement {
	out := make([]restatement, len(ids))
	for i, id := range ids {
		out[i].id = id
	}
	return out
}

// reput joins conversations from the archive and puts them, on every core. No id may stand twice in the list.
func (r *run) reput(ctx context.Context, list []restatement) error {
	if len(list) == 0 {
		return nil
	}
	errs := make([]error, min(runtime.GOMAXPROCS(0), len(list)))
	var next atomic.Int64
	var failed atomic.Bool
	var wait sync.WaitGroup
	for w := range errs {
		wait.Go(func() {
			of := r.worker()
			defer r.rest(of)
			for !failed.Load() {
				i := int(next.Add(1)) - 1
				if i >= len(list) {
					return
				}
				if errs[w] = r.reputOne(ctx, of.session, list[i].id, list[i].lineage); errs[w] != nil {
					failed.Store(true)
				}
			}
		})
	}
	wait.Wait()
	return errors.Join(errs...)
}

func (r *run) assembler() *Assembler {
	return &Assembler{archive: r.archive.Archive, catalog: r.index, said: r.said, adapters: func() readers { return r.adapters }, held: r.prompts.record}
}

// reputOne joins one conversation and puts it, with the lineage that was found for it, if any.
func (r *run) reputOne(ctx context.Context, s *index.Session, id lore.ID, lineage *lore.Lineage) error {
	if err := s.Begin(id); err != nil {
		return err
	}
	sealer := lore.NewSealer()
	var last *lore.Conversation
	var losses []lore.Loss
	more := slices.Clone(r.spoken[id])
	for _, l := range r.prompts.lists[id] {
		more = append(more, l.file)
	}
	links, in, err := r.assembler().pieces(ctx, id, more, func(c *lore.Conversation) error {
		sealer.Piece(c)
		last, losses = c, append(losses, c.Losses...)
		return r.add(s, c, 0)
	})
	if err != nil || last == nil {
		s.Abort()
		return err
	}
	if lineage != nil && (last.Lineage == nil || last.Lineage.OfNative == "") {
		last.Lineage = lineage
	}
	sealer.Finish(last)
	last.Losses = losses
	if out, err := r.leftOut(last, links); out || err != nil {
		s.Abort()
		return err
	}
	return r.finish(s, last, in, links)
}

// lateFacts returns the conversations whose header does not yet say what this import's evidences tell of them, and
// reports those that are told of and do not exist.
func (r *run) lateFacts(told []lore.ID) ([]lore.ID, error) {
	late := map[lore.ID]bool{}
	for _, id := range told {
		late[id] = true
	}
	for evidence, fresh := range r.told {
		facts, err := r.index.FactsOf(evidence)
		if err != nil {
			return nil, err
		}
		new := map[string]bool{}
		for _, f := range fresh {
			new[factKey(f)] = true
		}
		for _, f := range facts {
			if !new[factKey(f)] {
				continue
			}
			id, err := r.lateFact(f)
			if err != nil {
				return nil, err
			}
			if !id.IsZero() {
				late[id] = true
			}
		}
	}
	return keys(late), nil
}

// lateFact returns the conversation that a fact changes; the zero id when there is none.
func (r *run) lateFact(f index.Fact) (lore.ID, error) {
	var d factData
	if err := json.Unmarshal(f.Data, &d); err != nil {
		return lore.ID{}, fmt.Errorf("fact about %q: %w", f.Native, err)
	}
	e, err := r.subject(f)
	if err != nil {
		return lore.ID{}, err
	}
	if e == nil {
		r.bodyMissing(f, d)
		return lore.ID{}, nil
	}
	c, err := e.Conversation()
	if err != nil {
		return lore.ID{}, err
	}
	before := string(lore.AppendJSON(nil, c))
	if d, err = (&facts{catalog: r.index}).about(f.Source, f.Native); err != nil {
		return lore.ID{}, err
	}
	if applyFact(c, d); before == string(lore.AppendJSON(nil, c)) && (d.Title == "" || d.Title == c.Title) {
		return lore.ID{}, nil
	}
	return e.ID, nil
}

// subject returns the conversation that a fact is about; nil when there is none.
func (r *run) subject(f index.Fact) (*index.Entry, error) {
	if f.Native == "" {
		return nil, nil
	}
	e, err := r.index.Conversation(lore.ConversationID(f.Source, f.Native))
	if errors.Is(err, index.ErrNotFound) {
		return nil, nil
	}
	return e, err
}

// bodyMissing reports a title whose conversation no evidence holds.
func (r *run) bodyMissing(f index.Fact, d factData) {
	if d.Title == "" {
		return // a call that started a conversation which has left no file, or a project of none
	}
	what := fmt.Sprintf("conversation %q", f.Native)
	if f.Native == "" {
		what = fmt.Sprintf("the conversation of message %q", f.About)
	}
	if d.Title != "" {
		what += fmt.Sprintf(", titled %q", d.Title)
	}
	r.tally.lose(lore.Loss{Code: lore.MissingBody, Severity: lore.Info, Source: f.Source, File: d.File, What: what, Count: 1})
}
