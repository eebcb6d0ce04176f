package opencode

import (
	"slices"

	"lore"
	"lore/adapter/kit"
)

// The subtypes of what is no plain speech.
const (
	subContext    = "context"
	subNotice     = "notice"
	subCompaction = "compaction"
	subTask       = "subtask"
)

// turn is one message of the store while its parts are read. Each run of one role becomes a message of the record.
type turn struct {
	*talk
	message *message
	runs    []run
	results []result // of calls that no speech has followed yet
	worked  bool     // there are parts that only an answer has; asked where the message does not say who speaks
}

// run is an unbroken run of one role.
type run struct {
	role    lore.Role
	subtype string
	undone  bool
	at      lore.Time // of its first part; absent when that has none
	parts   []lore.Part
	origins []lore.Locator
	units   int
}

// result is what came of a call.
type result struct {
	parts []lore.Part
	at    lore.Time
	unit  lore.Locator
	off   bool
}

// unit takes the message's own unit.
func (t *turn) unit() {
	m := t.message
	if !m.there {
		at := t.place()
		if t.in.Source.Store == storeDB {
			at.Row = tableMessage + "/" + kit.Clip(m.id)
		}
		t.lost.one(lore.MissingParent, lore.Warning, at, "message "+kit.Clip(m.id)+" of these parts is not there")
		return
	}
	t.account(&m.unit, "message")
	if m.unit.state == good {
		if m.role == "" || m.role == lore.System {
			t.lost.more(lore.UnexpectedShape, lore.Warning, m.unit.at, "a message whose role is neither user nor assistant")
		}
		if m.answer != "" && !t.known[m.answer] {
			t.lost.more(lore.MissingParent, lore.Info, m.unit.at, "answers to messages that are not in the session")
			m.answer = ""
		}
	}
	if len(m.inline) > 0 {
		t.lost.more(lore.UnexpectedShape, lore.Warning, m.unit.at, "parts in the message itself, kept raw")
		role, sub := t.own()
		r := t.run(role, sub, lore.Time{}, t.undone)
		r.parts = append(r.parts, lore.Part{Kind: lore.Unknown, Name: "parts", Text: m.inline})
	}
}

// account counts a session's or message's unit, and any other that does not say what it should.
func (t *talk) account(u *unit, typ string) {
	t.note(u)
	switch u.state {
	case good:
		t.ledger.Keep(1)
	case damaged:
		t.ledger.Damage(1)
		t.lost.one(lore.BadJSON, lore.Warning, u.at, typ+" "+kit.Clip(u.id)+": "+u.what)
	case blank:
		t.ledger.Skip("empty " + typ)
		t.lost.more(lore.AbsentValue, lore.Info, u.at, "an empty "+typ)
	case left:
		t.ledger.Keep(1)
		t.lost.one(lore.OversizedRecord, lore.Warning, u.at, typ+" "+kit.Clip(u.id)+" of "+plural(int(u.size), "byte"))
	}
}

// note tells what in a unit's bytes is not as it should be.
func (t *talk) note(u *unit) {
	t.lost.list = append(t.lost.list, u.losses...)
	t.lost.flaws(u.at, u.flaws)
}

// own is the role and subtype of what the message says by itself.
func (t *turn) own() (lore.Role, string) {
	switch {
	case t.message.digest:
		return lore.System, subCompaction
	case t.message.role != "":
		return t.message.role, ""
	case t.worked:
		return lore.Assistant, ""
	}
	return lore.System, "" // who spoke is not known: least of all may it be taken for a person
}

// say adds to the run at the end, or begins another. Results that wait come first.
func (t *turn) say(role lore.Role, subtype string, at lore.Time, u *unit, parts ...lore.Part) {
	t.answered()
	r := t.run(role, subtype, at, t.undone)
	r.parts = append(r.parts, parts...)
	t.unitOf(r, u.at)
}

func (t *turn) unitOf(r *run, at lore.Locator) {
	t.ledger.Keep(1)
	r.units++
	r.origins = append(r.origins, at)
}

