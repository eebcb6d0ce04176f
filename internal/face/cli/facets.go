package cli

import (
	"strings"

	"lore/internal/service"
)

// mostShares is how many values of a facet are printed for a person.
const mostShares = 12

// facetCounts prints what a search was counted by, a line or two for each facet.
func (pg *page) facetCounts(f *service.FacetCounts) {
	if f == nil {
		return
	}
	about := ""
	if !f.Exact {
		about = "at least "
	}
	pg.line(say(bold, about+count(f.Messages, "message")+" in "+count(f.Conversations, "conversation")))
	for _, x := range []struct {
		name   string
		shares []service.FacetShare
	}{{"source", f.Source}, {"project", f.Project}, {"role", f.Role}, {"day", f.Day}, {"model", f.Model}, {"tool", f.Tool}} {
		if len(x.shares) == 0 {
			continue
		}
		var all []string
		for i, s := range x.shares {
			if i == mostShares {
				all = append(all, "and "+number(int64(len(x.shares)-i))+" more")
				break
			}
			all = append(all, oneLine(s.Value)+" "+number(int64(s.Messages)))
		}
		for i, line := range wrap([]span{{strings.Join(all, ", "), plain}}, pg.width-11) {
			name := ""
			if i == 0 {
				name = x.name
			}
			pg.line(append([]span{{"  " + padTo(name, 7) + "  ", dim}}, line...)...)
		}
	}
	pg.blank()
}
