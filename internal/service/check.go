package service

import (
	"context"
	"errors"
	"time"

	"lore"
	"lore/internal/archive"
	"lore/internal/index"
	"lore/internal/ingest"
)

// CheckRequest asks whether archive, records and index are sound.
type CheckRequest struct {
	Full bool // read every byte and compute every record anew
}

// CheckResult is what a check found. It is sound when there are no faults.
type CheckResult struct {
	Schema    string         `json:"schema"` // "lore.check.v1"
	ElapsedMS int64          `json:"elapsed_ms"`
	Full      bool           `json:"full"`
	Sound     bool           `json:"sound"`
	Archive   CheckedArchive `json:"archive"`
	Index     CheckedIndex   `json:"index"`
	Records   CheckedRecords `json:"records"`
	Faults    []CheckFault   `json:"faults"`
	Notes     []string       `json:"notes"` // what was not looked at, and why
}

// CheckedArchive counts what was looked at in the archive.
type CheckedArchive struct {
	Files     int   `json:"files"`
	Snapshots int   `json:"snapshots"`
	Chains    int   `json:"chains"`
	Blocks    int   `json:"blocks"`
	Bytes     int64 `json:"bytes"` // of the blocks, decoded
	Unused    int   `json:"unused_blocks"`
	Pages     int   `json:"pages"` // compared with their sums
}

// CheckedIndex counts what was looked at in the index.
type CheckedIndex struct {
	Conversations int `json:"conversations"`
	Messages      int `json:"messages"`
	Evidences     int `json:"evidences"`
	Segments      int `json:"segments"`
	Pages         int `json:"pages"`
}

// CheckedRecords counts what of the archive was compared with the index.
type CheckedRecords struct {
	Evidences     int `json:"evidences"` // rows
	Read          int `json:"read"`      // evidences that were read again
	Conversations int `json:"conversations"`
	Messages      int `json:"messages"`
}

// CheckFault is one thing that is wrong.
type CheckFault struct {
	Where        string   `json:"where"`              // "archive", "index", or "records": the index does not fit the archive
	What         string   `json:"what"`               // the kind of thing
	ID           int64    `json:"id,omitempty"`       // its number; 0: it has none
	Name         string   `json:"name,omitempty"`     // of a segment
	Conversation *lore.ID `json:"conversation"`       // that suffers; null: not known, or several
	Files        []string `json:"files"`              // evidences that suffer
	Snapshot     int64    `json:"snapshot,omitempty"` // the first one that suffers; 0: all, or none
	Detail       string   `json:"detail"`
	Fix          string   `json:"fix"` // what to do about it
}

// What to do about faults.
const (
	fixArchive = "put a backup of archive.db back; without one, move archive.db away and run `lore import`: what the agents still have comes back"
	fixFilter  = "nothing is lost, `lore grep` reads more than it has to; `lore import --verify` goes on"
	fixSums    = "nothing is lost; the next `lore import` makes them again"
	fixIndex   = "run `lore import --reindex`"
	fixStale   = "run `lore import`; if it says the same again, `lore import --reindex`"
)

// Check verifies archive, records and index against each other. Faults are in the result, not an error.
func (s *Service) Check(ctx context.Context, req CheckRequest) (*CheckResult, error) {
	began := s.Now()
	k := &check{service: s, full: req.Full, res: CheckResult{Schema: "lore.check.v1", Full: req.Full, Faults: []CheckFault{}, Notes: []string{}}}
	if err := k.run(ctx); err != nil {
		return nil, s.failure(err)
	}
	k.res.Sound = len(k.res.Faults) == 0
	k.res.ElapsedMS = s.Now().Sub(began).Round(time.Millisecond).Milliseconds()
	return &k.res, nil
}

// check is a Check on its way.
type check struct {
	service *Service
	full    bool
	res     CheckResult
}

func (k *check) fault(f CheckFault) {
	if f.Files == nil {
		f.Files = []string{}
	}
	k.res.Faults = append(k.res.Faults, f)
}

func (k *check) run(ctx context.Context) error {
	a, err := k.service.openArchive(ctx)
	switch {
	case errors.Is(err, archive.ErrNone):
		return failf(NotFound, err, "there is no archive in %q yet: run `lore import`", k.service.Dir)
	case errors.Is(err, archive.ErrDamaged):
		k.fault(CheckFault{Where: "archive", What: "database", Detail: err.Error(), Fix: fixArchive})
	case err != nil:
		return err
	default:
		defer a.Close()
		if err := k.archive(ctx, a); err != nil {
			return err
		}
	}
	x, err := k.index(ctx)
	if err != nil || x == nil {
		return err
	}
	defer x.Close()
	if a == nil {
		return nil
	}
	return k.records(ctx, a, x)
}

