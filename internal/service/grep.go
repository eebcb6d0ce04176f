package service

import "context"

// Grep yields every match in everything archived, as events. An error of emit ends it.
func (s *Service) Grep(ctx context.Context, req GrepRequest, emit func(GrepEvent) error) error {
	return failf(Internal, nil, "grep is not built yet")
}
