package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"lore/internal/redact"
	"lore/internal/service"
)

func (p *Program) exportCommand() *cobra.Command {
	var req service.ExportRequest
	cmd := &cobra.Command{
		Use:     "export ID... | --query QUERY | --all",
		Short:   "Write conversations as Markdown, HTML, JSON or JSON lines",
		GroupID: keep,
		Long: `Writes conversations in a format that is read elsewhere: one to standard output, or each to a file of its own in a folder.
A page of HTML needs nothing but itself: no script runs in it and no address is loaded.

Credentials (keys, tokens, passwords) are replaced by markers like [redacted:github-token], and their number is told;
--no-redact leaves them in. The search language's filters choose conversations: those with a match are written.

With --format bundle the archived bytes themselves are written, with ids, marks and notes, into one file that lore import
puts together with the archive of another machine; without ids or a query it holds everything. Credentials stay in it.

With --obsidian the folder is a vault: a folder for each agent, tags, and links between a conversation and the one that
started it. A note keeps the name that it got first, and one that would say the same again is not touched. Keep
your own words in notes of your own: what you write into a note of lore's is lost with the next export.`,
		Example: `  lore export 3k9vq7h2 > conversation.md
  lore export 3k9vq7h2 --format html --to ~/pages
  lore export --query 'project:lantern since:30d' --to ~/notes
  lore export --all --obsidian --to ~/vault
  lore export --format bundle --to laptop.lore
  lore export --all --format jsonl | gzip > all.jsonl.gz`,
		RunE: func(cmd *cobra.Command, args []string) error {
			svc, err := p.service()
			if err != nil {
				return err
			}
			if req.IDs, req.Out = args, p.stdout; req.To == "-" {
				req.To = "" // as elsewhere: standard output
			}
			if req.Format == service.BundleFormat {
				return p.exportBundle(cmd.Context(), svc, req)
			}
			if err := p.exportFormat(&req); err != nil {
				return err
			}
			res, err := svc.Export(cmd.Context(), req)
			if err != nil {
				return err
			}
			return p.printExport(res)
		},
	}
	set := cmd.Flags()
	set.StringVar(&req.Query, "query", "", "every conversation with a match of this `query`")
	set.BoolVar(&req.All, "all", false, "every conversation")
	set.StringVarP(&req.Format, "format", "f", "", "markdown (the default), html, json, jsonl or bundle: the `format`")
	set.StringVar(&req.To, "to", "", "write each conversation to a file in this `folder`; a bundle to this file")
	set.BoolVar(&req.Obsidian, "obsidian", false, "write notes into the vault that --to names")
	set.BoolVar(&req.NoRedact, "no-redact", false, "leave keys, tokens and passwords as they are")
	complete(cmd, "format", "markdown", "html", "json", "jsonl", "bundle")
	return cmd
}

// exportFormat settles the format. Without a folder the conversations themselves are the output, so that --json and
// --ndjson ask for theirs.
func (p *Program) exportFormat(req *service.ExportRequest) error {
	if req.Format == "md" {
		req.Format = "markdown"
	}
	if req.To != "" {
		return nil
	}
	for _, f := range []struct {
		asked      bool
		flag, name string
	}{{p.flags.json, "--json", "json"}, {p.flags.ndjson, "--ndjson", "jsonl"}} {
		switch {
		case !f.asked:
		case req.Format == "":
			req.Format = f.name
		case req.Format != f.name:
			return usage("%s and --format %s exclude each other: take one, or name a folder with --to", f.flag, req.Format)
		}
	}
	return nil
}

func (p *Program) printExport(res *service.ExportResult) error {
	if err := p.printExported(res); err != nil {
		return err
	}
	p.remark(redacted(res.Redacted))
	for _, f := range res.Failures {
		p.remark(fmt.Sprintf("%s: could not be read: %s", f.File, f.Error))
	}
	switch {
	case len(res.Failures) > 0:
		return outcome(exitPartial)
	case len(res.Files) == 0:
		p.remark("no conversation matches: nothing was written")
		return outcome(exitNothing)
	}
	return nil
}

// printExported prints the files of an export; nothing where the conversation was the output.
func (p *Program) printExported(res *service.ExportResult) error {
	switch {
	case res.To == "":
		return nil
	case p.flags.json:
		return p.stdout.json(res)
	case p.flags.ndjson:
		for i := range res.Files {
			if err := p.stdout.json(&res.Files[i]); err != nil {
				return err
			}
		}
		return nil
	}
	pg := p.newPage()
	var t table
	for _, f := range res.Files {
		if f.State != "unchanged" {
			t.add(say(dim, f.State), say(quiet, f.ShortID), say(plain, f.File))
		}
	}
	pg.table(t)
	pg.line(span{count(res.Written, "file") + " written, " + number(int64(res.Unchanged)) + " as they were", bold}, say(dim, " in "+res.To))
	return pg.err
}

// redacted tells how many credentials were replaced; empty when there were none.
func redacted(counts []redact.Count) string {
	if len(counts) == 0 {
		return ""
	}
	total, kinds := 0, []string{}
	for _, c := range counts {
		total += c.Count
		kinds = append(kinds, fmt.Sprintf("%s %d", c.Kind, c.Count))
	}
	return count(total, "credential") + " replaced (" + strings.Join(kinds, ", ") + "): --no-redact leaves them in"
}
