package copilot

import (
	"lore"
	"lore/adapter/kit"
)

// childEvents are the events of one sub-agent.
type childEvents struct {
	call   string
	events []*event
}

// children gathers the events of sub-agents by the call that started each.
func (s *session) children() []*childEvents {
	if s.script == nil {
		return nil
	}
	var list []*childEvents
	byCall := map[string]*childEvents{}
	for _, t := range s.script.turns {
		for _, x := range t.events {
			if x.child == "" {
				continue
			}
			c := byCall[x.child]
			if c == nil {
				c = &childEvents{call: x.child}
				byCall[x.child] = c
				list = append(list, c)
			}
			c.events = append(c.events, x)
			s.units.list[x.node.unit].child = x.child
		}
	}
	return list
}

// tellChildren yields a conversation for each sub-agent.
func (s *session) tellChildren(list []*childEvents) error {
	for _, child := range list {
		head := func() *lore.Conversation {
			return &lore.Conversation{
				Source: s.facts.Source, Store: s.facts.Store, Native: s.facts.Native + "/" + child.call, Kind: lore.Subagent,
				Project: s.facts.Project, Parent: &lore.Parent{Native: s.facts.Native, Call: child.call},
			}
		}
		e := &emitter{state: s.state, in: s.in, yield: s.yield, head: head}
		for _, x := range child.events {
			e.scriptEvent(x, true)
			if err := firstError(s.ctx.Err(), s.err); err != nil {
				return err
			}
			if e.stopped {
				return kit.ErrStopped
			}
		}
		c := head()
		c.Messages = e.messages
		s.units.ledger(&c.Ledger, child.call)
		if !s.yield(c, nil) {
			return kit.ErrStopped
		}
	}
	return nil
}
