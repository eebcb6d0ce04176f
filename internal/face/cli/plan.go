package cli

import "lore/internal/service"

// printPlan prints what an import would do.
func (p *Program) printPlan(res *service.PlanResult) error {
	switch {
	case p.flags.json:
		if err := p.stdout.json(res); err != nil {
			return err
		}
	case p.flags.ndjson:
		for i := range res.Files {
			if err := p.stdout.json(&res.Files[i]); err != nil {
				return err
			}
		}
	default:
		pg := p.newPage()
		pg.plan(res)
		if pg.err != nil {
			return pg.err
		}
	}
	switch {
	case len(res.Failures) > 0:
		return outcome(exitPartial)
	case !res.Found:
		return outcome(exitNothing)
	}
	return nil
}

func (pg *page) plan(res *service.PlanResult) {
	var t table
	files, bytes := 0, int64(0)
	for _, f := range res.Files {
		st := map[string]style{"new": green, "changed": alert, "excluded": dim, "gone": dim}[f.State]
		t.add(say(st, f.State), say(plain, f.Source), span{size(f.Bytes), dim}, say(plain, f.File))
		if f.State == "new" || f.State == "changed" {
			files, bytes = files+1, bytes+f.Bytes
		}
	}
	pg.table(t)
	unchanged := 0
	for _, s := range res.Sources {
		unchanged += s.Unchanged
	}
	pg.line(span{"would read " + count(files, "file") + " (" + size(bytes) + ")", bold}, span{", " + number(int64(unchanged)) + " unchanged; nothing was written", plain})
	for _, f := range res.Failures {
		pg.wrapped("", say(danger, "cannot read "), say(plain, f.File+": "+f.Error))
	}
}
