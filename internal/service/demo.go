package service

import (
	"context"
	"embed"
	"os"
	"path/filepath"
)

// samples is the home folder of an invented person: one small history for each source.
//
//go:embed all:demo
var samples embed.FS

// demoQuery is what the demo looks for, in the words that a person would type months later.
const demoQuery = "retry budget"

// DemoResult is the main job done once on sample histories.
type DemoResult struct {
	Schema string        `json:"schema"` // "lore.demo.v1"
	Import *ImportResult `json:"import"`
	List   *ListResult   `json:"list"`
	Query  string        `json:"query"`
	Search *SearchResult `json:"search"`
	Show   *ShowResult   `json:"show"` // the message of the first hit, with its neighbours
}

// Demo writes the sample histories into a temporary folder, imports, lists, searches and shows them, and removes the
// folder. Nothing of the user's is read or written.
func (s *Service) Demo(ctx context.Context) (*DemoResult, error) {
	tmp, err := os.MkdirTemp("", "lore-demo-")
	if err != nil {
		return nil, failf(Internal, err, "cannot make a temporary folder: %v; set TMPDIR to one that can be written", err)
	}
	defer os.RemoveAll(tmp)
	home := filepath.Join(tmp, "home")
	if err := unpack(home); err != nil {
		return nil, failf(Internal, err, "cannot write the sample histories to %q: %v", home, err)
	}
	d := *s
	d.Dir, d.Home, d.OwnHome = filepath.Join(tmp, "lore"), home, true
	res := &DemoResult{Schema: "lore.demo.v1", Query: demoQuery}
	if res.Import, err = d.Import(ctx, ImportRequest{}); err != nil {
		return nil, err
	}
	if res.List, err = d.List(ctx, ListRequest{}); err != nil {
		return nil, err
	}
	if res.Search, err = d.Search(ctx, SearchRequest{Query: demoQuery, Limit: 5}); err != nil {
		return nil, err
	}
	if len(res.Search.Hits) == 0 {
		return nil, failf(Internal, nil, "the demo found nothing for %q (please report this)", demoQuery)
	}
	res.Show, err = d.Show(ctx, ShowRequest{ID: res.Search.Hits[0].ID.String(), Context: 1})
	return res, err
}
