package trae

import (
	"cmp"
	"slices"

	"lore"
	"lore/adapter/kit"
)

// session is one chat, out of all rows of a database that hold it.
type session struct {
	*reader
	id      string
	model   string
	begin   lore.Time
	entries []*entry
	bearers map[string]lore.Role // which role an id was first met with

	ledger lore.Ledger
	losses losses
	pieces *kit.Pieces
}

// entry is one message of the list.
type entry struct {
	v       kit.Value
	origins []lore.Locator
	turn    int64 // turnIndex, or that of the message before
	role    lore.Role
	native  string
	taken   bool // another list holds it too
}

// emptySession is a session without messages.
type emptySession struct{ id, row string }

// chats takes the sessions of a row in. The list of them stands at the top or one level down; one level down it may also
// be the messages of the session that the key names.
func (r *reader) chats(s *stored) {
	v, found := s.value, false
	take := func(id string, list kit.Value) {
		if list.IsArray() {
			found = true
			r.list(s, id, list)
		}
	}
	take("", v)
	if take(name(v.Get("sessionId")), v.Get("list")); !found {
		for key, sub := range v.Fields() {
			if key == "data" {
				key = name(v.Get("sessionId"))
			}
			before := found
			take(key, sub.Get("list"))
			if found == before {
				take(key, sub.Get("data", "list"))
			}
		}
	}
	switch {
	case found:
	case v.Len() == 0 || v.Len() == 1 && v.Get("currentSessionId").Exists():
		r.ledger.Skip("no sessions")
	default:
		r.ledger.Meet(kit.Clip(s.key))
		r.losses.unknown(s.where.Row, s.key)
	}
}

// list takes in a list of sessions, or of the messages of one.
func (r *reader) list(s *stored, id string, list kit.Value) {
	if e := list.Index(0); e.Get("role").Exists() && !e.Get("messages").Exists() {
		r.session(s, id, kit.Value{}, list)
		return
	}
	for v := range list.Items() {
		if !v.IsObject() {
			r.ledger.Damage(1)
			r.losses.more(lore.BadJSON, lore.Warning, s.where.Row, "sessions that are no objects", 1)
			continue
		}
		r.session(s, name(first(v.Get("sessionId"), v.Get("id"))), v, v.Get("messages"))
	}
}

// session takes in one session of a row: its head and its messages.
func (r *reader) session(s *stored, id string, head, messages kit.Value) {
	if messages.Len() == 0 || !messages.IsArray() {
		if messages.Exists() && !messages.IsNull() && !messages.IsArray() {
			r.ledger.Meet("session")
			r.losses.more(lore.UnexpectedShape, lore.Warning, s.where.Row, "sessions whose messages are no list", 1)
			return
		}
		r.ledger.Skip("empty session")
		r.empty = append(r.empty, emptySession{id, s.where.Row})
		return
	}
	t := r.byID[id]
	if t == nil {
		t = &session{reader: r, id: id, bearers: map[string]lore.Role{}, losses: losses{file: r.losses.file}}
		r.sessions = append(r.sessions, t)
		if id != "" {
			r.byID[id] = t
		}
	}
	if t.model == "" {
		t.model = modelOf(head)
	}
	if t.begin.IsZero() {
		t.begin, _ = kit.ParseTime(head.Get("createdAt"))
	}
	t.take(s, messages)
}

// take adds the messages of a list. What an earlier list of the session holds too is merged.
func (t *session) take(s *stored, list kit.Value) {
	before := map[string][]*entry{}
	for _, e := range t.entries {
		before[e.key()] = append(before[e.key()], e)
	}
	turn := int64(0)
	for v := range list.Items() {
		where := s.locate(v)
		if !v.IsObject() {
			t.ledger.Damage(1)
			t.losses.more(lore.BadJSON, lore.Warning, s.where.Row, "messages that are no objects", 1)
			continue
		}
		if n, ok := v.Get("turnIndex").Int(); ok {
			turn = n
		}
		e := &entry{v: v, origins: []lore.Locator{where}, turn: turn, role: roles[v.Get("role").String()]}
		e.native = t.nativeOf(e)
		key := e.key()
		if same := before[key]; len(same) > 0 {
			same[0].origins = append(same[0].origins, where)
			before[key] = same[1:]
			t.ledger.Merge(1)
			continue
		}
		t.entries = append(t.entries, e)
	}
	slices.SortStableFunc(t.entries, func(a, b *entry) int { return cmp.Compare(a.turn, b.turn) })
}

// key tells an entry from the others of its session: by its id, else by its words.
func (e *entry) key() string {
	if e.native != "" {
		return string(e.role) + "\x00" + e.native
	}
	return string(e.role) + "\x01" + string(e.v.Get("content").Raw()) + "\x01" + string(e.v.Get("agentTaskContent").Raw())
}

// nativeOf returns the id of a message. A question and its answer share that of their turn: the question keeps it.
func (t *session) nativeOf(e *entry) string {
	role := cmp.Or(e.role, lore.System)
	if id := name(e.v.Get("agentMessageId")); id != "" {
		bearer, known := t.bearers[id]
		if !known {
			t.bearers[id] = role
		}
		if !known || bearer == role {
			return id
		}
		return kit.SplitNative(role, id)
	}
	id := name(e.v.Get("turnId"))
	if role == lore.User {
		return id
	}
	return kit.SplitNative(role, id)
}

// tell yields the session.
func (t *session) tell() error {
	t.pieces = kit.NewPieces(t.in, t.head, t.yield)
	var last lore.Time
	parent := ""
	for _, e := range t.entries {
		m := t.message(e)
		m.Native, m.ParentNative, parent = e.native, parent, e.native
		last = t.stamp(&m, e, last)
		if m.Role == lore.User {
			t.hear(&m)
		}
		if err := t.pieces.Add(m); err != nil {
			return err
		}
	}
	return t.pieces.End(t.ledger, t.losses.list)
}

// head makes the record of a piece.
func (t *session) head() *lore.Conversation {
	return &lore.Conversation{Source: source, Store: t.in.Source.Store, Native: t.id, Kind: lore.Main, Project: t.project,
		Partial: len(t.entries) == 0}
}

// stamp sets the time of a message: its own, else that of the one before, else that of the session. It returns the last
// time that a message had of its own.
func (t *session) stamp(m *lore.Message, e *entry, last lore.Time) lore.Time {
	v := e.v.Get("timestamp")
	own, ok := kit.ParseTime(v)
	switch {
	case ok:
		m.At, m.AtFrom = own, kit.TimeFrom(own)
		return own
	case !last.IsZero():
		m.At, m.AtFrom = last, lore.FromInherited
	case !t.begin.IsZero():
		m.At, m.AtFrom = t.begin, lore.FromInherited
	default:
		m.AtFrom = lore.FromNone
	}
	if first(v).Exists() {
		t.losses.more(lore.BadTime, lore.Info, e.origins[0].Row, "times that cannot be read", 1)
	}
	return last
}

// modelOf returns the model that a session or a message names.
func modelOf(v kit.Value) string {
	for _, m := range []kit.Value{v.Get("model"), v.Get("modelInfo")} {
		if s := name(first(m, kit.Value{})); s != "" {
			return s
		}
		if s := name(first(m.Get("name"), m.Get("modelName"), m.Get("model"), m.Get("id"))); s != "" {
			return s
		}
	}
	return ""
}
