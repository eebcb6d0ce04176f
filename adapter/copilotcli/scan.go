package copilotcli

import (
	"github.com/cespare/xxhash/v2"

	"lore"
	"lore/adapter/kit"
)

// event is one line of a log. There is one for each line, so it holds no words.
type event struct {
	offset, length int64
	hash           uint64 // of the bytes
	line           int32
	up             int32 // the event that it names as its parent; -1: none, or not in the file
	conv           int32
	owner          int32 // the event whose message says this one, too; its own index when it stands itself
	twin, next     int32 // the first event that says the same, and the next of its own twins; -1: none
	model          int16 // index in scan.models of the model at work; -1: unknown
	kind           kind
	id             string // of an event that makes a message
	void           bool   // it proved to say nothing
	gone           bool   // removed by a rewind
	told           bool   // of an answer: an event of its own has its reasoning
}

// scan is the first pass over a log: it takes each event in and notes what belongs together.
type scan struct {
	events  []event
	convs   []*conv
	ordered []int32          // events by conversation
	ids     map[uint64]int32 // digest of an event's id and type → the first event
	byID    map[uint64]int32 // digest of an event's id → the newest event
	agents  routes
	calls   map[string]*call
	models  []string
	tasks   []task
	losses  losses

	native  string // the session's id; empty until a session.start names it
	other   string // a later session.start names it so
	begun   lore.Time
	dir     string
	branch  string
	remote  string
	title   string
	titled  lore.Time
	usage   lore.Usage // of the segments that ended
	ended   int32      // the event that ended the last of them; -1: none has
	again   int        // lines that repeat one before them byte for byte
	againAt int        // line of the first of them
	mine    int        // events of a sort that only this format has
	good    int
}

// call is what is known of a tool call by its id.
type call struct {
	name     string
	conv     int32
	line     int32
	requests []int32 // answers that show it, whose start has not come yet
	last     int32   // the last start that stands itself; -1: none
	lastHash uint64
	shown    bool // some event shows the call
	results  int
}

// task is a call that hands a prompt on.
type task struct {
	call   string
	conv   int32
	prompt uint64
	taken  bool
}

func newScan() *scan {
	s := &scan{ids: map[uint64]int32{}, byID: map[uint64]int32{}, calls: map[string]*call{}, ended: -1}
	s.agents = routes{agent: map[string]int32{}, call: map[string]int32{}}
	s.convs = []*conv{newConv("", -1)}
	return s
}

// take takes one event in.
func (s *scan) take(r *kit.Record) {
	v := r.Value
	s.good++
	typ, body := v.Get("type").String(), bodyOf(v)
	n := int32(len(s.events))
	e := event{offset: r.Offset, length: r.Length, line: int32(r.Line), hash: r.Hash, up: -1, owner: n, twin: -1, next: -1, model: -1, kind: kindOf(typ)}
	if looksMine(v, typ) {
		s.mine++
	}
	e.conv = s.route(v, body, e.kind)
	c := s.convs[e.conv]
	id := idOf(v.Get("id"))
	if up, ok := s.byID[xxhash.Sum64String(idOf(v.Get("parentId")))]; ok && holds(v.Get("parentId")) {
		e.up = up
	}
	if e.kind.speaks() {
		e.id = id
	}
	s.events = append(s.events, e)
	if s.repeated(n, id, typ) {
		return
	}
	switch e.kind {
	case kindUnknown:
		name := clip(typ)
		if name == "" {
			name = "record without type"
		}
		c.ledger.Meet(name)
		s.losses.one(lore.UnknownRecord, lore.Info, r.Line, "type "+name)
	case kindSkip:
		c.ledger.Skip(typ)
	case kindUser:
		c.forget()
		c.begin(body)
		c.speaks = true
	case kindAnswer:
		s.answer(n, body)
		c.speaks = true
	case kindReason:
		s.reason(n, body)
		c.speaks = true
	case kindStart, kindAsked:
		s.start(n, body)
		c.speaks = true
	case kindResult:
		s.result(n, body)
		c.speaks = true
	case kindReply:
		c.speaks = c.speaks || holds(body.Get("answer"))
	case kindStarted:
		s.started(n, body)
	default:
		s.fact(n, v, body, typ)
	}
	s.events[n].model = c.model
}

// repeated notes an event that is the same as one before it, byte for byte; it is merged into that one.
func (s *scan) repeated(n int32, id, typ string) bool {
	e := &s.events[n]
	key := xxhash.Sum64String(typ + "\x00" + id)
	s.byID[xxhash.Sum64String(id)] = n
	first, known := s.ids[key]
	if !known {
		s.ids[key] = n
		return false
	}
	if id == "" || s.events[first].hash != e.hash || s.events[first].length != e.length {
		return false
	}
	s.merge(first, n)
	if s.again++; s.again == 1 {
		s.againAt = int(e.line)
	}
	return true
}

