package cursor

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"strings"

	"lore"
	"lore/adapter/kit"
)

// itemReader reads the rows of a database that list chats, or hold older ones whole.
type itemReader struct {
	*database
	project lore.Project // of the workspace, when it is one's
	ledger  lore.Ledger  // of units that belong to no chat
	losses  losses
	spoken  wordCount // what the person said in the chats of this database
	listed  []string  // ids of chats that the lists name
}

// items reads the lists: chats that stand in them whole, facts about chats that stand elsewhere, typed prompts.
func (d *database) items() error {
	r := &itemReader{database: d, losses: losses{file: d.in.Name(d.in.Source.Path)}, spoken: wordCount{}, listed: []string{}}
	if d.in.Source.Store == storeWorkspace {
		r.readWorkspace()
	}
	if err := r.headers(); err != nil {
		return err
	}
	for _, key := range items {
		if err := r.item(key); err != nil {
			return err
		}
	}
	return rest(d.in.Source.Store, r.ledger, r.losses.list, d.yield)
}

// headers reads the table of heads that newer versions keep instead of a row of them.
func (r *itemReader) headers() error {
	var facts []*lore.Conversation
	err := r.each(kit.Query{Table: tableHeaders}, func(row kit.Row) error {
		v, state := value(&r.doc, row.Get("value"), kit.Object, row.Name(), &r.ledger, &r.losses)
		if state != rowGood {
			return nil
		}
		id := first(v.Get("composerId")).String()
		if id == "" {
			id = row.Get("composerId").Text()
		}
		fact := r.fact(id, v)
		if fact == nil {
			return nil
		}
		fact.Archived = fact.Archived || row.Get("isArchived").Int != 0
		facts = append(facts, fact)
		return nil
	})
	if err != nil {
		return err
	}
	return r.tell(facts)
}

func (r *itemReader) tell(facts []*lore.Conversation) error {
	for _, fact := range facts {
		if !r.yield(fact, nil) {
			return errStopped
		}
	}
	return nil
}

// fact makes of a head what it says of a chat that stands elsewhere; nil when it names none.
func (r *itemReader) fact(id string, head kit.Value) *lore.Conversation {
	if id == "" {
		r.ledger.Skip("head without id")
		return nil
	}
	c := &lore.Conversation{Source: source, Store: r.in.Source.Store, Partial: true, Native: id, Archived: head.Get("isArchived").Bool()}
	if title := head.Get("name").String(); strings.TrimSpace(title) != "" {
		c.Title, c.TitleFrom = title, lore.TitleFromSource
	}
	if c.Project = projectOf(head); c.Project.Dir == "" {
		branch := c.Project.Branch
		c.Project = r.project
		c.Project.Branch = branch
	}
	if parent := parentOf(head); parent != "" && parent != id {
		c.Parent = &lore.Parent{Native: parent, Call: callOf(id)}
	}
	c.Ledger.Keep(1)
	return c
}

// item reads one row of the settings that speaks of chats.
func (r *itemReader) item(key string) error {
	var v kit.Value
	var where lore.Locator
	want, state := kit.Object, rowAbsent
	if key == itemPrompts || key == itemGenerations {
		want = kit.Array
	}
	doc := new(kit.Doc) // its values stand while bubbles are read
	err := r.each(kit.Query{Table: tableItems, From: key}, func(row kit.Row) error {
		cell := row.Get("value")
		cell.Bytes = bytes.Clone(cell.Bytes)
		v, state = value(doc, cell, want, row.Name(), &r.ledger, &r.losses)
		where = r.rows.Locator(row, "")
		return nil
	})
	if err != nil || state != rowGood {
		return err
	}
	switch key {
	case itemHeads, itemComposers:
		return r.chats(v.Get("allComposers"), "composerId", key, where)
	case itemChats:
		return r.chats(v.Get("tabs"), "tabId", key, where)
	case itemPrompts:
		return r.prompts(v, where)
	}
	for range v.Items() {
		r.ledger.Skip("generation")
	}
	return nil
}

// chats reads a list of chats: those that stand in it whole, and what it says of the others.
func (r *itemReader) chats(list kit.Value, idField, key string, where lore.Locator) error {
	if !list.IsArray() {
		r.ledger.Meet(key)
		r.losses.unknown(spot{row: where.Row}, key)
		return nil
	}
	var facts []*lore.Conversation
	for head := range list.Items() {
		id := first(head.Get(idField), head.Get("id")).String()
		if id != "" {
			r.listed = append(r.listed, id)
		}
		c := r.chat(id, storeInline)
		c.head, c.where, c.alone = head, where, true
		switch {
		case !head.IsObject():
			r.ledger.Damage(1)
			r.losses.more(lore.BadJSON, lore.Warning, spot{row: where.Row}, "chats that are no objects", 1)
		case c.list().Len() > 0 || head.Get("conversationMap").Len() > 0:
			c.w.head.Project = r.project
			c.w.heard = r.spoken.hear
			if err := c.read(); err != nil {
				return err
			}
		case key == itemChats:
			r.ledger.Skip("empty chat")
		default:
			if fact := r.fact(id, head); fact != nil {
				facts = append(facts, fact)
			}
		}
	}
	return r.tell(facts)
}

// prompts reads the prompts that were typed in a workspace. Those that a chat of this database holds are merged; the
// others are a conversation of their own, in which nobody answers.
func (r *itemReader) prompts(list kit.Value, where lore.Locator) error {
	w := newWriter(r.in, r.yield, r.in.Source.Store, "")
	w.head.Place = placeOf(r.in) + "#" + itemPrompts
	w.head.Project = r.project
	w.head.Beside = r.listed
	for v := range list.Items() {
		t := first(v.Get("text"), v)
		switch {
		case !t.IsString():
			w.ledger.Skip("prompt without text")
			continue
		case r.spoken.take(t.String()):
			w.ledger.Merge(1)
			continue
		}
		w.ledger.Keep(1)
		m := lore.Message{Role: lore.User, Active: true, Units: 1, Parts: []lore.Part{text(lore.Text, t)}, Origins: []lore.Locator{where}}
		w.clock.stamp(&m, lore.Time{}, false)
		if err := w.add(m); err != nil {
			return err
		}
	}
	if w.put > 0 {
		w.losses.one(lore.PromptsOnly, lore.Info, spot{row: where.Row}, fmt.Sprintf("%d prompts of chats that are not here", w.put))
	}
	return w.finish()
}

// wordCount counts texts by their words.
type wordCount map[uint64]int

var wordSeed = maphash.MakeSeed()

func wordHash(s string) uint64 { return maphash.String(wordSeed, foldSpace(s)) }

// hear counts what a person said.
func (w wordCount) hear(m *lore.Message) {
	for i := range m.Parts {
		if m.Role == lore.User && m.Parts[i].Kind == lore.Text {
			w[wordHash(m.Parts[i].Text)]++
		}
	}
}

// take takes one text of these words away; false when there is none.
func (w wordCount) take(s string) bool {
	h := wordHash(s)
	if w[h] == 0 {
		return false
	}
	w[h]--
	return true
}
