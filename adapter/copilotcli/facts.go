package copilotcli

import (
	"lore"
	"lore/adapter/kit"
)

// fact takes in an event that says something of the session, or that makes a message of the tool's own.
func (s *scan) fact(n int32, v, body kit.Value, typ string) {
	e := &s.events[n]
	c := s.convs[e.conv]
	fresh := false
	switch e.kind {
	case kindHead:
		fresh = s.head(v, body, typ, c)
	case kindModel:
		fresh = s.model(c, first(body.Get("newModel"), body.Get("chosenModel")))
	case kindTitle:
		if t := body.Get("title").String(); t != "" && t != s.title {
			s.title, fresh = t, true
			s.titled, _ = kit.ParseTime(v.Get("timestamp"))
		}
	case kindShutdown:
		if fresh = s.spent(body); fresh {
			s.ended = n
		}
		if body.Get("errorReason").String() != "" {
			e.kind = kindNotice // its unit counts with the message
			return
		}
	case kindRewind:
		fresh = s.rewind(n, idOf(body.Get("upToEventId")), c)
	default:
		return // a message: the second pass counts it
	}
	if fresh {
		c.ledger.Keep(1)
	} else {
		c.ledger.Skip(typ)
	}
}

// head takes in a segment of the session: who it is, and where it takes place now.
func (s *scan) head(v, body kit.Value, typ string, c *conv) bool {
	fresh := false
	if id := idOf(body.Get("sessionId")); typ == "session.start" && id != "" {
		switch {
		case s.native == "":
			s.native, fresh = id, true
		case s.native != id:
			s.other = id
		}
	}
	if s.begun.IsZero() {
		s.begun, _ = kit.ParseTime(first(body.Get("startTime"), v.Get("timestamp")))
	}
	at := body.Get("context")
	if !at.IsObject() {
		at = body
	}
	if dir := at.Get("cwd").String(); s.dir == "" && dir != "" {
		s.dir, fresh = dir, true
	}
	if branch := at.Get("branch").String(); branch != "" && branch != s.branch {
		s.branch, fresh = branch, true
	}
	if remote := at.Get("repository").String(); s.remote == "" && remote != "" {
		s.remote, fresh = remote, true
	}
	return s.model(c, body.Get("selectedModel")) || fresh
}

// model takes in the model that answers from here on. "auto" names none.
func (s *scan) model(c *conv, v kit.Value) bool {
	name := v.String()
	if name == "" || name == "auto" {
		return false
	}
	before := c.model
	c.model = s.modelIndex(name)
	return c.model != before
}

// spent adds up what a segment of the session took, by the tool's own count.
func (s *scan) spent(body kit.Value) bool {
	found := false
	for _, m := range body.Get("modelMetrics").Fields() {
		u := m.Get("usage")
		n := func(key string) int64 {
			n, _ := u.Get(key).Int()
			return max(n, 0)
		}
		took := lore.Usage{Input: n("inputTokens"), Output: n("outputTokens"), CacheRead: n("cacheReadTokens"), CacheWrite: n("cacheWriteTokens")}
		if took == (lore.Usage{}) {
			continue
		}
		found = true
		s.usage.Input += took.Input
		s.usage.Output += took.Output
		s.usage.CacheRead += took.CacheRead
		s.usage.CacheWrite += took.CacheWrite
	}
	return found
}

// rewind makes an event and all behind it inactive.
func (s *scan) rewind(n int32, id string, c *conv) bool {
	if id == "" {
		return false
	}
	at, ok := s.byID[digestOf(id)]
	if !ok {
		return false
	}
	for i := at; i < n; i++ {
		s.events[i].gone = true
	}
	return true
}
