package service

import "context"

// Show returns one conversation, or one message with its neighbours.
func (s *Service) Show(ctx context.Context, req ShowRequest) (*ShowResult, error) {
	return nil, failf(Internal, nil, "show is not built yet")
}
