package codex

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// threads is the table of a state database that says something about conversations. Its columns come and go with the
// versions; each is optional here.
const threads = "threads"

// threadRanges are all rows of it.
var threadRanges = []adapter.Range{{Table: threads}}

// isState reports whether a file is a state database by its name: state_5.sqlite. Others beside it hold no conversation.
func isState(p string) bool {
	base := path.Base(p)
	return strings.HasPrefix(base, "state_") && strings.HasSuffix(base, ".sqlite")
}

// readState reads a state database: facts about conversations that stand in rollouts.
func readState(ctx context.Context, in adapter.Input, yield yielder) error {
	rows, err := kit.OpenRows(ctx, in, in.Source.Path)
	if errors.Is(err, kit.ErrEmptyDatabase) {
		return stateEnd(in, lore.Ledger{}, 0, yield)
	}
	if err != nil {
		return stateError(ctx, err)
	}
	defer rows.Close()
	rest, n := lore.Ledger{}, 0
	for row, err := range rows.Read(ctx, kit.Query{Table: threads}) {
		switch {
		case errors.Is(err, kit.ErrNoTable):
			return adapter.ErrNotMine
		case err != nil:
			return stateError(ctx, err)
		}
		if n++; row.Get("id").IsAbsent() {
			rest.Skip("threads row without id")
			continue
		}
		if !yield(thread(in, row), nil) {
			return errStopped
		}
	}
	return stateEnd(in, rest, n, yield)
}

// thread makes the fact that a row tells: title, folder, branch, that it is archived.
func thread(in adapter.Input, row kit.Row) *lore.Conversation {
	c := &lore.Conversation{Source: in.Source.Product, Store: in.Source.Store, Partial: true, Native: row.Get("id").Text()}
	c.Project = lore.Project{Dir: row.Get("cwd").Text(), Branch: row.Get("git_branch").Text(), Remote: row.Get("git_origin_url").Text()}
	c.Project.Name = kit.ProjectName(c.Project.Dir)
	c.Archived = row.Get("archived").Int != 0
	if title := givenTitle(row); title != "" {
		c.Title, c.TitleFrom = title, lore.TitleFromSource
		c.TitleAt = rowTime(row, "updated_at_ms", "updated_at", "created_at_ms", "created_at")
	}
	c.Ledger.Keep(1)
	return c
}

// givenTitle returns the name that a person or a model gave the thread. Where none was given, the column holds the first
// prompt, which is no title.
func givenTitle(row kit.Row) string {
	if name := row.Get("name"); !name.IsAbsent() {
		return name.Text()
	}
	title := strings.TrimSpace(row.Get("title").Text())
	if title == strings.TrimSpace(row.Get("first_user_message").Text()) {
		return ""
	}
	return title
}

// rowTime returns the first of the columns that holds a time.
func rowTime(row kit.Row, columns ...string) lore.Time {
	for _, column := range columns {
		if cell := row.Get(column); !cell.IsAbsent() {
			if t, ok := kit.ParseTimeString(cell.Text()); ok {
				return t
			}
		}
	}
	return lore.Time{}
}

// stateEnd yields what is to be said of the database itself.
func stateEnd(in adapter.Input, rest lore.Ledger, rows int, yield yielder) error {
	c := &lore.Conversation{Source: in.Source.Product, Store: in.Source.Store, Partial: true, Ledger: rest}
	if rows == 0 {
		c.Losses = []lore.Loss{{Code: lore.Empty, Severity: lore.Info, Source: in.Source.Product, File: in.Name(in.Source.Path), What: "no threads", Count: 1}}
	}
	if (rest.Units > 0 || rows == 0) && !yield(c, nil) {
		return errStopped
	}
	return nil
}

// stateError tells a database that cannot be read from a reading that was broken off.
func stateError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for _, damage := range []error{kit.ErrNotDatabase, kit.ErrCorrupt, kit.ErrNewerFormat, kit.ErrRowSet} {
		if errors.Is(err, damage) {
			return fmt.Errorf("%w: %w", adapter.ErrMalformed, err)
		}
	}
	return err
}
