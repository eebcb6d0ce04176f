package continuedev

import (
	"context"
	"path"
	"slices"
	"strings"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// session is one session while it is read.
type session struct {
	file   *file
	losses *kit.Tally
	ledger lore.Ledger
	pieces *kit.Pieces

	native, title, dir string
	begun              lore.Time
	said               int
	prior              string          // native id of the message before
	seen               map[string]bool // native ids
}

func (f *file) readSession(ctx context.Context, in adapter.Input, losses *kit.Tally, yield yielder) error {
	s := &session{file: f, losses: losses, seen: map[string]bool{}, native: f.text("sessionId"), title: f.text("title"),
		dir: f.text("workspaceDirectory")}
	stem := strings.TrimSuffix(path.Base(in.Source.Path), ".json")
	switch {
	case s.native == "" && isID(stem):
		s.native = stem
	case isID(stem) && s.native != stem:
		losses.One(lore.IDMismatch, lore.Info, 0, "the document says session "+kit.Clip(s.native))
	}
	s.index(in)
	losses.In(f.name)
	s.ledger.Damage(f.damaged)
	s.pieces = kit.NewPieces(in, s.head, yield)
	for i, at := range f.elements {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := s.entry(i, at); err != nil {
			return err
		}
	}
	if s.said == 0 {
		losses.One(lore.Empty, lore.Info, 0, "no messages")
	}
	return s.pieces.End(s.ledger, losses.List())
}

// head makes the record of a piece. A session without messages is no conversation.
func (s *session) head() *lore.Conversation {
	c := &lore.Conversation{Source: source, Store: store, Native: s.native, Kind: lore.Main, Partial: s.said == 0, StartedAt: s.begun}
	describe(c, s.title, s.dir)
	if v, ok := s.file.head["usage"]; ok {
		c.Usage = usageOf(s.file.value(v))
	}
	return c
}

// index takes from the list beside the session when it began, and what the session itself does not say (any more).
func (s *session) index(in adapter.Input) {
	p := path.Join(path.Dir(in.Source.Path), indexFile)
	if !slices.Contains(in.Source.Companions, p) {
		return
	}
	doc, err := kit.Document(in, p, maxIndex)
	if err != nil {
		return // Find tells, once
	}
	for v := range doc.Value.Items() {
		if !v.Get("sessionId").Is(s.native) {
			continue
		}
		s.ledger.Keep(1)
		s.begun = created(v.Get("dateCreated"))
		if s.title == "" {
			s.title = v.Get("title").String()
		}
		if s.dir == "" {
			s.dir = v.Get("workspaceDirectory").String()
		}
		return
	}
}

// entry reads one entry of the history: a message, and what was attached to it.
func (s *session) entry(i int, at span) error {
	v := s.file.value(at)
	s.file.flaws(s.losses)
	said := v.Get("message")
	role, known := roles[said.Get("role").String()]
	if !known {
		name := kit.Clip("role " + said.Get("role").String())
		s.ledger.Meet(name)
		s.losses.Unknown(0, name)
		return nil
	}
	s.ledger.Keep(1)
	origin := lore.Locator{File: s.file.name, Offset: int64(at.off), Length: int64(at.len)}
	main := lore.Message{Role: role, Units: 1, Native: said.Get("id").String(), Parts: s.parts(v, role), Origins: []lore.Locator{origin}}
	if said.Get("role").Is("system") {
		main.Subtype = "context"
	}
	if role == lore.Assistant {
		main.Model, main.Usage = modelOf(v), usageOf(said.Get("usage"))
	}
	list := []lore.Message{main}
	if extra := attached(v.Get("contextItems")); len(extra) > 0 {
		list = append(list, lore.Message{Role: lore.System, Subtype: "context", Parts: extra, Origins: []lore.Locator{origin}})
	}
	if extra := s.outputs(v.Get("toolCallStates"), s.answered(i+1)); len(extra) > 0 {
		list = append(list, lore.Message{Role: lore.Tool, Parts: extra, Origins: []lore.Locator{origin}})
	}
	if words := v.Get("conversationSummary"); words.String() != "" {
		list = append(list, lore.Message{Role: lore.System, Subtype: "compaction",
			Parts: []lore.Part{kit.TextPart(lore.Text, words)}, Origins: []lore.Locator{origin}})
	}
	for _, m := range list {
		if err := s.put(m); err != nil {
			return err
		}
	}
	return nil
}

// roles are who speaks, by the product's names.
var roles = map[string]lore.Role{"user": lore.User, "assistant": lore.Assistant, "thinking": lore.Assistant, "tool": lore.Tool, "system": lore.System}

// answered returns the ids of the calls whose results stand as entries of their own, from one on.
func (s *session) answered(from int) map[string]bool {
	ids := map[string]bool{}
	for i := from; i < len(s.file.elements); i++ {
		var doc kit.Doc
		at := s.file.elements[i]
		v, err := doc.Parse(s.file.data[at.off : at.off+at.len])
		if err != nil || !v.Get("message", "role").Is("tool") {
			break
		}
		ids[v.Get("message", "toolCallId").String()] = true
	}
	return ids
}

// put completes a message and adds it.
func (s *session) put(m lore.Message) error {
	m.Active = true
	m.At, m.AtFrom = s.begun, lore.FromNone
	if !s.begun.IsZero() {
		m.AtFrom = lore.FromInherited
	}
	if m.Native != "" {
		if s.seen[m.Native] {
			m.Native = kit.SplitNative(m.Role, m.Native)
		}
		s.seen[m.Native] = true
		m.ParentNative, s.prior = s.prior, m.Native
	} else {
		m.ParentNative = s.prior
	}
	s.said++
	return s.pieces.Add(m)
}

// modelOf tells which model answered, by the log of the request. The session names only the one that was chosen last.
func modelOf(v kit.Value) string {
	model := ""
	for log := range v.Get("promptLogs").Items() {
		for _, name := range []string{log.Get("completionOptions", "model").String(), log.Get("modelTitle").String()} {
			if name != "" {
				model = name
				break
			}
		}
	}
	return model
}

func usageOf(v kit.Value) *lore.Usage {
	n := func(keys ...string) int64 {
		for _, key := range keys {
			if i, ok := v.Get(key).Int(); ok && i > 0 {
				return i
			}
		}
		return 0
	}
	u := lore.Usage{Input: n("promptTokens", "prompt_tokens"), Output: n("completionTokens", "completion_tokens")}
	if d := v.Get("promptTokensDetails"); d.IsObject() {
		u.CacheRead, _ = d.Get("cachedTokens").Int()
		u.CacheWrite, _ = d.Get("cacheWriteTokens").Int()
	}
	if u == (lore.Usage{}) {
		return nil
	}
	return &u
}

// isID reports whether a name has the form of a session's id, a uuid.
func isID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		if dash := i == 8 || i == 13 || i == 18 || i == 23; dash != (s[i] == '-') ||
			!dash && !strings.ContainsRune("0123456789abcdefABCDEF", rune(s[i])) {
			return false
		}
	}
	return true
}
