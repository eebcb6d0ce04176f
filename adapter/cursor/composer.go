package cursor

import (
	"bytes"
	"fmt"
	"strings"

	"lore"
	"lore/adapter/kit"
)

// knownComposer is the newest version of chats that is known. A newer one is read as far as it is understood.
const knownComposer = 18

// composer is one chat while it is read: its head, and its bubbles in three places, of which each generation of Cursor
// uses another.
type composer struct {
	*database
	id      string
	w       *writer
	made    bubbles
	head    kit.Value    // absent when it is lost
	where   lore.Locator // of the head
	bubbles []bubble
	byID    map[string]int
	order   []int             // of bubbles, as the chat shows them
	alone   bool              // the chat is whole in its head: no rows belong to it
	dir     string            // that a bubble names
	named   bool              // bubbles name their models
	model   string            // of messages that name none
	budget  int64             // bytes of bubbles that may still be held in memory
	calls   map[string]string // of the chats that this one started, by their ids
}

// bubble is what is known of a bubble before its message is made.
type bubble struct {
	id     string    // by its key; of an inline one by its field
	field  string    // of a row: its own idea of its id, when it has one
	owned  bool      // it has one, be it empty
	inline kit.Value // of one that stands in the head
	row    bool
	held   []byte // the value of a row, while there is memory for it
	offset int64  // place of a row in its row set
	length int64
	at     lore.Time
	nth    int // as which of its chat it was written
	state  rowState
	listed bool // the chat shows it
	also   bool // it stands in the head too
}

// composer reads the chat of an id by its rows.
func (d *database) composer(id string) error {
	c := d.chat(id, d.in.Source.Store)
	doc := new(kit.Doc)
	err := d.each(kit.Query{Table: tableKV, From: keyComposer + id}, func(row kit.Row) error {
		cell := row.Get("value")
		cell.Bytes = bytes.Clone(cell.Bytes)
		c.where = d.rows.Locator(row, "")
		if head, state := value(doc, cell, kit.Object, row.Name(), &c.w.ledger, &c.w.losses); state == rowGood {
			c.head = head
		}
		return nil
	})
	if err == nil {
		err = c.read()
	}
	return err
}

func (d *database) chat(id, store string) *composer {
	c := &composer{database: d, id: id, w: newWriter(d.in, d.yield, store, id), byID: map[string]int{}, budget: d.in.PieceBound(),
		where: lore.Locator{File: d.in.Name(d.in.Source.Path)}}
	c.made.losses = &c.w.losses
	return c
}

// read reads the bubbles and yields the chat, and then what its head says of others.
func (c *composer) read() error {
	c.takeInline()
	if err := c.takeRows(); err != nil {
		return err
	}
	c.arrange()
	c.describe()
	if err := c.emit(); err != nil {
		return err
	}
	if c.head.Exists() {
		if c.w.put > 0 {
			c.w.ledger.Keep(1)
		} else {
			c.w.ledger.Skip("empty chat")
			c.w.losses.one(lore.Empty, lore.Info, spot{row: c.where.Row}, "a chat without messages")
		}
	}
	if err := c.w.finish(); err != nil {
		return err
	}
	return c.children()
}

// list returns the bubbles that stand in the head in their order.
func (c *composer) list() kit.Value {
	for _, field := range []string{"conversation", "bubbles", "messages"} {
		if v := c.head.Get(field); v.Len() > 0 && v.IsArray() {
			return v
		}
	}
	return kit.Value{}
}

// inlineID returns the id of a bubble that stands in the head.
func inlineID(v kit.Value) string { return idOf(first(v.Get("bubbleId"), v.Get("id"))) }

// takeInline takes the bubbles that stand in the head itself: a list, or a map without order.
func (c *composer) takeInline() {
	for v := range c.list().Items() {
		c.inline(inlineID(v), v)
	}
	for id, v := range c.head.Get("conversationMap").Fields() {
		c.inline(id, v)
	}
}

func (c *composer) inline(id string, v kit.Value) {
	if !v.IsObject() {
		c.w.ledger.Damage(1)
		c.w.losses.more(lore.BadJSON, lore.Warning, spot{row: c.where.Row}, "bubbles that are no objects", 1)
		return
	}
	if _, twice := c.byID[id]; twice && id != "" {
		c.w.ledger.Merge(1)
		return
	}
	b := bubble{id: id, inline: v, nth: -1}
	c.look(&b, v)
	c.put(b)
}

func (c *composer) put(b bubble) {
	if b.id != "" {
		c.byID[b.id] = len(c.bubbles)
	}
	c.bubbles = append(c.bubbles, b)
}

// takeRows takes the bubbles that are rows. Where one stands inline too, the row is the bubble.
func (c *composer) takeRows() error {
	if c.alone {
		return nil
	}
	r := prefixed(tableKV, keyBubble+c.id+":")
	return c.each(kit.Query{Table: r.Table, From: r.From, To: r.To, Order: true}, func(row kit.Row) error {
		_, id, _ := splitBubble(row.Key.Text())
		cell := row.Get("value")
		b := bubble{id: id, row: true, nth: row.Nth, offset: row.Offset, length: row.Length}
		var v kit.Value
		if v, b.state = value(&c.doc, cell, kit.Object, row.Name(), &c.w.ledger, &c.w.losses); b.state == rowGood {
			c.look(&b, v)
			if c.budget -= int64(len(cell.Bytes)); c.budget >= 0 {
				b.held = bytes.Clone(cell.Bytes)
			}
		}
		n, twice := c.byID[id]
		switch {
		case !twice:
			c.put(b)
		case b.state == rowGood:
			c.w.ledger.Merge(1)
			b.also = true
			c.bubbles[n] = b
		}
		return nil
	})
}