// merge notes that an event says again what another one says.
func (s *scan) merge(owner, n int32) {
	for s.events[owner].owner != owner {
		owner = s.events[owner].owner
	}
	e, o := &s.events[n], &s.events[owner]
	e.owner = owner
	if !o.kind.speaks() {
		s.convs[o.conv].ledger.Merge(1)
		return
	}
	e.next, o.twin = o.twin, n
}

// answer notes the calls of an answer, and reasoning that an event of its own has.
func (s *scan) answer(n int32, body kit.Value) {
	c := s.convs[s.events[n].conv]
	if name := body.Get("model").String(); name != "" {
		c.model = s.modelIndex(name)
	}
	if text := body.Get("reasoningText").String(); text != "" {
		h := xxhash.Sum64String(text)
		if at, ok := c.reasons[h]; ok && s.events[at].kind == kindReason {
			s.events[n].told = true
			if !holdsWords(body) {
				s.merge(at, n)
				return
			}
		}
		c.reasons[h] = n
	}
	for req := range body.Get("toolRequests").Items() {
		id := idOf(req.Get("toolCallId"))
		k := s.callOf(id, n)
		k.name, k.shown = callName(req), true
		k.requests = append(k.requests, n)
		if p := req.Get("arguments", "prompt").String(); p != "" {
			s.tasks = append(s.tasks, task{call: id, conv: s.events[n].conv, prompt: xxhash.Sum64String(p)})
		}
	}
}

// holdsWords reports whether an answer says something beside its reasoning.
func holdsWords(body kit.Value) bool {
	return body.Get("content").String() != "" || body.Get("toolRequests").Len() > 0
}

// reason notes reasoning. What the answer just before it has said is its twin.
func (s *scan) reason(n int32, body kit.Value) {
	c := s.convs[s.events[n].conv]
	h := xxhash.Sum64String(body.Get("content").String())
	if at, ok := c.reasons[h]; ok {
		s.merge(at, n)
		return
	}
	c.reasons[h] = n
}

// start pairs the beginning of a tool's run with the request for it, in order; where there is none, it is the call.
func (s *scan) start(n int32, body kit.Value) {
	id := idOf(body.Get("toolCallId"))
	k := s.callOf(id, n)
	if len(k.requests) > 0 {
		at := k.requests[0]
		k.requests = k.requests[1:]
		s.merge(at, n)
		return
	}
	h := xxhash.Sum64(body.Get("arguments").Raw()) ^ xxhash.Sum64String(callName(body))
	if id != "" && k.last >= 0 && k.lastHash == h && k.results == 0 {
		s.merge(k.last, n)
		return
	}
	k.last, k.lastHash, k.results, k.shown = n, h, 0, true
	if name := callName(body); name != "" {
		k.name = name
	}
	if s.events[n].kind == kindAsked {
		k.requests = append(k.requests, n) // its own start follows
	}
}

func (s *scan) result(n int32, body kit.Value) {
	id := idOf(body.Get("toolCallId"))
	k := s.callOf(id, n)
	k.results++
	k.requests = nil
	c := s.convs[s.events[n].conv]
	if model := body.Get("model").String(); model != "" && c.model < 0 && c.agent != "" {
		c.model = s.modelIndex(model)
	}
}

// callOf returns what is known of a call. Calls without an id are not told apart.
func (s *scan) callOf(id string, n int32) *call {
	if id == "" {
		return &call{last: -1}
	}
	k := s.calls[id]
	if k == nil {
		k = &call{conv: s.events[n].conv, line: s.events[n].line, last: -1}
		s.calls[id] = k
	}
	return k
}

// callName returns the tool's name: as the model called it, else as its server does.
func callName(v kit.Value) string {
	for _, key := range [...]string{"name", "toolName", "mcpToolName"} {
		if name := idOf(v.Get(key)); name != "" {
			return name
		}
	}
	return ""
}

func (s *scan) modelIndex(name string) int16 {
	for i, known := range s.models {
		if known == name {
			return int16(i)
		}
	}
	if len(s.models) == 1<<15-1 {
		return -1
	}
	s.models = append(s.models, name)
	return int16(len(s.models) - 1)
}

// looksMine reports whether a record can only be an event of this tool: its envelope, and a type of its kind.
func looksMine(v kit.Value, typ string) bool {
	if kindOf(typ) == kindUnknown || !v.Get("timestamp").Exists() {
		return false
	}
	return v.Get("data").IsObject() && v.Get("id").Exists() && !v.Get("data", "vscodeVersion").Exists()
}
