package copilotcli

import (
	"github.com/cespare/xxhash/v2"

	"lore"
	"lore/adapter/kit"
)

// conv is one conversation of a log: the session's own, or a sub-agent's.
type conv struct {
	agent  string // the sub-agent's id; empty for the session's own
	via    string // id of the call that started it, as far as events name it
	model  int16
	speaks bool
	count  int32
	first  int32 // in scan.ordered, set by bucket
	prompt uint64
	asked  bool // prompt is that of its first message
	at     int32
	ledger lore.Ledger

	reasons map[uint64]int32 // digests of the reasoning since the last prompt → event
}

func newConv(agent string, at int32) *conv {
	return &conv{agent: agent, model: -1, at: at, reasons: map[uint64]int32{}}
}

// forget ends what belongs to one prompt.
func (c *conv) forget() { clear(c.reasons) }

// begin notes the first prompt of a sub-agent, by which the call that started it may be found.
func (c *conv) begin(body kit.Value) {
	if !c.asked {
		c.asked, c.prompt = true, digestOf(body.Get("content").String())
	}
}

func digestOf(s string) uint64 { return xxhash.Sum64String(s) }

// routes are the conversations of sub-agents by what events name them: by the agent, or, in older versions, by the call.
type routes struct {
	agent map[string]int32
	call  map[string]int32
}

// route returns the conversation that an event belongs to. What is told of a sub-agent as a whole belongs to it, too.
func (s *scan) route(v, body kit.Value, k kind) int32 {
	agent, call := idOf(v.Get("agentId")), idOf(body.Get("parentToolCallId"))
	if k == kindStarted {
		call = idOf(body.Get("toolCallId"))
	}
	if agent == "" && call == "" {
		return 0
	}
	if i, ok := s.agents.agent[agent]; ok && agent != "" {
		s.named(i, agent, call)
		return i
	}
	if i, ok := s.agents.call[call]; ok && call != "" {
		s.named(i, agent, call)
		return i
	}
	i := int32(len(s.convs))
	name := agent
	if name == "" {
		name = call
	}
	s.convs = append(s.convs, newConv(name, int32(len(s.events))))
	s.named(i, agent, call)
	return i
}

func (s *scan) named(i int32, agent, call string) {
	if agent != "" {
		s.agents.agent[agent] = i
	}
	if call == "" {
		return
	}
	if _, taken := s.agents.call[call]; !taken {
		s.agents.call[call] = i
	}
	if c := s.convs[i]; c.via == "" {
		c.via = call
	}
}

// started takes in what is told when a sub-agent begins.
func (s *scan) started(n int32, body kit.Value) {
	c := s.convs[s.events[n].conv]
	s.model(c, body.Get("model"))
	c.ledger.Keep(1)
}

// settle finds the parents of sub-agents, and gives the events of those that never spoke back to the session: a
// sub-agent that left no word is no conversation.
func (s *scan) settle() {
	for i := range s.events {
		if e := &s.events[i]; e.conv > 0 && !s.convs[e.conv].speaks {
			e.conv = 0
		}
	}
	for i, c := range s.convs[1:] {
		if !c.speaks {
			s.convs[0].ledger.Add(unkept(c.ledger))
			s.convs[0].count += c.count
			c.count, c.ledger = 0, lore.Ledger{}
			continue
		}
		if c.via == "" && c.asked {
			s.adopt(int32(i+1), c)
		}
	}
	s.bucket()
}

// unkept counts what was kept of a sub-agent without words as skipped.
func unkept(l lore.Ledger) lore.Ledger {
	n := l.Kept
	l.Kept, l.Units = 0, l.Units-n
	for range n {
		l.Skip("subagent.started")
	}
	return l
}

// adopt finds the call that started a sub-agent which no event names: the last one before it with the same prompt.
func (s *scan) adopt(i int32, c *conv) {
	found := -1
	for k := range s.tasks {
		if t := &s.tasks[k]; !t.taken && t.prompt == c.prompt && t.conv != i {
			found = k
		}
	}
	if found >= 0 {
		s.tasks[found].taken = true
		c.via = s.tasks[found].call
	}
}

// parent returns the conversation whose call started a sub-agent: the session's own where that is not known.
func (s *scan) parent(i int32) int32 {
	k := s.calls[s.convs[i].via]
	if k == nil || k.conv == i || !s.convs[k.conv].speaks {
		return 0
	}
	return k.conv
}

// bucket sorts the events by conversation, each in the order of the file.
func (s *scan) bucket() {
	for _, c := range s.convs {
		c.count = 0
	}
	for i := range s.events {
		s.convs[s.events[i].conv].count++
	}
	at := int32(0)
	for _, c := range s.convs {
		c.first, at = at, at+c.count
		c.count = 0
	}
	s.ordered = make([]int32, len(s.events))
	for i := range s.events {
		c := s.convs[s.events[i].conv]
		s.ordered[c.first+c.count] = int32(i)
		c.count++
	}
}

// eventsOf returns the events of a conversation in the order of the file.
func (s *scan) eventsOf(c *conv) []int32 { return s.ordered[c.first : c.first+c.count] }
