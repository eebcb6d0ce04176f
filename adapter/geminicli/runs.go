package geminicli

import (
	"lore"
	"lore/adapter/kit"
)

// run is a message in the making.
type run struct {
	role    lore.Role
	subtype string
	parts   []lore.Part
	time    kit.Value // of its own; absent: that of the record
}

// agent is a sub-agent that a call started.
type agent struct{ id, call string }

// add puts a part behind those that are there, into a new run where the role changes.
func (b *builder) add(role lore.Role, subtype string, p lore.Part) {
	n := len(b.runs)
	if n == 0 || b.runs[n-1].role != role || b.runs[n-1].subtype != subtype {
		b.runs = append(b.runs, run{role: role, subtype: subtype})
		n++
		b.joined = false
	}
	r := &b.runs[n-1]
	if k := len(r.parts); b.joined && p.Kind == lore.Text && k > 0 && r.parts[k-1].Kind == lore.Text && !r.parts[k-1].Cut {
		r.parts[k-1].Text += p.Text
		r.parts[k-1].Cut, r.parts[k-1].Bytes = p.Cut, p.Bytes
		return
	}
	r.parts = append(r.parts, p)
	b.joined = p.Kind == lore.Text
}

// messages finishes the runs. The words of the one who speaks in the record have its id; what else is in it is named by
// its role, the first time.
func (b *builder) messages(v kit.Value) []lore.Message {
	main := lore.User
	switch b.at.kind {
	case kindModel:
		main = lore.Assistant
	case kindNotice:
		main = lore.System
	}
	if !hasRole(b.runs, main) && len(b.runs) > 0 {
		main = b.runs[0].role
	}
	id := v.Get("id").String()
	named := map[lore.Role]bool{}
	var list []lore.Message
	for i := range b.runs {
		r := &b.runs[i]
		m := lore.Message{Role: r.role, Subtype: r.subtype, Parts: r.parts}
		switch {
		case named[r.role]:
		case r.role == main:
			m.Native = id
		default:
			m.Native = kit.SplitNative(r.role, id)
		}
		named[r.role] = true
		m.At, m.AtFrom = b.time(v, r)
		if r.role == lore.Assistant {
			m.Model = v.Get("model").String()
			if m.Model == "" {
				m.Model = b.head.model
			}
		}
		list = append(list, m)
	}
	return list
}

func hasRole(runs []run, role lore.Role) bool {
	for i := range runs {
		if runs[i].role == role {
			return true
		}
	}
	return false
}

// time returns when a run was written, as far as the record says.
func (b *builder) time(v kit.Value, r *run) (lore.Time, lore.TimeFrom) {
	for _, t := range [...]kit.Value{r.time, v.Get("timestamp"), v.Get("ts")} {
		if !holds(t) {
			continue
		}
		if at, ok := kit.ParseTime(t); ok {
			return at, kit.TimeFrom(at)
		}
		if !b.quiet {
			b.losses.more(b.f, lore.BadTime, lore.Info, int(b.at.line), "times that cannot be read", 1)
		}
	}
	return lore.Time{}, lore.FromNone
}
