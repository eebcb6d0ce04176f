package service

import "context"

// Sources says what was looked for, where, and what was found.
func (s *Service) Sources(ctx context.Context) (*SourcesResult, error) {
	return nil, failf(Internal, nil, "sources is not built yet")
}
