package ingest

import (
	"context"
	"errors"

	"lore/internal/archive"
	"lore/internal/index"
)

// Compact gives back the space that archive and index do not need. It returns what the archive's sweep removed.
func Compact(ctx context.Context, o Options) (swept archive.Swept, err error) {
	aw, err := archive.OpenWriter(o.Dir, archive.Options{Now: o.Now})
	if err != nil {
		return swept, err
	}
	defer func() { err = errors.Join(err, aw.Close()) }()
	if swept, err = aw.Compact(ctx); err != nil {
		return swept, err
	}
	at, err := IndexDir(o.Dir)
	if errors.Is(err, index.ErrNone) || errors.Is(err, index.ErrRebuild) {
		return swept, nil // the next command makes it
	}
	if err != nil {
		return swept, err
	}
	x, err := index.OpenWriter(at, index.WriterOptions{})
	if errors.Is(err, index.ErrRebuild) {
		return swept, nil
	}
	if err != nil {
		return swept, err
	}
	return swept, errors.Join(x.Purge(ctx), x.Close())
}
