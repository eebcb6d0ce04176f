package index

import (
	"bytes"
	"slices"
	"sort"

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

// ShortLen returns how many characters of each id, of a conversation or a message, are enough to name it alone among all
// that the index holds; at least so many (4 or more).
func (r *Reader) ShortLen(ids []lore.ID, least int) ([]int, error) {
	out := make([]int, len(ids))
	all, err := r.sortedIDs(len(ids))
	if err != nil {
		return nil, err
	}
	for i, id := range ids {
		out[i] = least
		widen := func(other lore.ID) {
			if other != id {
				out[i] = max(out[i], sharedLetters(id, other)+1)
			}
		}
		p, err := parsePrefix(id.String()[:least])
		if err != nil {
			return nil, err
		}
		if all != nil {
			for k := sort.Search(len(all), func(k int) bool { return bytes.Compare(all[k][:], p.low[:]) >= 0 }); k < len(all) && bytes.Compare(all[k][:], p.high[:]) <= 0; k++ {
				widen(all[k])
			}
		} else if err := r.conversationIDs(p, widen); err != nil {
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

// manyIDs is for how many ids all conversations are sooner read once than asked for one by one.
const manyIDs = 256

// sortedIDs returns the ids of all conversations, in their order, once they are worth to be read: nil until a reader was
// asked for many. asked is for how many it is now.
func (r *Reader) sortedIDs(asked int) ([]lore.ID, error) {
	r.sorted.Lock()
	defer r.sorted.Unlock()
	r.sorted.asked += asked
	if r.sorted.ids != nil || r.sorted.asked < manyIDs {
		return r.sorted.ids, nil
	}
	var all []lore.ID
	err := r.conversationIDs(idPrefix{high: lastID}, func(id lore.ID) { all = append(all, id) })
	if err == nil {
		r.sorted.ids = all
	}
	return all, err
}

// lastID is the last of all ids.
var lastID = lore.ID(bytes.Repeat([]byte{0xff}, len(lore.ID{})))

// conversationIDs calls f for the conversations whose id begins so, in the order of the ids. f must not use the catalogue.
func (r *Reader) conversationIDs(p idPrefix, f func(lore.ID)) error {
	return r.rows("SELECT id FROM conversations WHERE id >= ? AND id <= ? ORDER BY id", []any{p.low[:], p.high[:]},
		func(scan func(...any) error) error {
			var b []byte
			if err := scan(&b); err != nil {
				return err
			}
			if len(b) == len(lore.ID{}) {
				f(lore.ID(b))
			}
			return nil
		})
}
