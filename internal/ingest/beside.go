package ingest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"lore"
	"lore/internal/index"
)

// besideKind is the kind of the fact that an evidence holds a list of typed prompts which may be said in conversations
// that others hold. It stays in the index, so that a chat which comes later is compared with it.
const besideKind = "beside"

// besideData is what such a fact carries.
type besideData struct {
	List   lore.ID  `json:"list"`
	Dir    string   `json:"dir"` // of the project
	Beside []string `json:"beside"`
}

// listed notes a list of typed prompts. It is put when all conversations are known.
func (rd *reading) listed(id lore.ID, c *lore.Conversation) {
	data, err := json.Marshal(besideData{id, c.Project.Dir, c.Beside})
	if err != nil {
		panic(err) // strings and an id
	}
	rd.facts = append(rd.facts, index.Fact{Evidence: rd.evidence.ID, Kind: besideKind, Source: c.Source, Data: data})
	r := rd.run
	r.mu.Lock()
	defer r.mu.Unlock()
	r.spoken[id] = append(r.spoken[id], rd.kept.file.ID)
	r.changed[id] = c.Project.Dir
}

// lists returns the lists of typed prompts that have to be put again: they, or a conversation that they may be said in,
// have changed.
func (r *run) lists() ([]lore.ID, error) {
	if len(r.changed) == 0 {
		return nil, nil
	}
	facts, err := r.index.Facts()
	if err != nil {
		return nil, err
	}
	var ids []lore.ID
	for _, f := range facts {
		if f.Kind != besideKind {
			continue
		}
		var d besideData
		if err := json.Unmarshal(f.Data, &d); err != nil {
			return nil, fmt.Errorf("list of prompts in evidence %d: %w", f.Evidence, err)
		}
		if r.mayHaveChanged(f.Source, d) {
			ids = append(ids, d.List)
		}
	}
	return ids, nil
}

func (r *run) mayHaveChanged(source string, d besideData) bool {
	if _, list := r.changed[d.List]; list {
		return true
	}
	for _, dir := range r.changed {
		if dir != "" && dir == d.Dir {
			return true
		}
	}
	return slices.ContainsFunc(d.Beside, func(native string) bool {
		_, changed := r.changed[lore.ConversationID(source, native)]
		return changed
	})
}

// said tells what the conversations say that the index holds.
type said interface {
	Messages(conv lore.ID) ([]index.Message, error)
	InProject(source, dir string) ([]lore.ID, error)
}

// unsaid takes out of a list of typed prompts those that a conversation says. Equal words are told by their content id.
type unsaid struct {
	index said // nil: nothing is known of other conversations
	count map[lore.ID]int
	moved int // messages
	units int // of them
}

func (u *unsaid) piece(id lore.ID, c *lore.Conversation) error {
	if c.Beside == nil || u.index == nil {
		return nil
	}
	if err := u.hear(id, c); err != nil {
		return err
	}
	left, units := c.Messages[:0:0], 0
	for _, m := range c.Messages {
		words := lore.ContentID(c.Source, m.Role, m.Model, m.Parts)
		if u.count[words] > 0 {
			u.count[words]--
			units += m.Units
			continue
		}
		left = append(left, m)
	}
	u.moved, u.units = u.moved+len(c.Messages)-len(left), u.units+units
	c.Messages = left
	c.Ledger.Remerge(units)
	c.Losses = onlyPrompts(c.Losses, len(left))
	return nil
}

// hear counts what the other conversations' users say, once.
func (u *unsaid) hear(list lore.ID, c *lore.Conversation) error {
	if u.count != nil {
		return nil
	}
	u.count = map[lore.ID]int{}
	chats := map[lore.ID]bool{}
	for _, native := range c.Beside {
		chats[lore.ConversationID(c.Source, native)] = true
	}
	if c.Project.Dir != "" {
		near, err := u.index.InProject(c.Source, c.Project.Dir)
		if err != nil {
			return err
		}
		for _, id := range near {
			chats[id] = true
		}
	}
	delete(chats, list)
	for id := range chats {
		all, err := u.index.Messages(id)
		if errors.Is(err, index.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		for i := range all {
			if all[i].Role == lore.User {
				u.count[all[i].ContentID]++
			}
		}
	}
	return nil
}

// settle corrects the link of the list.
func (u *unsaid) settle(links []index.Link) {
	if u.moved == 0 || len(links) == 0 {
		return
	}
	l := &links[0]
	l.Ledger.Remerge(u.units)
	l.Messages -= u.moved
	l.Losses = onlyPrompts(l.Losses, l.Messages)
}

// onlyPrompts corrects, in the losses of a list of typed prompts, how many of them have no chat.
func onlyPrompts(losses []lore.Loss, left int) (out []lore.Loss) {
	for _, l := range losses {
		if l.Code == lore.PromptsOnly {
			if left == 0 {
				continue
			}
			l.What = fmt.Sprintf("%d prompts of chats that are not here", left)
		}
		out = append(out, l)
	}
	return out
}