// look notes what the order and the head need to know of a bubble.
func (c *composer) look(b *bubble, v kit.Value) {
	b.at, _ = bubbleTime(v)
	if field := v.Get("bubbleId"); field.IsString() && !field.Is(b.id) {
		b.field, b.owned = field.String(), b.row
	}
	c.named = c.named || bubbleModel(v) != ""
	if c.dir == "" {
		uris := v.Get("workspaceUris").Index(0)
		c.dir, _ = kit.FileURI(first(v.Get("workspaceProjectDir"), uris, uris.Get("fsPath")).String())
	}
	if sub := first(v.Get("toolFormerData", "additionalData", "subagentComposerId"), v.Get("toolFormerData", "additionalData", "composerId")); sub.IsString() {
		if c.calls == nil {
			c.calls = map[string]string{}
		}
		c.calls[sub.String()] = idOf(v.Get("toolFormerData", "toolCallId"))
	}
}

// describe sets the facts of the head.
func (c *composer) describe() {
	h := &c.w.head
	title := first(c.head.Get("name"), c.head.Get("chatTitle"), c.head.Get("title")).String()
	if strings.TrimSpace(title) != "" {
		h.Title, h.TitleFrom = title, lore.TitleFromSource
	}
	if own := projectOf(c.head); own.Dir != "" || h.Project.Dir == "" {
		h.Project = own
	}
	if h.Project.Dir == "" && c.dir != "" {
		h.Project.Dir, h.Project.Name = c.dir, kit.ProjectName(c.dir)
	}
	if call := callOf(c.id); call != "" {
		h.Kind = lore.Subagent
	}
	if parent := parentOf(c.head); parent != "" && parent != c.id {
		h.Kind, h.Parent = lore.Subagent, &lore.Parent{Native: parent, Call: callOf(c.id)}
	}
	h.Archived = c.head.Get("isArchived").Bool()
	if !c.named {
		c.model = modelName(c.head.Get("modelConfig", "modelName"))
	}
	c.setClock()
	if n, ok := c.head.Get("_v").Int(); ok && n > knownComposer {
		c.w.losses.one(lore.UnexpectedShape, lore.Info, spot{row: c.where.Row}, fmt.Sprintf("a chat of version %d", n))
	}
}

// setClock says which times stand in for those that bubbles do not have: when the chat began and, where no bubble has a
// time of its own, when it was last changed.
func (c *composer) setClock() {
	clock := &c.w.clock
	last, _ := kit.ParseTime(first(c.head.Get("lastUpdatedAt"), c.head.Get("lastSendTime")))
	clock.begin, _ = kit.ParseTime(c.head.Get("createdAt"))
	for _, n := range c.order {
		if at := c.bubbles[n].at; !at.IsZero() {
			if clock.begin.IsZero() {
				clock.begin = at
			}
			return
		}
	}
	clock.end = last
	if clock.begin.IsZero() {
		clock.begin = last
	}
}

// projectOf returns where a chat took place, by its head.
func projectOf(head kit.Value) lore.Project {
	uri := head.Get("workspaceIdentifier", "uri")
	config := head.Get("workspaceIdentifier", "configPath")
	tree := head.Get("gitWorktree")
	where := first(uri.Get("fsPath"), uri.Get("path"), uri.Get("external"), uri, config.Get("fsPath"), config, tree.Get("worktreePath"))
	p := lore.Project{Branch: first(tree.Get("branchName"), head.Get("activeBranch", "branchName")).String()}
	p.Dir, _ = kit.FileURI(where.String())
	p.Name = kit.ProjectName(p.Dir)
	return p
}

// parentOf returns the chat that started this one; "" for none.
func parentOf(head kit.Value) string { return head.Get("subagentInfo", "parentComposerId").String() }

// callOf returns the call that started a chat whose id names it: "task-CALL".
func callOf(id string) string {
	call, _ := strings.CutPrefix(id, "task-")
	if call == id {
		return ""
	}
	return call
}

// children yields which chats this one has started.
func (c *composer) children() error {
	seen := map[string]bool{c.id: true}
	for _, field := range []string{"subComposerIds", "subagentComposerIds"} {
		for sub := range c.head.Get(field).Items() {
			id := sub.String()
			if id == "" || seen[id] {
				continue
			}
			seen[id] = true
			call := c.calls[id]
			if call == "" {
				call = callOf(id)
			}
			fact := &lore.Conversation{Source: source, Store: c.w.head.Store, Partial: true, Native: id, Parent: &lore.Parent{Native: c.id, Call: call}}
			if !c.yield(fact, nil) {
				return errStopped
			}
		}
	}
	return nil
}
