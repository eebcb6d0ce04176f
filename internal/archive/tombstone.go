package archive

import (
	"crypto/sha256"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"time"

	"lore"
)

// Tombstone says that something was forgotten on purpose, so that no import brings it back: a conversation, or an
// evidence of which nothing else is told. It holds no word of what it stands for.
type Tombstone struct {
	Target   lore.ID // of the conversation; of an evidence its EvidenceKey
	Source   string
	Evidence bool
	Stat     Stat // of the evidence, when it was last looked at; zero: not known
	At       time.Time
}

// EvidenceKey is what a tombstone of an evidence is found by. It is no id of anything that is shown.
func EvidenceKey(source, path string) lore.ID {
	return lore.ID(sha256.Sum256([]byte("evidence\x00" + source + "\x00" + path)))
}

// tombstoneNote is the note of a tombstone's row.
type tombstoneNote struct {
	Source   string `json:"source"`
	Evidence bool   `json:"evidence,omitempty"`
	Stat     *Stat  `json:"stat,omitempty"`
}

// Tombstones returns all there are.
func (a *Archive) Tombstones() ([]Tombstone, error) {
	var all []Tombstone
	err := a.view("read the tombstones", func(c *sql.Conn) error {
		return bulk(c, "SELECT target, at, note FROM tombstone", nil, func(row []driver.Value) error {
			t := Tombstone{At: time.Unix(0, num(row[1]))}
			copy(t.Target[:], blob(row[0]))
			var n tombstoneNote
			if err := json.Unmarshal([]byte(text(row[2])), &n); err != nil {
				return fmt.Errorf("tombstone %s: %v: %w", t.Target.Short(), err, ErrDamaged)
			}
			t.Source, t.Evidence = n.Source, n.Evidence
			if n.Stat != nil {
				t.Stat = *n.Stat
			}
			all = append(all, t)
			return nil
		})
	})
	return all, err
}

// Bury sets tombstones. One that is there takes over the new stat facts.
func (w *Writer) Bury(all ...Tombstone) error {
	return w.do(func(k *clerk) error { return k.bury(all) })
}

func (k *clerk) bury(all []Tombstone) error {
	for _, t := range all {
		n := tombstoneNote{Source: t.Source, Evidence: t.Evidence}
		if t.Stat != (Stat{}) {
			n.Stat = &t.Stat
		}
		note, err := json.Marshal(n)
		if err != nil {
			return err
		}
		if _, err := k.exec("forget", "INSERT INTO tombstone VALUES (?, ?, ?) ON CONFLICT (target) DO UPDATE SET note = excluded.note",
			t.Target[:], k.now().UnixNano(), string(note)); err != nil {
			return err
		}
	}
	return nil
}
