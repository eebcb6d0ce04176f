package service

import "context"

// List returns conversations, newest first.
func (s *Service) List(ctx context.Context, req ListRequest) (*ListResult, error) {
	return nil, failf(Internal, nil, "list is not built yet")
}
