package service

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"lore"
	"lore/internal/archive"
	"lore/internal/index"
	"lore/internal/ingest"
)

// Inspect returns the ledger of an evidence or a conversation: what became of every unit. A file need not have been
// imported.
func (s *Service) Inspect(ctx context.Context, req InspectRequest) (*InspectResult, error) {
	res := &InspectResult{Schema: "lore.inspect.v1", Evidences: []InspectedEvidence{}}
	l, err := s.tryOpen(ctx)
	if err == nil {
		defer l.close()
		if res.Evidences, err = s.inspectArchived(ctx, l, req); err != nil || len(res.Evidences) > 0 {
			return res, s.failure(err)
		}
	} else if !errors.Is(err, archive.ErrNone) && !errors.Is(err, index.ErrNone) && !errors.Is(err, index.ErrRebuild) {
		return nil, s.failure(err)
	}
	name := s.expand(req.Target)
	if _, err := os.Stat(name); err != nil {
		return nil, failf(NotFound, err, "%q is no file and no id; `lore list` shows the ids", req.Target)
	}
	x, err := ingest.Examine(ctx, s.machine(), s.Adapters, name)
	if err != nil {
		return nil, failf(Usage, err, "%v", err)
	}
	if x == nil {
		return nil, failf(NotFound, nil, "no source of this program writes a file like %q", req.Target)
	}
	res.Evidences = []InspectedEvidence{examined(x)}
	return res, nil
}

// expand turns a path as locators write it into one of this machine.
func (s *Service) expand(target string) string {
	if rest, ok := strings.CutPrefix(target, "~/"); ok {
		return filepath.Join(s.Home, filepath.FromSlash(rest))
	}
	return target
}

// collapse turns a path into the form that locators have.
func (s *Service) collapse(target string) string {
	target, part, parted := strings.Cut(target, "//")
	if parted {
		part = "//" + part // a part of a database's rows
	}
	abs, err := filepath.Abs(s.expand(target))
	if err != nil {
		return target
	}
	if rel, err := filepath.Rel(s.Home, abs); err == nil && filepath.IsLocal(rel) {
		return "~/" + filepath.ToSlash(rel) + part
	}
	return filepath.ToSlash(abs) + part
}

// evidencesAt looks a target up as a path, then as an id: with facts also those that only tell something about the
// conversation, and hold none of it. Neither is no error.
func (s *Service) evidencesAt(l *library, target string, facts bool) ([]index.Evidence, error) {
	all, err := l.index.EvidenceAt(s.collapse(target))
	if err != nil {
		return nil, err
	}
	if len(all) == 0 { // a path as the archive writes it: notes, and what another machine has kept
		if all, err = l.index.EvidenceAt(target); err != nil {
			return nil, err
		}
	}
	if len(all) == 0 {
		if all, err = l.evidencesOf(target, facts); err != nil {
			return nil, err
		}
	}
	if len(all) == 0 {
		return nil, nil
	}
	return l.withParts(all)
}

// inspectArchived tells of the evidences of a target. None is no error.
func (s *Service) inspectArchived(ctx context.Context, l *library, req InspectRequest) ([]InspectedEvidence, error) {
	all, err := s.evidencesAt(l, req.Target, true)
	if err != nil {
		return nil, err
	}
	v := newVersions(ctx, l, req.Diff)
	var out []InspectedEvidence
	for i := range all {
		x, err := l.inspect(&all[i], v)
		if err != nil {
			return nil, err
		}
		out = append(out, *x)
	}
	return out, nil
}

// withParts adds to a database the parts that its rows are kept in.
func (l *library) withParts(found []index.Evidence) ([]index.Evidence, error) {
	all, err := l.index.Evidences()
	if err != nil {
		return nil, err
	}
	prefix := found[0].Path + "//"
	for _, e := range all {
		if strings.HasPrefix(e.Path, prefix) {
			found = append(found, e)
		}
	}
	return found, nil
}

// evidencesOf returns the evidences of the conversation that an id names; none when it names nothing.
func (l *library) evidencesOf(target string, facts bool) ([]index.Evidence, error) {
	m, err := l.resolve(target)
	var f *Failure
	if errors.As(err, &f) && f.Kind == NotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	links, err := l.index.Links(m.Conversation)
	if err != nil {
		return nil, err
	}
	var all []index.Evidence
	for _, link := range links {
		if link.Partial && !facts {
			continue
		}
		e, err := l.index.Evidence(link.Evidence)
		if err != nil {
			return nil, err
		}
		all = append(all, *e)
	}
	return all, nil
}

// inspect tells of one archived evidence.
func (l *library) inspect(e *index.Evidence, v *versions) (*InspectedEvidence, error) {
	f, err := l.archive.File(e.ID)
	if err != nil {
		return nil, err
	}
	snapshots, err := l.archive.Snapshots(e.ID)
	if err != nil {
		return nil, err
	}
	companions, err := l.archive.Companions(e.ID)
	if err != nil {
		return nil, err
	}
	linked, err := l.index.LinkedTo(e.ID)
	if err != nil {
		return nil, err
	}
	x := &InspectedEvidence{File: e.Path, Source: e.Source, Store: e.Store, InSource: f.InSource, Snapshots: len(snapshots),
		Companions: []string{}, Ledger: e.Ledger, Losses: losses(e.Losses), Conversations: []InspectedPart{}, Failure: e.Failure}
	if x.Versions, err = v.of(snapshots); err != nil {
		return nil, err
	}
	if len(snapshots) > 0 {
		x.Bytes = snapshots[0].Size
	}
	for _, c := range companions {
		x.Companions = append(x.Companions, c.Path)
	}
	for _, link := range linked {
		part := InspectedPart{ID: link.Conversation, ShortID: l.short([]lore.ID{link.Conversation})[0], Messages: link.Messages,
			Partial: link.Partial, Ledger: link.Ledger}
		if entry, err := l.index.Conversation(link.Conversation); err == nil {
			part.NativeID = entry.Native
			if header, err := entry.Conversation(); err == nil {
				part.Title = header.Title
			}
		}
		x.Ledger.Add(link.Ledger)
		x.Losses = append(x.Losses, link.Losses...)
		x.Conversations = append(x.Conversations, part)
	}
	return x, nil
}

// examined tells of one evidence that was read at its source.
func examined(x *ingest.Examined) InspectedEvidence {
	out := InspectedEvidence{File: x.Name, Source: x.Source, Store: x.Store, Bytes: x.Size, InSource: true,
		Companions: x.Companions, Ledger: x.Ledger, Losses: losses(x.Losses), Conversations: []InspectedPart{},
		Versions: []EvidenceVersion{}}
	if out.Companions == nil {
		out.Companions = []string{}
	}
	if x.Err != nil {
		out.Failure = x.Err.Error()
	}
	for _, c := range x.Records {
		out.Conversations = append(out.Conversations, InspectedPart{ID: c.ID, ShortID: c.ID.Short(), NativeID: c.Native,
			Title: c.Title, Messages: c.MessageCount, Ledger: c.Ledger})
		out.Ledger.Add(c.Ledger)
		out.Losses = append(out.Losses, c.Losses...)
	}
	return out
}
