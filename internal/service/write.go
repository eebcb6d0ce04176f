package service

import (
	"context"
	"errors"
	"time"

	"lore/internal/archive"
	"lore/internal/ingest"
)

// How long a small change waits for an import that holds the archive, and how often it looks.
const (
	writeWait = 5 * time.Second
	writeLook = 50 * time.Millisecond
)

// write changes the archive by something small. It waits a little where another import holds it.
func (s *Service) write(ctx context.Context, change func(*archive.Writer) error) error {
	return s.patiently(ctx, func() error {
		w, err := archive.OpenWriter(s.Dir, archive.Options{Now: s.Now})
		if err != nil {
			return err
		}
		return errors.Join(change(w), w.Close())
	})
}

// take puts something into the archive and brings the index up to it, without looking at any source.
func (s *Service) take(ctx context.Context, change func(*archive.Writer) error) (report *ingest.Report, err error) {
	o, err := s.importOptions(ImportRequest{Progress: s.Progress})
	if err != nil {
		return nil, err
	}
	o.Within, o.Before = true, change
	err = s.patiently(ctx, func() error {
		report, err = ingest.Run(ctx, o)
		return err
	})
	return report, err
}

// patiently tries again while another import holds the archive.
func (s *Service) patiently(ctx context.Context, do func() error) error {
	for waited := time.Duration(0); ; waited += writeLook {
		err := do()
		if !errors.Is(err, archive.ErrBusy) || waited >= writeWait {
			return s.failure(err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(writeLook):
		}
	}
}
