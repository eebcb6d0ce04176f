package codex

import (
	"lore"
	"lore/adapter/kit"
)

// head is what a file says about its conversation as a whole.
type head struct {
	found  bool      // a first record that says who the conversation is
	id     string    // native id from that record; empty when it has none
	time   lore.Time // when the session began
	dir    string
	branch string
	remote string
	kind   lore.Kind
	parent string // native id of the conversation that started this one

	title   string
	titleAt lore.Time
}

// meta reads a session_meta, or the first line of generation 2. The first one says who the conversation is; one with the
// same id is a resume, one with another id the beginning of a replay. It returns whether the record said anything new.
func (s *scan) meta(body kit.Value, envelope lore.Time, line int32) bool {
	id := idOf(body.Get("id"))
	begun, ok := kit.ParseTime(body.Get("timestamp"))
	if !ok {
		begun = envelope
	}
	if s.head.found && id != "" && id != s.native() {
		return s.otherMeta(id, begun, line)
	}
	if s.head.found {
		return s.branch(body.Get("git"))
	}
	h := &s.head
	h.found, h.id, h.time = true, id, begun
	if id != "" && s.name.id != "" && id != s.name.id {
		s.losses.one(lore.IDMismatch, lore.Info, line, "the session in it is "+clip(id))
	}
	if dir := idOf(body.Get("cwd")); dir != "" {
		h.dir = dir
	}
	s.branch(body.Get("git"))
	s.origin(body)
	if envelope.IsZero() {
		envelope = begun
	}
	s.replay.fork(s.native(), idOf(body.Get("forked_from_id")), envelope)
	return true
}

// otherMeta takes in the meta of another session. It begins a replay when it is that of the parent, or when nothing was
// said yet; else it says nothing about this conversation.
func (s *scan) otherMeta(id string, begun lore.Time, line int32) bool {
	if id == s.replay.parent || s.replay.on || len(s.units) == 0 {
		s.replay.repeat(id, begun)
		return true
	}
	s.losses.more(lore.ForeignRecord, lore.Info, line, "session_meta of another session")
	return false
}

// origin reads what started the session: a person, another conversation, a program.
func (s *scan) origin(body kit.Value) {
	h, source := &s.head, body.Get("source")
	subagent := source.Get("subagent")
	switch {
	case subagent.Exists() || body.Get("thread_source").String() == "subagent":
		h.kind = lore.Subagent
	case source.Is("exec") || source.Is("mcp"), !source.Exists() && body.Get("originator").Is("codex_exec"):
		h.kind = lore.Automation
	}
	h.parent = idOf(first(subagent.Get("thread_spawn", "parent_thread_id"), body.Get("parent_thread_id")))
	if h.parent != "" {
		h.kind = lore.Subagent
	}
}

// branch takes the branch and remote of a meta; the newest one stands.
func (s *scan) branch(git kit.Value) bool {
	before := s.head.branch
	if branch := idOf(git.Get("branch")); branch != "" {
		s.head.branch = branch
	}
	if remote := idOf(git.Get("repository_url")); remote != "" && s.head.remote == "" {
		s.head.remote = remote
	}
	return s.head.branch != before
}

// setting takes folder and model from the settings of a turn. It returns whether they are new.
func (s *scan) setting(cwd, model kit.Value) bool {
	fresh := false
	if dir := idOf(cwd); dir != "" && s.head.dir == "" {
		s.head.dir, fresh = dir, true
	}
	if name := idOf(model); name != "" && (s.model < 0 || s.models[s.model] != name) {
		s.model, fresh = s.modelIndex(name), true
	}
	return fresh
}

func (s *scan) modelIndex(name string) int16 {
	for i, known := range s.models {
		if known == name {
			return int16(i)
		}
	}
	if len(s.models) == 1<<15-1 {
		return s.model
	}
	s.models = append(s.models, name)
	return int16(len(s.models) - 1)
}

// native returns the conversation's native id: from the first meta, else from the file's name.
func (s *scan) native() string {
	if s.head.id != "" {
		return s.head.id
	}
	return s.name.id
}
