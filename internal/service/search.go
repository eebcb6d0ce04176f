package service

import "context"

// Search answers a query from what was imported.
func (s *Service) Search(ctx context.Context, req SearchRequest) (*SearchResult, error) {
	return nil, failf(Internal, nil, "search is not built yet")
}