func (k *check) archive(ctx context.Context, a *archive.Archive) error {
	r, err := a.Check(ctx, k.full)
	if errors.Is(err, archive.ErrDamaged) {
		k.fault(CheckFault{Where: "archive", What: "database", Detail: err.Error(), Fix: fixArchive})
		err = nil
	}
	if err != nil {
		return err
	}
	k.res.Archive = CheckedArchive{Files: r.Files, Snapshots: r.Snapshots, Chains: r.Chains, Blocks: r.Blocks, Bytes: r.Bytes,
		Unused: r.Unused, Pages: r.Pages}
	for _, f := range r.Faults {
		fix := fixArchive
		switch f.What {
		case "filter":
			fix = fixFilter
		case "sums":
			fix = fixSums
		}
		k.fault(CheckFault{Where: "archive", What: f.What, ID: f.ID, Files: f.Files, Snapshot: f.Snapshot, Detail: f.Detail, Fix: fix})
	}
	if k.full && r.Pages == 0 && len(r.Faults) == 0 {
		k.note("the sums of the archive's pages are not known, because an import was cut short or is running; the next one makes them")
	}
	return nil
}

func (k *check) note(text string) { k.res.Notes = append(k.res.Notes, text) }

// index opens and checks the index. Nil: it cannot be opened, and a fault says so.
func (k *check) index(ctx context.Context) (*index.Reader, error) {
	broken := func(err error) error {
		if !errors.Is(err, index.ErrNone) && !errors.Is(err, index.ErrRebuild) {
			return err
		}
		k.fault(CheckFault{Where: "index", What: "index", Detail: err.Error(), Fix: fixIndex})
		return nil
	}
	dir, err := ingest.IndexDir(k.service.Dir)
	if err != nil {
		return nil, broken(err)
	}
	x, err := index.Open(dir, index.ReaderOptions{})
	if err != nil {
		return nil, broken(err)
	}
	r, err := x.Check(ctx, k.full)
	if err != nil {
		x.Close()
		return nil, err
	}
	k.res.Index = CheckedIndex{Conversations: r.Conversations, Messages: r.Messages, Evidences: r.Evidences, Segments: r.Segments, Pages: r.Pages}
	for _, f := range r.Faults {
		fix := fixIndex
		if f.What == "sums" {
			fix = fixSums
		}
		fault := CheckFault{Where: "index", What: f.What, ID: f.ID, Name: f.Name, Detail: f.Detail, Fix: fix}
		if !f.Conversation.IsZero() {
			fault.Conversation = &f.Conversation
		}
		k.fault(fault)
	}
	return x, nil
}

// records compares the archive with the index. While an import runs the two differ, and nothing is wrong.
func (k *check) records(ctx context.Context, a *archive.Archive, x *index.Reader) error {
	r, err := ingest.CheckRecords(ctx, a, x, k.service.Adapters, k.full)
	if errors.Is(err, archive.ErrDamaged) || errors.Is(err, index.ErrRebuild) {
		if len(k.res.Faults) == 0 {
			k.fault(CheckFault{Where: "records", What: "database", Detail: err.Error(), Fix: fixIndex})
		}
		return nil
	}
	if err != nil {
		return err
	}
	k.res.Records = CheckedRecords{Evidences: r.Evidences, Read: r.Read, Conversations: r.Conversations, Messages: r.Messages}
	if r.Outdated > 0 {
		k.note("this version reads some evidences by newer rules than the index was made by: the next `lore import` does so")
	}
	if len(r.Faults) > 0 && (archive.Importing(k.service.Dir) || !x.Current()) {
		k.note("an import is running: whether the index fits the archive can be told when it has ended")
		return nil
	}
	for _, f := range r.Faults {
		fault := CheckFault{Where: "records", What: "evidence", ID: f.Evidence, Detail: f.Detail, Fix: fixStale}
		if f.File != "" {
			fault.Files = []string{f.File}
		}
		if !f.Conversation.IsZero() {
			fault.What, fault.Conversation, fault.Fix = "conversation", &f.Conversation, fixIndex
		}
		k.fault(fault)
	}
	return nil
}
