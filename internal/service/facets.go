package service

import (
	"strings"

	"lore/internal/index"
)

// FacetCounts counts the messages that answer a search, on all its pages. A facet that was not asked for is absent.
type FacetCounts struct {
	Messages      int          `json:"messages"`
	Conversations int          `json:"conversations"`
	Exact         bool         `json:"exact"` // false: some texts were not read, or only the likeliest conversations were
	Source        []FacetShare `json:"source,omitempty"`
	Project       []FacetShare `json:"project,omitempty"`
	Role          []FacetShare `json:"role,omitempty"`
	Day           []FacetShare `json:"day,omitempty"`
	Model         []FacetShare `json:"model,omitempty"`
	Tool          []FacetShare `json:"tool,omitempty"`
}

// FacetShare is one value of a facet.
type FacetShare struct {
	Value         string `json:"value"`
	Messages      int    `json:"messages"`
	Conversations int    `json:"conversations"`
}

// FacetNames are the facets that a search can be asked for.
func FacetNames() []string {
	names := make([]string, len(index.Facets))
	for i, f := range index.Facets {
		names[i] = string(f)
	}
	return names
}

// facetsOf reads the names of facets.
func facetsOf(names []string) ([]index.Facet, error) {
	var all []index.Facet
	for _, name := range names {
		known := false
		for _, f := range index.Facets {
			known = known || string(f) == name
		}
		if !known {
			return nil, failf(Usage, nil, "unknown facet %q; use %s", name, strings.Join(FacetNames(), ", "))
		}
		all = append(all, index.Facet(name))
	}
	return all, nil
}

func facetCounts(t *index.Tally) *FacetCounts {
	if t == nil {
		return nil
	}
	return &FacetCounts{Messages: t.Messages, Conversations: t.Conversations, Exact: t.Exact,
		Source: shares(t, index.BySource), Project: shares(t, index.ByProject), Role: shares(t, index.ByRole),
		Day: shares(t, index.ByDay), Model: shares(t, index.ByModel), Tool: shares(t, index.ByTool)}
}

// shares returns one facet of a tally; nil when it was not counted.
func shares(t *index.Tally, f index.Facet) []FacetShare {
	if t.By[f] == nil {
		return nil
	}
	all := make([]FacetShare, 0, len(t.By[f]))
	for _, x := range t.By[f] {
		all = append(all, FacetShare(x))
	}
	return all
}
