package export

import "lore"

// object writes a conversation as the one JSON object that `lore show --json` prints, without holding it whole.
type object struct {
	out
	some bool
	buf  []byte
}

func (o *object) Begin(h *Head) error {
	o.buf = append(o.buf[:0], `{"schema":"lore.conversation.v1",`...)
	o.buf = append(o.buf, fields(h.JSON)...)
	o.buf = append(o.buf, `,"messages":[`...)
	o.write(string(o.buf))
	return o.err
}

func (o *object) Message(m *lore.Message) error {
	o.buf = o.buf[:0]
	if o.some {
		o.buf = append(o.buf, ',')
	}
	o.some = true
	o.buf = lore.AppendJSON(o.buf, m)
	o.write(string(o.buf))
	return o.err
}

func (o *object) End(t *Tail) error {
	o.write("],", string(fields(ending(t))), "}\n")
	return o.err
}

// tail is how losses and ledger are printed.
type tail struct {
	Losses []lore.Loss    `json:"losses"`
	Ledger lore.Ledger    `json:"ledger"`
	Types  map[string]int `json:"unit_types,omitempty"`
}

func ending(t *Tail) tail {
	e := tail{Losses: t.Losses, Ledger: t.Ledger, Types: t.Ledger.Types}
	e.Ledger.Types = nil
	return e
}

// fields returns the fields of a struct as JSON, without the braces around them.
func fields(v any) []byte {
	b := lore.AppendJSON(nil, v)
	return b[1 : len(b)-1]
}

// lines writes a conversation as JSON lines: its header, its messages, and what was lost. Each line names its type and
// the conversation, so that lines of several may be mixed.
type lines struct {
	out
	id  string
	buf []byte
}

func (l *lines) Begin(h *Head) error {
	l.id = h.Record.ID.String()
	return l.line("conversation", h.JSON)
}

func (l *lines) Message(m *lore.Message) error { return l.line("message", m) }

func (l *lines) End(t *Tail) error { return l.line("end", ending(t)) }

func (l *lines) line(typ string, v any) error {
	l.buf = append(l.buf[:0], `{"type":"`...)
	l.buf = append(l.buf, typ...)
	l.buf = append(l.buf, `","conversation":"`...)
	l.buf = append(l.buf, l.id...)
	l.buf = append(l.buf, `",`...)
	l.buf = append(l.buf, fields(v)...)
	l.buf = append(l.buf, "}\n"...)
	l.write(string(l.buf))
	return l.err
}
