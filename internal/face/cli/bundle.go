package cli

import (
	"context"

	"lore/internal/service"
)

// exportBundle writes a bundle to a file, or to standard output where that is no terminal.
func (p *Program) exportBundle(ctx context.Context, svc *service.Service, req service.ExportRequest) error {
	if _, terminal := terminalWidth(p.Stdout); terminal && req.To == "" {
		return usage("a bundle is no text: name a file with --to")
	}
	if req.Obsidian {
		return usage("--obsidian and --format bundle exclude each other: take one")
	}
	if req.To == "" && (p.flags.json || p.flags.ndjson) {
		return usage("--json tells what is in a bundle that goes to a file: name one with --to")
	}
	res, err := svc.Bundle(ctx, service.BundleRequest{IDs: req.IDs, Query: req.Query, All: req.All, To: req.To, Out: p.stdout})
	if err != nil || req.To == "" {
		return err
	}
	if p.flags.json || p.flags.ndjson {
		return p.stdout.json(res)
	}
	pg := p.newPage()
	what := count(res.Files, "file") + ", " + count(res.Snapshots, "snapshot") + ", " + size(res.Bytes) + " unpacked, " + count(res.Marks, "mark")
	if res.Whole {
		what = "the whole archive: " + what
	}
	pg.line(say(bold, res.To), say(plain, "  "+what))
	pg.line(say(dim, "credentials are in it as the agents wrote them; lore import "+res.To+" puts it together with another archive"))
	return pg.err
}

// bundle tells what a bundle has brought.
func (pg *page) bundle(b service.ImportedBundle) {
	what := "nothing new"
	if b.Files+b.Snapshots+b.Marks+b.Renames+b.Forgotten > 0 {
		what = count(b.Files, "new file") + ", " + count(b.Snapshots, "snapshot") + ", " + size(b.Bytes) + ", " + count(b.Marks, "mark")
	}
	if b.Forgotten > 0 {
		what += ", " + count(b.Forgotten, "conversation") + " forgotten there and now here"
	}
	pg.line(say(plain, "  "+b.File), say(dim, "  of "+b.Machine+": "+what))
}
