package claudecode

import (
	"github.com/cespare/xxhash/v2"

	"lore/adapter/kit"
)

// classify sets kind, flags and hashes of a line by the type of its record.
func (f *file) classify(i int32, l *line, v kit.Value) {
	typ := v.Get("type").String()
	l.kind = recordKinds[typ]
	switch l.kind {
	case kindUser:
		f.user(i, l, v)
	case kindAssistant:
		f.assistant(i, l, v)
	case kindSystem:
		f.system(i, l, v)
	case kindContext:
		f.context(i, l, v)
	case kindQueue:
		f.mine++
		f.queue(l, v)
	case kindProgress:
		f.progress(i, v)
	case kindSummary:
		f.mine++
		f.titles = append(f.titles, title{i, l.conv, f.key(v.Get("leafUuid")), rankSummary, v.Get("summary").String()})
	case kindTitle:
		f.mine++
		if typ == "custom-title" {
			f.titles = append(f.titles, title{i, l.conv, key{}, rankCustom, v.Get("customTitle").String()})
		} else {
			f.titles = append(f.titles, title{i, l.conv, key{}, rankAI, v.Get("aiTitle").String()})
		}
	case kindLastPrompt:
		f.mine++
		l.parent = f.key(v.Get("leafUuid"))
		l.text = hear(v.Get("lastPrompt")).hash
	case kindSkipped:
		if ours(typ, v) {
			f.mine++
		}
	}
}

// ours reports whether a record that is no conversation could be no other product's.
func ours(typ string, v kit.Value) bool {
	switch typ {
	case "file-history-snapshot", "permission-mode":
		return true
	case "started", "result": // of a workflow's journal
		return v.Get("key").IsString() && v.Get("agentId").IsString()
	}
	return false
}

// message tells a message of ours from one of the products that write the same frame with another body.
func (f *file) message(l *line, v kit.Value) kit.Value {
	m := v.Get("message")
	if !m.Exists() || m.Get("parts").IsArray() && !m.Get("content").Exists() {
		f.foreign++
		return m
	}
	f.mine++
	f.messages++
	agent := int32(0)
	if l.is(sidechain) {
		agent = f.id(v.Get("agentId"))
	}
	if f.messages == 1 {
		f.onlyAgent = agent
	} else if f.onlyAgent != agent {
		f.onlyAgent = 0
	}
	return m
}

func (f *file) user(i int32, l *line, v kit.Value) {
	content := f.message(l, v).Get("content")
	w := hear(content)
	l.said = hashSaid(kindUser, 0, content)
	l.text = w.hash
	if w.texts+w.others > 0 && w.speaker(flagged(v)) == person {
		l.flags |= human | leading
	}
	if w.results > 0 {
		if agent := v.Get("toolUseResult").Get("agentId").String(); agent != "" {
			f.links = append(f.links, link{i, agent, firstResult(content), true})
		}
	}
}

// firstResult returns the call that the first result block answers.
func firstResult(content kit.Value) string {
	for block := range content.Items() {
		if block.Get("type").Is("tool_result") {
			return block.Get("tool_use_id").String()
		}
	}
	return ""
}

func (f *file) assistant(i int32, l *line, v kit.Value) {
	m := f.message(l, v)
	content := m.Get("content")
	l.msg = f.id(m.Get("id"))
	l.said = hashSaid(kindAssistant, l.msg, content)
	l.flags |= leading
	for block := range content.Items() {
		if name := block.Get("name"); block.Get("type").Is("tool_use") && (name.Is("Task") || name.Is("Agent")) {
			f.tasks = append(f.tasks, task{line: i, call: block.Get("id").String(), prompt: hear(block.Get("input", "prompt")).hash})
		}
	}
	for old := range v.Get("supersedesUuids").Items() {
		f.gone = append(f.gone, f.key(old))
	}
}

func (f *file) system(i int32, l *line, v kit.Value) {
	if l.uuid != (key{}) && !v.Get("systemPayload").Exists() {
		f.mine++
	}
	if content := v.Get("content"); content.IsString() {
		l.said = hashSaid(kindSystem, f.id(v.Get("subtype")), content)
	}
	if v.Get("subtype").Is("compact_boundary") {
		l.flags |= boundary
		if k := f.key(v.Get("logicalParentUuid")); k != (key{}) {
			f.logical[i] = k
		}
	}
}

func (f *file) context(i int32, l *line, v kit.Value) {
	a := v.Get("attachment")
	if a.IsObject() {
		f.mine++
	}
	l.said = hashSaid(kindContext, 0, a)
	if !a.Get("type").Is("queued_command") {
		return
	}
	l.kind = kindQueued
	w := hear(a.Get("prompt"))
	l.text = w.hash
	if w.speaker(queuedSpeaker(a)) == person {
		l.flags |= human | leading
	}
	if k := f.key(a.Get("source_uuid")); k != (key{}) {
		f.sources[i] = k
	}
}

func (f *file) queue(l *line, v kit.Value) {
	w := hear(v.Get("content"))
	l.text = w.hash
	switch o := v.Get("operation"); {
	case o.Is("enqueue"):
		l.op = opEnqueue
		if w.speaker(person) == person {
			l.flags |= human
		}
	case o.Is("dequeue"):
		l.op = opDequeue
	case o.Is("remove") && v.Get("reason").Is("absorbed_mid_turn"):
		l.op = opAbsorbed
	case o.Is("remove"):
		l.op = opRemove
	case o.Is("popAll"):
		l.op = opPopAll
	}
}

func (f *file) progress(i int32, v kit.Value) {
	d := v.Get("data")
	if d.IsObject() {
		f.mine++
	}
	if agent := d.Get("agentId").String(); agent != "" {
		if call := v.Get("parentToolUseID").String(); call != "" {
			f.links = append(f.links, link{i, agent, call, false})
		}
	}
}

// hashSaid hashes what a record says, without its time and its ids.
func hashSaid(k kind, of int32, content kit.Value) uint64 {
	return mix(xxhash.Sum64(content.Raw())) ^ mix(uint64(k)<<32|uint64(of))
}
