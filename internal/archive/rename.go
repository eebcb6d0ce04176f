package archive

import (
	"database/sql"
	"database/sql/driver"
	"errors"

	"lore"
)

// Rename says that what was printed as old is now called new. Every earlier rename to old leads to new from now on, so
// that one step always finds the present name.
func (w *Writer) Rename(old, new lore.ID) error {
	if old == new {
		return nil
	}
	return w.do(func(k *clerk) error {
		const doing = "rename an id"
		// A name that comes back is no old one any more.
		if _, err := k.exec(doing, "DELETE FROM rename WHERE old = ?", new[:]); err != nil {
			return err
		}
		if _, err := k.exec(doing, "UPDATE rename SET new = ? WHERE new = ?", new[:], old[:]); err != nil {
			return err
		}
		_, err := k.exec(doing, "INSERT INTO rename (old, new, at) VALUES (?, ?, ?) ON CONFLICT (old) DO UPDATE SET new = excluded.new, at = excluded.at",
			old[:], new[:], k.now().UnixNano())
		return err
	})
}

// Resolve returns the id that a once printed id has now: id itself when it was never renamed.
func (a *Archive) Resolve(id lore.ID) (lore.ID, error) {
	var b []byte
	err := a.db.QueryRowContext(background, "SELECT new FROM rename WHERE old = ?", id[:]).Scan(&b)
	if errors.Is(err, sql.ErrNoRows) {
		return id, nil
	}
	if err != nil {
		return id, explain("resolve an id", err)
	}
	copy(id[:], b)
	return id, nil
}

// Renames lists all renames, old → new, for prefixes of ids, and for the index to follow.
func (a *Archive) Renames() (map[lore.ID]lore.ID, error) {
	all := map[lore.ID]lore.ID{}
	err := a.view("list renamed ids", func(c *sql.Conn) error {
		return bulk(c, "SELECT old, new FROM rename", nil, func(row []driver.Value) error {
			var old, new lore.ID
			copy(old[:], blob(row[0]))
			copy(new[:], blob(row[1]))
			all[old] = new
			return nil
		})
	})
	return all, err
}
