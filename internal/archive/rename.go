package archive

import (
	"database/sql"
	"database/sql/driver"
	"errors"

	"lore"
)

// Rename says that what was printed as old is now called new. Renames are kept as they came, each with its time, so that
// those of two archives can be put together; reading follows them from name to name.
func (w *Writer) Rename(old, new lore.ID) error {
	if old == new {
		return nil
	}
	return w.do(func(k *clerk) error {
		const doing = "rename an id"
		at := k.now().UnixNano()
		const latest = "SELECT coalesce(max(at), 0) FROM rename WHERE old IN (?, ?)"
		var before int64
		if err := k.get(doing, latest, []any{old[:], new[:]}, &before); err != nil {
			return err
		}
		at = max(at, before+1)
		// The new name is nobody's old one any more, whatever another archive says.
		for _, to := range []struct{ old, new lore.ID }{{old, new}, {new, new}} {
			_, err := k.exec(doing, "INSERT INTO rename (old, new, at) VALUES (?, ?, ?) ON CONFLICT (old) DO UPDATE SET new = excluded.new, at = excluded.at",
				to.old[:], to.new[:], at)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Resolve returns the id that a once printed id has now: id itself when it was never renamed.
func (a *Archive) Resolve(id lore.ID) (lore.ID, error) {
	met := map[lore.ID]bool{}
	for !met[id] {
		met[id] = true
		var b []byte
		err := a.db.QueryRowContext(background, "SELECT new FROM rename WHERE old = ?", id[:]).Scan(&b)
		if errors.Is(err, sql.ErrNoRows) {
			return id, nil
		}
		if err != nil {
			return id, explain("resolve an id", err)
		}
		copy(id[:], b)
	}
	return id, nil
}

// Renames lists all renames, old → present name, for prefixes of ids, and for the index to follow.
func (a *Archive) Renames() (map[lore.ID]lore.ID, error) {
	all := map[lore.ID]lore.ID{}
	err := a.view("list renamed ids", func(c *sql.Conn) error {
		steps, err := readRenames(c)
		for old := range steps {
			if now := steps.follow(old); now != old {
				all[old] = now
			}
		}
		return err
	})
	return all, err
}

// renames are the steps from name to name.
type renames map[lore.ID]lore.ID

func readRenames(c *sql.Conn) (renames, error) {
	steps := renames{}
	err := bulk(c, "SELECT old, new FROM rename", nil, func(row []driver.Value) error {
		var old, new lore.ID
		copy(old[:], blob(row[0]))
		copy(new[:], blob(row[1]))
		steps[old] = new
		return nil
	})
	return steps, err
}

// follow returns the present name of an id. Renames that two archives made against each other may lead in a circle: then
// the last one before it closes is taken.
func (r renames) follow(id lore.ID) lore.ID {
	for n := 0; n <= len(r); n++ {
		next, ok := r[id]
		if !ok || next == id {
			break
		}
		id = next
	}
	return id
}
