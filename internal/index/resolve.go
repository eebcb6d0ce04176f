package index

import (
	"bytes"
	"slices"

	"lore"
)

// Match is what an id stands for.
type Match struct {
	ID           lore.ID
	Conversation lore.ID // of a message; equal to ID for a conversation
	IsMessage    bool
}

// Resolve returns what a full id, or a prefix of four or more characters, stands for: conversations first, each group in
// the order of the ids, at most limit of them (0: all). None, or no id at all: ErrNotFound. More than one is ambiguous,
// and it is the caller who says so.
func (r *Reader) Resolve(prefix string, limit int) (out []Match, err error) {
	p, err := parsePrefix(prefix)
	if err != nil {
		return nil, err
	}
	err = r.rows("SELECT id FROM conversations WHERE id >= ? AND id <= ? ORDER BY id", []any{p.low[:], p.high[:]},
		func(scan func(...any) error) error {
			var id []byte
			if err := scan(&id); err != nil {
				return err
			}
			out = append(out, Match{ID: lore.ID(id), Conversation: lore.ID(id)})
			return nil
		})
	if err != nil {
		return nil, err
	}
	conversations := len(out)
	rows := map[lore.ID]int64{}
	err = r.withPrefix(p, func(x *facts) bool {
		if _, known := rows[x.id]; !known {
			rows[x.id] = int64(x.conv)
			out = append(out, Match{ID: x.id, IsMessage: true})
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	if len(out) == 0 {
		return nil, ErrNotFound
	}
	slices.SortFunc(out[conversations:], func(a, b Match) int { return bytes.Compare(a.ID[:], b.ID[:]) })
	if limit > 0 && len(out) > limit {
		out = out[:limit]
	}
	for i := range out {
		if out[i].IsMessage {
			e, err := r.entryOf(rows[out[i].ID])
			if err != nil {
				return nil, err
			}
			out[i].Conversation = e.ID
		}
	}
	return out, nil
}

// shortLetters is how many characters of an id are shown at least.
const shortLetters = 12

// ShortLen returns how many characters of each id, of a conversation or a message, are enough to name it alone among all
// that the index holds; at least 12.
func (r *Reader) ShortLen(ids []lore.ID) ([]int, error) {
	out := make([]int, len(ids))
	for i, id := range ids {
		out[i] = shortLetters
		widen := func(other lore.ID) {
			if other != id {
				out[i] = max(out[i], sharedLetters(id, other)+1)
			}
		}
		p, err := parsePrefix(id.String()[:shortLetters])
		if err != nil {
			return nil, err
		}
		err = r.rows("SELECT id FROM conversations WHERE id >= ? AND id <= ?", []any{p.low[:], p.high[:]},
			func(scan func(...any) error) error {
				var b []byte
				err := scan(&b)
				if len(b) == len(id) {
					widen(lore.ID(b))
				}
				return err
			})
		if err != nil {
			return nil, err
		}
		for _, s := range r.segments {
			err := s.withPrefix(p, func(doc uint32, other lore.ID) bool {
				widen(other)
				return true
			})
			if err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}
