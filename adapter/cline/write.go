package cline

import (
	"context"
	"fmt"
	"strconv"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// task is one task while it is read.
type task struct {
	in     adapter.Input
	id     string
	facts  facts
	used   []used
	losses *kit.Tally
	more   []lore.Loss // told by the reader of a document
	ledger lore.Ledger

	requests *list // nil when there is none
	rows     *list // likewise
	turns    []turn
	pairs    *pairing

	pieces  *kit.Pieces
	begun   lore.Time
	last    lore.Time
	said    int
	opening int // the row that is the task; -1: none
}

// read reads a task: structure first, then the words in the order that results.
func (t *task) read(ctx context.Context, yield yielder) error {
	t.opening = -1
	if len(t.id) == 13 && isDigits(t.id) {
		ms, _ := strconv.ParseInt(t.id, 10, 64) // thirteen digits always fit
		t.begun = lore.NewTime(ms*1e6, 3, false)
	}
	begin := t.scanRequests()
	t.scanRows(begin)
	if t.requests != nil && t.rows == nil && len(t.turns) == 0 && t.ledger.Damaged > 0 {
		return fmt.Errorf("none of its elements decodes: %w", adapter.ErrMalformed)
	}
	t.pieces = kit.NewPieces(t.in, t.head, yield)
	next := 0
	if err := t.alone(&next, -1); err != nil {
		return err
	}
	for i := 0; i < len(t.turns); {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := t.request(&i, &next); err != nil {
			return err
		}
	}
	if t.said == 0 {
		t.losses.In(t.in.Name(t.in.Source.Path))
		t.losses.One(lore.Empty, lore.Info, 0, "no messages")
	}
	return t.pieces.End(t.ledger, append(t.more, t.losses.List()...))
}

// head makes the record of a piece. A task without messages is no conversation.
func (t *task) head() *lore.Conversation {
	c := &lore.Conversation{Source: t.in.Source.Product, Store: store, Native: t.id, Kind: lore.Main, Partial: t.said == 0}
	t.facts.describe(c)
	if !t.begun.IsZero() {
		c.StartedAt = t.begun
	}
	return c
}

// scanRequests is the first pass over the history that the model gets. It returns the turn of the first prompt, -1 when
// there is none, and the head of its words.
func (t *task) scanRequests() (begin struct {
	turn int
	text string
}) {
	begin.turn = -1
	if t.requests == nil {
		return begin
	}
	t.losses.In(t.requests.name)
	t.ledger.Damage(t.requests.damaged)
	for i := range t.requests.elements {
		v := t.requests.value(i)
		t.requests.flaws(t.losses)
		if role := v.Get("role"); !role.Is("user") && !role.Is("assistant") {
			name := kit.Clip("role " + role.String())
			t.ledger.Meet(name)
			t.losses.Unknown(0, name)
			continue
		}
		t.ledger.Keep(1)
		r := runsOf(v)
		for _, typ := range r.strange {
			t.losses.Unknown(0, "block "+typ)
		}
		for j, x := range r.list {
			n := turn{elem: i, run: j, role: x.role, typed: -1}
			for _, p := range x.parts {
				n.parts = append(n.parts, partOf(p))
				if begin.turn < 0 && x.role == lore.User && p.Kind == lore.Text {
					begin.turn, begin.text = len(t.turns), p.Text[:min(len(p.Text), maxWords)]
				}
			}
			t.turns = append(t.turns, n)
		}
	}
	return begin
}

// partOf keeps what a part is known by.
func partOf(p lore.Part) part {
	x := part{kind: p.Kind, id: p.CallID}
	switch p.Kind {
	case lore.Text, lore.Thinking:
		x.words = wordsOf(p.Text)
	case lore.Call:
		for _, name := range keyNames {
			if x.key = argument(p.Text, name); x.key != "" {
				break
			}
		}
	}
	return x
}

// scanRows is the first pass over the rows of the screen.
func (t *task) scanRows(begin struct {
	turn int
	text string
}) {
	t.pairs = newPairing(t.turns)
	t.pairs.begin, t.pairs.first = begin.turn, begin.text
	if t.rows == nil {
		return
	}
	t.losses.In(t.rows.name)
	t.ledger.Damage(t.rows.damaged)
	first := true
	for i := range t.rows.elements {
		v := t.rows.value(i)
		t.rows.flaws(t.losses)
		opens := first && v.Get("say").Is("text")
		r := rowOf(v, first)
		first = first && r.parts == nil
		switch {
		case r.strange != "":
			t.ledger.Meet(kit.Clip(r.strange))
			t.losses.Unknown(0, r.strange)
		case r.spent != nil:
			t.pairs.row(i, &r) // counted where its tokens go
		case r.parts == nil:
			t.ledger.Skip(r.skip)
		default:
			t.place(i, &r, opens)
		}
	}
	t.pairs.settle()
	for range t.pairs.idle {
		t.ledger.Skip("api_req_started")
	}
}

// place pairs a row with a turn, or finds its place between them. The first words of the screen are the task, unless the
// requests begin with another one.
func (t *task) place(i int, r *row, opens bool) {
	before := len(t.pairs.alone)
	t.pairs.row(i, r)
	if opens && len(t.pairs.alone) > before && t.pairs.begin >= 0 {
		t.pairs.alone = t.pairs.alone[:before]
		r.role, opens = lore.Assistant, false
		t.pairs.row(i, r)
	}
	if opens {
		t.opening = i
	}
	if len(t.pairs.alone) == before {
		t.ledger.Merge(1)
		return
	}
	t.ledger.Keep(1)
}

// alone writes the rows behind a turn that no request says.
func (t *task) alone(next *int, after int) error {
	for ; *next < len(t.pairs.alone) && t.pairs.alone[*next].after <= after; *next++ {
		x := &t.pairs.alone[*next]
		n := x.row
		r := t.again(n)
		m := lore.Message{Role: r.role, Subtype: r.subtype, Parts: r.parts, Units: 1, Origins: []lore.Locator{t.rows.locator(n)}}
		t.tokens(x.spent, &m)
		if err := t.put(m, r.at, ""); err != nil {
			return err
		}
	}
	return nil
}

// again decodes a row for its words.
func (t *task) again(n int) row {
	return rowOf(t.rows.value(n), n == t.opening)
}

// request writes the turns of one entry of the history, and the rows that stand behind each.
func (t *task) request(i, next *int) error {
	elem := t.turns[*i].elem
	v := t.requests.value(elem)
	own, _ := kit.ParseTime(v.Get("ts"))
	model := v.Get("model").String()
	if model == "" {
		model = v.Get("modelInfo", "modelId").String()
	}
	list := runsOf(v).list
	pictured := false
	for _, run := range list {
		for _, p := range run.parts {
			pictured = pictured || p.Kind == lore.Image
		}
	}
	for j, run := range list {
		x := &t.turns[*i]
		m := lore.Message{Role: run.role, Subtype: run.subtype, Parts: run.parts, Origins: []lore.Locator{t.requests.locator(elem)}}
		if j == 0 {
			m.Units = 1
		}
		at := t.twins(x, &m, pictured)
		if !own.IsZero() {
			at = own
		}
		if err := t.put(m, at, model); err != nil {
			return err
		}
		if err := t.alone(next, *i); err != nil {
			return err
		}
		*i++
	}
	return nil
}

// maxOrigins bounds how many rows of one message are named.
const maxOrigins = 64

// twins adds what rows say of a turn: where they stand, the tokens, the person's own words, and images that the request
// does not have. It returns the time of the first one.
func (t *task) twins(x *turn, m *lore.Message, pictured bool) (at lore.Time) {
	for _, n := range x.twins {
		r := t.again(n)
		if at.IsZero() {
			at = r.at
		}
		if len(m.Origins) < maxOrigins {
			m.Origins = append(m.Origins, t.rows.locator(n))
		}
		for _, p := range r.parts {
			if p.Kind == lore.Image && !pictured {
				m.Parts = append(m.Parts, p)
			}
		}
		for i := range m.Parts {
			if n == x.typed && m.Parts[i].Kind == lore.Text {
				m.Parts[i] = r.parts[0]
				break
			}
		}
	}
	t.tokens(x.spent, m)
	return at
}

// tokens adds what rows tell of the request that a message answers.
func (t *task) tokens(spent []int, m *lore.Message) {
	for _, n := range spent {
		t.ledger.Keep(1)
		m.Units++
		if len(m.Origins) < maxOrigins {
			m.Origins = append(m.Origins, t.rows.locator(n))
		}
		if u := t.again(n).spent; m.Usage == nil {
			m.Usage = u
		} else if u != nil {
			m.Usage.Input += u.Input
			m.Usage.Output += u.Output
			m.Usage.CacheRead += u.CacheRead
			m.Usage.CacheWrite += u.CacheWrite
		}
	}
}

// put completes a message and adds it.
func (t *task) put(m lore.Message, at lore.Time, model string) error {
	switch {
	case !at.IsZero():
		t.last = at
		m.At, m.AtFrom = at, kit.TimeFrom(at)
	case !t.last.IsZero():
		m.At, m.AtFrom = t.last, lore.FromInherited
	case !t.begun.IsZero():
		m.At, m.AtFrom = t.begun, lore.FromInherited
	case !t.facts.last.IsZero():
		m.At, m.AtFrom = t.facts.last, lore.FromInherited
	default:
		m.AtFrom = lore.FromNone
	}
	m.Active = true
	if m.Role == lore.Assistant {
		if m.Model = model; model == "" {
			m.Model = t.modelAt(m.At)
		}
	}
	t.said++
	return t.pieces.Add(m)
}

// modelAt tells which model answered at a time, by the notes on the task.
func (t *task) modelAt(at lore.Time) string {
	model := t.facts.model
	for _, u := range t.used {
		if at.IsZero() || u.since > at.UnixNano()/1e6 {
			break
		}
		model = u.model
	}
	return model
}
