package chatexport

import (
	"lore"
	"lore/adapter/kit"
)

func isClaude(v kit.Value) bool { return v.Get("chat_messages").IsArray() }

// noParent is what the first message names as its parent.
const noParent = "00000000-0000-4000-8000-000000000000"

// claude writes a conversation of Claude.ai.
func (t *talk) claude(v kit.Value) error {
	t.head.Native = v.Get("uuid").String()
	t.titled(v.Get("name"), v.Get("updated_at"))
	t.start(v.Get("created_at"))

	var list []kit.Value
	byID := map[string]int{}
	for m := range v.Get("chat_messages").Items() {
		if id := m.Get("uuid").String(); id != "" {
			if _, taken := byID[id]; !taken {
				byID[id] = len(list)
			}
		}
		list = append(list, m)
	}
	up := make([]int, len(list))
	for i, m := range list {
		up[i] = claudeParent(m, i, byID)
	}
	leaf := -1
	if n, ok := byID[v.Get("current_leaf_message_uuid").String()]; ok {
		leaf = n
	}
	for _, n := range t.arrange(up, make([][]int, len(list)), leaf) {
		if err := t.claudeMessage(n, list[n]); err != nil {
			return err
		}
	}
	return t.end()
}

// claudeParent returns the parent of a message; without one, the message before it: older exports are lists.
func claudeParent(m kit.Value, i int, byID map[string]int) int {
	parent := m.Get("parent_message_uuid").String()
	switch n, ok := byID[parent]; {
	case ok && parent != "":
		return n
	case parent == noParent:
		return root
	case parent != "":
		return nowhere
	}
	return i - 1
}

func (t *talk) claudeMessage(n int, m kit.Value) error {
	at, id := m.Get("created_at"), m.Get("uuid").String()
	if !m.IsObject() {
		return t.odd(n, m, at, "", "message")
	}
	var role lore.Role
	switch sender := m.Get("sender").String(); sender {
	case "human":
		role = lore.User
	case "assistant":
		role = lore.Assistant
	default:
		return t.odd(n, m, at, id, "sender "+sender)
	}
	runs := t.claudeContent(role, m)
	named := map[lore.Role]bool{}
	for i := range runs {
		r := &runs[i]
		if named[r.Role] {
			continue // a later run has no id of its own
		}
		named[r.Role] = true
		if r.Native = id; r.Role != role {
			r.Native = kit.SplitNative(r.Role, id)
		}
	}
	t.count.Keep(1)
	return t.put(n, m, at, 1, runs)
}

// claudeContent makes a message of each run of one role: what the sender says, and the results of tools between.
func (t *talk) claudeContent(role lore.Role, m kit.Value) []lore.Message {
	var runs []lore.Message
	add := func(role lore.Role, p lore.Part) {
		if len(runs) == 0 || runs[len(runs)-1].Role != role {
			runs = append(runs, lore.Message{Role: role})
		}
		last := &runs[len(runs)-1]
		last.Parts = append(last.Parts, p)
	}
	content := m.Get("content")
	switch {
	case content.Len() > 0 && content.IsArray():
		for b := range content.Items() {
			t.block(role, b, add)
		}
	case content.IsString() && content.String() != "":
		add(role, kit.TextPart(lore.Text, content))
	case m.Get("text").String() != "":
		add(role, kit.TextPart(lore.Text, m.Get("text")))
	}
	for a := range m.Get("attachments").Items() {
		add(role, t.attachment(a))
	}
	for f := range m.Get("files").Items() {
		add(role, t.namedFile(f))
	}
	if len(runs) == 0 {
		runs = []lore.Message{{Role: role}}
	}
	return runs
}