func (t *turn) run(role lore.Role, subtype string, at lore.Time, undone bool) *run {
	if n := len(t.runs); n > 0 {
		if r := &t.runs[n-1]; r.role == role && r.subtype == subtype && r.undone == undone {
			return r
		}
	}
	t.runs = append(t.runs, run{role: role, subtype: subtype, at: at, undone: undone})
	return &t.runs[len(t.runs)-1]
}

// call adds a call and keeps what came of it until the calls beside it are said.
func (t *turn) call(u *unit, at lore.Time, call lore.Part, res *result) {
	if n := len(t.runs); n > 0 && t.runs[n-1].role == lore.Assistant && t.runs[n-1].undone == t.undone {
		r := &t.runs[n-1]
		r.parts = append(r.parts, call)
		t.unitOf(r, u.at)
	} else {
		t.say(lore.Assistant, "", at, u, call)
	}
	if res != nil {
		res.unit, res.off = u.at, t.undone
		t.results = append(t.results, *res)
	}
}

// answered says the results that wait.
func (t *turn) answered() {
	for _, res := range t.results {
		r := t.run(lore.Tool, "", res.at, res.off)
		r.parts = append(r.parts, res.parts...)
		r.origins = append(r.origins, res.unit)
	}
	t.results = t.results[:0]
}

// end hands the runs on.
func (t *turn) end() error {
	t.answered()
	m := t.message
	role, sub := t.own()
	if m.speaks() && !t.has(role) && (role == lore.Assistant || len(t.runs) == 0) {
		t.runs = slices.Insert(t.runs, 0, run{role: role, subtype: sub, undone: t.undone}) // an empty answer
	}
	if m.error != "" {
		r := t.run(lore.System, subNotice, lore.Time{}, t.undone)
		r.parts = append(r.parts, lore.Part{Kind: lore.Text, Text: m.error})
	}
	whose := t.bearer(role)
	named := map[lore.Role]bool{}
	for i := range t.runs {
		msg := t.made(&t.runs[i], i == 0)
		switch {
		case i == whose:
			msg.Native, msg.Usage = m.id, m.usage
			if m.speaks() {
				msg.Units++
			}
		case !named[msg.Role] && msg.Role != t.runs[whose].role:
			msg.Native = kit.SplitNative(msg.Role, m.id)
		}
		named[msg.Role] = true
		t.count++
		if err := t.pieces.Add(msg); err != nil {
			return err
		}
	}
	return nil
}

func (t *turn) has(role lore.Role) bool {
	return slices.ContainsFunc(t.runs, func(r run) bool { return r.role == role })
}

// bearer is the run that bears the message's id: the first of its own role, or the first.
func (t *turn) bearer(role lore.Role) int {
	return max(0, slices.IndexFunc(t.runs, func(r run) bool { return r.role == role }))
}

// made makes a message of the record out of a run.
func (t *turn) made(r *run, first bool) lore.Message {
	m := t.message
	msg := lore.Message{Role: r.role, Subtype: r.subtype, Active: !r.undone, Parts: r.parts, Units: r.units, ParentNative: m.answer}
	if r.role == lore.Assistant {
		msg.Model = m.model
	}
	if m.speaks() {
		msg.Origins = append(msg.Origins, m.unit.at)
	}
	msg.Origins = append(msg.Origins, r.origins...)
	msg.At, msg.AtFrom = t.timeOf(r, first)
	return msg
}

// timeOf is when a run was said: the first when the message was written, a later one when its first part was. What has
// no time of its own has that of what was before it.
func (t *turn) timeOf(r *run, first bool) (lore.Time, lore.TimeFrom) {
	own, other := r.at, t.message.time
	if first {
		own, other = other, own
	}
	for _, at := range []lore.Time{own, other} {
		if !at.IsZero() {
			t.last = at
			return at, kit.TimeFrom(at)
		}
	}
	for _, at := range []lore.Time{t.last, t.session.created} {
		if !at.IsZero() {
			return at, lore.FromInherited
		}
	}
	return lore.Time{}, lore.FromNone
}
