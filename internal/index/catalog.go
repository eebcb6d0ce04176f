package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"time"

	"lore"
)

// Catalog answers questions about conversations and evidences from catalog.db. Its methods may be called from several
// goroutines.
type Catalog struct {
	mu    sync.Mutex // guards the connection: one statement at a time
	conn  *sql.Conn
	stmts map[string]*sql.Stmt // prepared on the connection, by their text
}

// stmt returns a prepared statement. The lock is held.
func (c *Catalog) stmt(query string) (*sql.Stmt, error) {
	if s := c.stmts[query]; s != nil {
		return s, nil
	}
	s, err := c.conn.PrepareContext(context.Background(), query)
	if err != nil {
		return nil, rebuildError(err)
	}
	if c.stmts == nil {
		c.stmts = map[string]*sql.Stmt{}
	}
	c.stmts[query] = s
	return s, nil
}

// rows runs a query and calls f for each row. f must not use the catalogue.
func (c *Catalog) rows(query string, args []any, f func(scan func(...any) error) error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.rowsLocked(query, args, f)
}

func (c *Catalog) rowsLocked(query string, args []any, f func(scan func(...any) error) error) error {
	s, err := c.stmt(query)
	if err != nil {
		return err
	}
	rows, err := s.Query(args...)
	if err != nil {
		return rebuildError(err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := f(rows.Scan); err != nil {
			return err
		}
	}
	return rebuildError(rows.Err())
}

// one runs a query for one row; ErrNotFound when there is none.
func (c *Catalog) one(query string, args []any, dest ...any) error {
	found := false
	err := c.rows(query, args, func(scan func(...any) error) error {
		found = true
		return scan(dest...)
	})
	if err == nil && !found {
		return ErrNotFound
	}
	return err
}

// closeConn gives the connection back.
func (c *Catalog) closeConn() {
	for _, s := range c.stmts {
		s.Close()
	}
	c.stmts = nil
	if c.conn != nil {
		c.conn.Close()
	}
}

const entryColumns = `c.row, c.id, c.hash, c.source, c.store, c.native, c.in_source, c.losses, c.evidences,
	c.parent_native, c.lineage_native, c.place, h.header FROM conversations c JOIN headers h ON h.row = c.row `

func scanEntry(scan func(...any) error, extra ...any) (e Entry, err error) {
	var id, hash []byte
	dest := []any{&e.Row, &id, &hash, &e.Source, &e.Store, &e.Native, &e.InSource, &e.Losses, &e.Evidence,
		&e.ParentNative, &e.LineageNative, &e.Place, &e.Header}
	if err := scan(append(dest, extra...)...); err != nil {
		return e, err
	}
	if len(id) != len(e.ID) || len(hash) != len(e.Hash) {
		return e, fmt.Errorf("ids of conversation %d: %w", e.Row, ErrRebuild)
	}
	e.ID, e.Hash = lore.ID(id), lore.ID(hash)
	return e, nil
}

func (c *Catalog) entries(where string, args ...any) (out []Entry, err error) {
	err = c.rows("SELECT "+entryColumns+where, args, func(scan func(...any) error) error {
		e, err := scanEntry(scan)
		out = append(out, e)
		return err
	})
	return out, err
}

func (c *Catalog) entry(where string, args ...any) (*Entry, error) {
	all, err := c.entries(where, args...)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, ErrNotFound
	}
	return &all[0], nil
}

// Conversation returns the conversation with that id, or ErrNotFound.
func (c *Catalog) Conversation(id lore.ID) (*Entry, error) { return c.entry("WHERE c.id = ?", id[:]) }

// ConversationRow returns the conversation with that number, or ErrNotFound.
func (c *Catalog) ConversationRow(row int64) (*Entry, error) { return c.entry("WHERE c.row = ?", row) }

// ByNative returns the conversations of a source with that native id, oldest row first; source "" is any source. None
// is no error.
func (c *Catalog) ByNative(source, native string) ([]Entry, error) {
	if source == "" {
		return c.entries("WHERE c.native = ? AND c.native <> '' ORDER BY c.row", native)
	}
	return c.entries("WHERE c.native = ? AND c.source = ? AND c.native <> '' ORDER BY c.row", native, source)
}

// InProject returns the conversations of a source whose project is in a folder.
func (c *Catalog) InProject(source, dir string) (ids []lore.ID, err error) {
	err = c.rows("SELECT id FROM conversations WHERE dir = ? AND source = ?", []any{dir, source}, func(scan func(...any) error) error {
		var id []byte
		if err := scan(&id); err != nil {
			return err
		}
		if len(id) == len(lore.ID{}) {
			ids = append(ids, lore.ID(id))
		}
		return nil
	})
	return ids, err
}

// Continuing returns the conversations whose lineage names the given one.
func (c *Catalog) Continuing(id lore.ID) ([]Entry, error) {
	return c.entries("WHERE c.lineage = ? ORDER BY c.row", id[:])
}

// Children returns the conversations that the given one started.
func (c *Catalog) Children(id lore.ID) ([]Entry, error) {
	return c.entries("WHERE c.parent = ? ORDER BY c.row", id[:])
}

// Each calls f for every conversation, by row, until f fails. f must not use the catalogue.
func (c *Catalog) Each(f func(Entry) error) error {
	return c.rows("SELECT "+entryColumns+"ORDER BY c.row", nil, func(scan func(...any) error) error {
		e, err := scanEntry(scan)
		if err != nil {
			return err
		}
		return f(e)
	})
}

// Counts returns the number of conversations and the number of their messages.
func (c *Catalog) Counts() (conversations, messages int, err error) {
	err = c.one("SELECT count(*), coalesce(sum(messages), 0) FROM conversations WHERE messages > 0", nil, &conversations, &messages)
	return conversations, messages, err
}

// Departed returns how many conversations no source has any more.
func (c *Catalog) Departed() (n int, err error) {
	err = c.one("SELECT count(*) FROM conversations WHERE in_source = 0 AND messages > 0", nil, &n)
	return n, err
}

// committed is what the last commit left: what it was computed from, the generation, which every commit raises, and how
// many conversations there are.
type committed struct {
	stamp         Stamp
	generation    int64
	conversations int
}

func (c *Catalog) committed() (last committed, err error) {
	err = c.rows("SELECT key, value FROM meta", nil, func(scan func(...any) error) error {
		var key string
		var value any
		if err := scan(&key, &value); err != nil {
			return err
		}
		switch v := value.(type) {
		case string:
			if key == "archive" {
				last.stamp.Archive = v
			}
		case int64:
			switch key {
			case "as_of":
				last.stamp.AsOf = time.Unix(0, v).UTC()
			case "generation":
				last.generation = v
			case "conversations":
				last.conversations = int(v)
			}
		}
		return nil
	})
	return last, err
}

// meta returns a number of the meta table; 0 when it is not there.
func (c *Catalog) meta(key string) (n int64, err error) {
	err = c.one("SELECT value FROM meta WHERE key = ?", []any{key}, &n)
	if errors.Is(err, ErrNotFound) {
		err = nil
	}
	return n, err
}
