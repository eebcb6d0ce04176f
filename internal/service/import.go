package service

import "context"

// Import finds every source (or reads the paths), archives what is new and indexes it.
func (s *Service) Import(ctx context.Context, req ImportRequest) (*ImportResult, error) {
	return nil, failf(Internal, nil, "import is not built yet")
}
