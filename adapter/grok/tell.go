package grok

import (
	"strings"

	"lore"
	"lore/adapter/kit"
)

// twins adds to a message of the history what its updates say of it: when, how many tokens, whether a tool failed, and
// the diffs of what it changed. It returns the time; absent when no update says it.
func (w *writer) twins(t *turn, m *lore.Message) (lore.Time, error) {
	var time lore.Time
	for _, n := range t.twins {
		twin := &w.stream.turns[n]
		if time.IsZero() {
			time = twin.time
		}
		var units int
		m.Origins, units = w.origins(m.Origins, twin)
		if usage, more, err := w.spent(n); err != nil {
			return time, err
		} else if usage != nil {
			m.Usage = usage
			m.Origins = append(m.Origins, more...)
			m.Units++
			w.ledger.Keep(1)
		}
		if twin.what == output {
			out, err := w.output(twin)
			if err != nil {
				return time, err
			}
			for i := range m.Parts {
				m.Parts[i].IsError = m.Parts[i].IsError || out.failed && m.Parts[i].Kind == lore.Result
			}
			if len(out.diffs) > 0 {
				m.Parts = append(m.Parts, out.diffs...)
				m.Units++
				w.ledger.Keep(1)
				units--
			}
		}
		w.ledger.Merge(units)
	}
	return time, nil
}

// tell makes the message of a turn that the updates alone say.
func (w *writer) tell(n int32, t *turn) error {
	m := lore.Message{Role: lore.Assistant, Model: w.model}
	v, err := w.at(t.first)
	if err != nil {
		return err
	}
	m.Native = bodyOf(v).Get("_meta", "eventId").String()
	var units int
	m.Origins, units = w.origins(nil, t)
	kept := units
	switch t.what {
	case typed:
		m.Role, m.Model = lore.User, ""
		if id := bodyOf(v).Get("_meta", "promptId").String(); id != "" {
			m.Native = id
		}
		if w.items != nil {
			m.Native = "" // as it has none when the history comes to say it
		}
		w.model = bodyOf(v).Get("update", "_meta", "modelId").String()
		m.Parts, err = w.chunks(t, lore.Text)
		for i := range m.Parts {
			if m.Parts[i].Kind == lore.Text {
				m.Parts[i].Text, _ = unframe(m.Parts[i].Text)
				break
			}
		}
	case told:
		m.Parts, err = w.chunks(t, lore.Text)
	case mused:
		m.Parts, err = w.chunks(t, lore.Thinking)
	case call:
		m.Native, kept = t.id, 1
		m.Parts, err = w.call(t)
	case output:
		m.Native, kept = kit.SplitNative(lore.Tool, t.id), 1
		m.Role, m.Model = lore.Tool, ""
		var out outcome
		out, err = w.output(t)
		m.Parts = append(out.said, out.diffs...)
	}
	if err != nil {
		return err
	}
	w.ledger.Keep(kept)
	w.ledger.Merge(units - kept)
	m.Units = kept
	if usage, more, err := w.spent(n); err != nil {
		return err
	} else if usage != nil {
		m.Usage = usage
		m.Origins = append(m.Origins, more...)
		m.Units++
		w.ledger.Keep(1)
	}
	m.At, m.AtFrom = w.stamp(t.time)
	return w.put(m)
}

// chunks makes the parts of a run of words: what follows each other is one text.
func (w *writer) chunks(t *turn, kind lore.PartKind) ([]lore.Part, error) {
	var parts []lore.Part
	var text strings.Builder
	flush := func() {
		if text.Len() > 0 {
			parts = append(parts, lore.Part{Kind: kind, Text: text.String()})
			text.Reset()
		}
	}
	for at := t.first; at >= 0; at = w.stream.spots[at].next {
		v, err := w.at(at)
		if err != nil {
			return nil, err
		}
		for _, p := range w.content(int(w.stream.spots[at].line), bodyOf(v).Get("update", "content"), kind) {
			if p.Kind == kind && !p.Cut {
				text.WriteString(p.Text)
				continue
			}
			flush()
			parts = append(parts, p)
		}
	}
	flush()
	return parts, nil
}

// call makes the part of a call. The first input that it shows is the model's; later ones are the tool's own reading of
// it.
func (w *writer) call(t *turn) ([]lore.Part, error) {
	p := lore.Part{Kind: lore.Call}
	title := ""
	for at := t.first; at >= 0; at = w.stream.spots[at].next {
		v, err := w.at(at)
		if err != nil {
			return nil, err
		}
		update := bodyOf(v).Get("update")
		if name := update.Get("_meta", "x.ai/tool", "name").String(); p.Name == "" {
			p.Name = name
		}
		if title == "" {
			title = update.Get("title").String()
		}
		if input := update.Get("rawInput"); p.Text == "" && (input.Len() > 0 || input.IsString()) {
			raw := kit.RawPart(lore.Call, input)
			p.Text, p.Cut, p.Bytes = raw.Text, raw.Cut, raw.Bytes
		}
	}
	if p.Name == "" {
		p.Name = title
	}
	p.CallID = t.id
	return []lore.Part{p}, nil
}

// outcome is what came of a call.
type outcome struct {
	said, diffs []lore.Part
	failed      bool
}

// output returns what came of a call by its updates; each says all that is known by then, so the last one counts.
func (w *writer) output(t *turn) (outcome, error) {
	var out outcome
	var raw []lore.Part
	for at := t.first; at >= 0; at = w.stream.spots[at].next {
		v, err := w.at(at)
		if err != nil {
			return out, err
		}
		update := bodyOf(v).Get("update")
		out.failed = update.Get("status").Is("failed") || out.failed && !update.Get("status").Exists()
		said, diffs := w.shown(int(w.stream.spots[at].line), update.Get("content"))
		if len(said) > 0 {
			out.said = said
		}
		if len(diffs) > 0 {
			out.diffs = diffs
		}
		if value := update.Get("rawOutput"); value.IsString() || value.Len() > 1 {
			raw = []lore.Part{kit.RawPart(lore.Result, value)}
		}
	}
	if len(out.said) == 0 {
		out.said = raw
	}
	if len(out.said) == 0 && len(out.diffs) == 0 {
		out.said = []lore.Part{{Kind: lore.Result}}
	}
	for i := range out.said {
		out.said[i].CallID = t.id
		out.said[i].IsError = out.failed && out.said[i].Kind == lore.Result
	}
	for i := range out.diffs {
		out.diffs[i].CallID = t.id
	}
	return out, nil
}

// shown parts the content of a tool's update into what it says and the diffs that it shows.
func (w *writer) shown(line int, v kit.Value) (said, diffs []lore.Part) {
	for block := range v.Items() {
		switch typ := block.Get("type").String(); typ {
		case "content":
			said = append(said, w.content(line, block.Get("content"), lore.Result)...)
		case "diff":
			p := kit.RawPart(lore.Result, block)
			p.Name = typ
			diffs = append(diffs, p)
		case "terminal":
		default:
			w.losses.Unknown(line, "block "+typ)
			said = append(said, kit.UnknownPart(typ, block))
		}
	}
	return said, diffs
}
