package cli

import (
	"github.com/spf13/cobra"

	"lore/internal/service"
)

func (p *Program) compactCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "compact",
		Short:   "Give back space that nothing needs any more",
		GroupID: keep,
		Long: `Removes blocks that no snapshot needs and writes archive and index anew without their gaps. It takes as much free space again
as they need, and leaves everything as it was when it is interrupted.`,
		Example: "  lore compact",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			svc, err := p.service()
			if err != nil {
				return err
			}
			res, err := svc.Compact(cmd.Context())
			if err != nil {
				return err
			}
			if p.flags.json || p.flags.ndjson {
				return p.stdout.json(res)
			}
			pg := p.newPage()
			pg.facts("", plain, []string{size(res.Before) + " before", size(res.After) + " now", count(res.Blocks, "block") + " removed"})
			return pg.err
		},
	}
}

func (p *Program) backupCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "backup FILE",
		Short:   "Write a copy of the archive to a new file",
		GroupID: keep,
		Long: `Writes one state of the archive to a new file, whole, also while an import runs. To come back, put it as archive.db into an
empty folder and use that with --dir or LORE_DIR: the first command makes the index from it.`,
		Example: "  lore backup ~/backup/lore-2026-03.db",
		Args:    oneArg("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			svc, err := p.service()
			if err != nil {
				return err
			}
			res, err := svc.Backup(cmd.Context(), service.BackupRequest{File: args[0]})
			if err != nil {
				return err
			}
			if p.flags.json || p.flags.ndjson {
				return p.stdout.json(res)
			}
			pg := p.newPage()
			pg.line(say(bold, res.File))
			pg.facts("", dim, []string{size(res.Bytes), count(res.Files, "file"), count(res.Snapshots, "snapshot")})
			return pg.err
		},
	}
}

// runStorage answers lore stats --storage.
func (p *Program) runStorage(cmd *cobra.Command, svc *service.Service) error {
	res, err := svc.Storage(cmd.Context())
	if err != nil {
		return err
	}
	if p.flags.json || p.flags.ndjson {
		return p.stdout.json(res)
	}
	pg := p.newPage()
	pg.storage(res)
	return pg.err
}

// storage says what takes the room.
func (pg *page) storage(res *service.StorageResult) {
	var t table
	row := func(indent string, n int64, what, why string) {
		t.add(say(plain, indent+what), say(plain, size(n)), say(dim, why))
	}
	row("", res.Content, "content", "of the newest snapshots, as the agents wrote them")
	a := res.Archive
	row("", a.Total, "archive", "")
	row("  ", a.Blocks, "blocks", "content, compressed")
	row("  ", a.Lists, "lists", "files, snapshots, which blocks they are made of")
	row("  ", a.Filters, "filters", "for grep")
	row("  ", a.Other, "other", "marks, import log, names that changed")
	row("  ", a.Free, "free", "`lore compact` gives it back")
	row("", res.Index.Total, "index", "made from the archive")
	pg.table(t)
	pg.blank()
	var stores table
	for _, s := range res.Stores {
		stores.add(say(plain, s.Source), say(plain, s.Store), say(plain, size(s.Content)), say(dim, count(s.Files, "file")), say(dim, count(s.Snapshots, "snapshot")))
	}
	pg.table(stores)
	pg.blank()
	var months table
	for _, m := range res.Months {
		months.add(say(plain, m.Month), say(plain, size(m.Content)), say(dim, count(m.Snapshots, "snapshot")))
	}
	pg.table(months)
}
