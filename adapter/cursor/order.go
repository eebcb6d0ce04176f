package cursor

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"lore"
	"lore/adapter/kit"
)

// arrange puts the bubbles into the order of the chat's own list. Those that it leaves out were abandoned. Where there is
// no list, the list was lost and not the chat: all bubbles count, by time and by when they were written.
func (c *composer) arrange() {
	ids := c.listed()
	fields := map[string]int{}
	for n := range c.bubbles {
		if b := &c.bubbles[n]; b.owned {
			if _, taken := fields[b.field]; !taken {
				fields[b.field] = n
			}
		}
	}
	var gone []string
	for _, id := range ids {
		n, ok := c.byID[id]
		if !ok {
			n, ok = fields[id] // the list may name a bubble by the bubble's own idea of its id
		}
		switch {
		case !ok || c.bubbles[n].state == rowAbsent:
			gone = append(gone, id)
		case !c.bubbles[n].listed:
			c.bubbles[n].listed = true
			c.order = append(c.order, n)
		}
	}
	c.missing(gone)
	var left []int
	for n := range c.bubbles {
		if !c.bubbles[n].listed && c.bubbles[n].state == rowGood {
			left = append(left, n)
		}
	}
	c.sort(left)
	switch {
	case len(left) == 0:
	case len(ids) > 0:
		c.weave(left)
	default:
		for _, n := range left {
			c.bubbles[n].listed = true
		}
		c.order = left
		c.w.losses.one(lore.MissingHeader, lore.Warning, spot{row: tableKV + "/" + keyComposer + c.id},
			fmt.Sprintf("%d bubbles without a list, by time and order of writing", len(left)))
	}
}

// missing tells which bubbles the list names and no row holds: one loss, for in long chats they are many.
func (c *composer) missing(ids []string) {
	const most = 5
	if len(ids) == 0 {
		return
	}
	what := "bubbles"
	for _, id := range ids[:min(len(ids), most)] {
		what += fmt.Sprintf(" %q", clip(id))
	}
	if len(ids) > most {
		what += fmt.Sprintf(" and %d more", len(ids)-most)
	}
	c.w.losses.more(lore.MissingRow, lore.Warning, spot{row: tableKV + "/" + keyBubble + c.id + ":" + ids[0]}, what, len(ids))
}

// listed returns the ids of the bubbles in the order of the chat: of its list, else of the bubbles that stand in it.
// Inline bubbles without an id are in their place at once.
func (c *composer) listed() (ids []string) {
	for h := range c.head.Get("fullConversationHeadersOnly").Items() {
		ids = append(ids, h.Get("bubbleId").String())
	}
	if len(ids) > 0 {
		return ids
	}
	n := 0
	for v := range c.list().Items() {
		if !v.IsObject() {
			continue
		}
		if id := inlineID(v); id != "" {
			ids = append(ids, id)
			continue
		}
		for n < len(c.bubbles) && (c.bubbles[n].id != "" || c.bubbles[n].row) {
			n++
		}
		if n < len(c.bubbles) {
			ids = append(ids, c.nameless(n))
			n++
		}
	}
	return ids
}

// nameless lets a bubble without an id be found under one that no bubble has.
func (c *composer) nameless(n int) string {
	key := fmt.Sprintf("\x00%d", n)
	c.byID[key] = n
	return key
}

// sort orders bubbles that no list orders: by time where all have one, else as they were written.
func (c *composer) sort(list []int) {
	timed := true
	for _, n := range list {
		timed = timed && !c.bubbles[n].at.IsZero()
	}
	slices.SortStableFunc(list, func(i, j int) int {
		a, b := &c.bubbles[i], &c.bubbles[j]
		if timed && a.at.UnixNano() != b.at.UnixNano() {
			return cmp.Compare(a.at.UnixNano(), b.at.UnixNano())
		}
		return cmp.Or(cmp.Compare(a.nth, b.nth), cmp.Compare(i, j))
	})
}

// weave puts abandoned bubbles behind the last listed one that is not younger; where no time says so, behind the last
// that was written before.
func (c *composer) weave(left []int) {
	after := make(map[int][]int, len(left))
	for _, n := range left {
		b, at := &c.bubbles[n], -1
		for i, m := range c.order {
			l := &c.bubbles[m]
			timed := !b.at.IsZero() && !l.at.IsZero()
			if timed && l.at.UnixNano() <= b.at.UnixNano() || b.at.IsZero() && l.nth < b.nth {
				at = i
			}
		}
		after[at] = append(after[at], n)
	}
	order := slices.Clone(after[-1])
	for i, n := range c.order {
		order = append(append(order, n), after[i]...)
	}
	c.order = order
}

// emit makes the messages of the bubbles in their order.
func (c *composer) emit() error {
	final := -1 // the last one that the chat shows
	for i, n := range c.order {
		if c.bubbles[n].listed {
			final = i
		}
	}
	for i, n := range c.order {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		b := &c.bubbles[n]
		if b.state != rowGood {
			continue
		}
		v, where, err := c.open(b)
		if err != nil {
			return err
		}
		if err := c.say(b, v, where, i >= final); err != nil {
			return err
		}
		b.held = nil
	}
	return nil
}

// open returns the value of a bubble and where it stands. What is not held is read again by its key.
func (c *composer) open(b *bubble) (v kit.Value, where lore.Locator, err error) {
	if !b.row {
		return b.inline, c.where, nil
	}
	key := keyBubble + c.id + ":" + b.id
	where = lore.Locator{File: c.where.File, Row: tableKV + "/" + key, Offset: b.offset, Length: b.length}
	if b.held == nil {
		err = c.each(kit.Query{Table: tableKV, From: key}, func(row kit.Row) error {
			b.held = bytes.Clone(row.Get("value").Bytes)
			return nil
		})
	}
	if err == nil {
		v, err = c.doc.Parse(b.held)
	}
	if err != nil {
		err = fmt.Errorf("row %q: %w", where.Row, err)
	}
	return v, where, err
}

// say puts the messages of one bubble.
func (c *composer) say(b *bubble, v kit.Value, where lore.Locator, final bool) error {
	at := spot{row: where.Row}
	own, ok := bubbleTime(v)
	if !ok {
		c.w.losses.more(lore.BadTime, lore.Warning, at, "times that cannot be read", 1)
	}
	if n, known := v.Get("_v").Int(); known && n > knownBubble {
		c.w.losses.more(lore.UnexpectedShape, lore.Info, at, fmt.Sprintf("bubbles of version %d", n), 1)
	}
	list := c.made.messages(v, b.id, at)
	kept := 1
	if speaker(v) == "" {
		kept = 0
		c.w.ledger.Meet(typeName(v))
		c.w.losses.unknown(at, typeName(v))
	} else {
		c.w.ledger.Keep(1)
	}
	model := bubbleModel(v)
	if model == "" {
		model = c.model
	}
	usage := bubbleUsage(v)
	for i := range list {
		m := &list[i]
		m.Active, m.Units = b.listed, kept
		kept = 0
		c.w.clock.stamp(m, own, final)
		m.Origins = []lore.Locator{where}
		if b.also && c.where.Row != "" {
			m.Origins = append(m.Origins, c.where)
		}
		if m.Role == lore.Assistant {
			m.Model, m.Usage = model, usage
			usage = nil
		}
	}
	return c.w.add(list...)
}
