package cli

import (
	"strings"

	"lore/internal/service"
)

// versions lists the versions of a file, the newest last, and what was different each time.
func (pg *page) versions(list []service.EvidenceVersion) {
	pg.line(span{count(len(list), "version"), bold})
	t := table{}
	for _, v := range list {
		how := "as it was first"
		switch {
		case v.Appended:
			how = "grown"
		case v.Version > 1:
			how = "written anew"
		}
		t.add(span{"  " + number(int64(v.Version)), quiet}, say(dim, pg.ago(v.At)), span{size(v.Bytes), plain}, span{how, dim}, span{differences(&v), plain})
	}
	pg.table(t)
	for i := range list {
		if len(list[i].Differences) == 0 {
			continue
		}
		pg.blank()
		pg.line(span{"version " + number(int64(list[i].Version)), bold})
		for j := range list[i].Differences {
			pg.difference(&list[i].Differences[j])
		}
	}
}

// differences sums up what a version has that the one before has not.
func differences(v *service.EvidenceVersion) string {
	if !v.Compared {
		return ""
	}
	var all []string
	for _, d := range []struct {
		n    int
		sign string
		what string
	}{{v.LinesAdded, "+", "line"}, {v.LinesRemoved, "−", "line"}, {v.MessagesAdded, "+", "message"},
		{v.MessagesChanged, "~", "message"}, {v.MessagesRemoved, "−", "message"}} {
		if d.n > 0 {
			all = append(all, d.sign+count(d.n, d.what))
		}
	}
	if len(all) == 0 {
		return "no message differs"
	}
	return strings.Join(all, ", ")
}

// difference prints one message: what it was and what it is.
func (pg *page) difference(d *service.MessageDifference) {
	sign := map[string]span{"added": {"+ ", green}, "changed": {"~ ", alert}, "removed": {"− ", danger}}[d.Change]
	pg.line(span{"  ", plain}, sign, say(plain, string(d.Role)), say(quiet, "  "+d.ShortID))
	for _, side := range []struct {
		text string
		st   style
		mark string
	}{{d.Before, danger, "    − "}, {d.After, green, "    + "}} {
		if side.text != "" {
			for line := range strings.Lines(side.text) {
				pg.wrapped(side.mark, say(side.st, line))
			}
		}
	}
}
