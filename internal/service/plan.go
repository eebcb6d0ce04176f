package service

import (
	"context"

	"lore"
	"lore/internal/ingest"
)

// PlanResult is what an import would do.
type PlanResult struct {
	Schema   string         `json:"schema"`  // "lore.plan.v1"
	Sources  []SourceReport `json:"sources"` // read counts what would be read; nothing is known of conversations
	Files    []PlannedFile  `json:"files"`   // all but the unchanged ones
	Losses   []lore.Loss    `json:"losses"`
	Failures []Fault        `json:"failures"`

	Found bool `json:"-"` // at least one source exists on this machine, or was named
}

// PlannedFile is an evidence that an import would not leave as it is, or that the configuration leaves out.
type PlannedFile struct {
	Source string `json:"source"`
	File   string `json:"file"`
	Bytes  int64  `json:"bytes"`
	State  string `json:"state"` // "new", "changed", "reread" from the archive, "excluded", "gone" from its source
}

// PlanImport says what an import with the same request would read and keep. Nothing is written.
func (s *Service) PlanImport(ctx context.Context, req ImportRequest) (*PlanResult, error) {
	options, err := s.importOptions(req)
	if err != nil {
		return nil, err
	}
	p, err := ingest.Prepare(ctx, options)
	if err != nil {
		return nil, s.failure(err)
	}
	res := &PlanResult{Schema: "lore.plan.v1", Sources: []SourceReport{}, Files: []PlannedFile{}, Losses: losses(p.Losses), Failures: []Fault{}, Found: p.Looked}
	for _, x := range p.Sources {
		res.Sources = append(res.Sources, SourceReport(x))
	}
	for _, f := range p.Files {
		res.Files = append(res.Files, PlannedFile(f))
	}
	for _, f := range p.Failures {
		res.Failures = append(res.Failures, Fault{Source: f.Source, File: f.File, Error: f.Err.Error()})
	}
	return res, nil
}
