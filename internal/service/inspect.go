package service

import "context"

// Inspect returns the ledger of an evidence or a conversation.
func (s *Service) Inspect(ctx context.Context, req InspectRequest) (*InspectResult, error) {
	return nil, failf(Internal, nil, "inspect is not built yet")
}
