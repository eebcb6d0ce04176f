package archive

import "errors"

// File returns one file by its id, without listing all. The error is ErrUnknown when there is none. Ingest, show and
// snippets ask this once for each evidence: it is one query by key.
func (a *Archive) File(id int64) (*File, error) { return nil, errors.ErrUnsupported }

// Companions returns the companions of a main evidence, by id. None is no error.
func (a *Archive) Companions(main int64) ([]File, error) { return nil, errors.ErrUnsupported }
