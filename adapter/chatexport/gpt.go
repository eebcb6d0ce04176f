package chatexport

import (
	"lore"
	"lore/adapter/kit"
)

func isGPT(v kit.Value) bool { return v.Get("mapping").IsObject() }

func gptID(v kit.Value) string {
	if id := v.Get("conversation_id").String(); id != "" {
		return id
	}
	return v.Get("id").String()
}

// gpt writes a conversation of ChatGPT.
func (t *talk) gpt(v kit.Value) error {
	t.head.Native = gptID(v)
	t.head.Archived = v.Get("is_archived").Bool()
	t.titled(v.Get("title"), v.Get("update_time"))
	t.start(v.Get("create_time"))

	var nodes []kit.Value
	var ids []string
	byID := map[string]int{}
	for key, node := range v.Get("mapping").Fields() {
		byID[key] = len(nodes)
		nodes, ids = append(nodes, node), append(ids, key)
	}
	up, listed := parents(nodes, byID)
	leaf := -1
	if n, ok := byID[v.Get("current_node").String()]; ok {
		leaf = n
	}
	for _, n := range t.arrange(up, listed, leaf) {
		if err := t.gptNode(n, nodes[n], ids[n]); err != nil {
			return err
		}
	}
	return t.end()
}

// parents reads the tree: a node's parent, else the one that lists it as a child.
func parents(nodes []kit.Value, byID map[string]int) (up []int, listed [][]int) {
	up, listed = make([]int, len(nodes)), make([][]int, len(nodes))
	lister := make([]int, len(nodes))
	for i := range lister {
		lister[i] = root
	}
	for i, node := range nodes {
		for child := range node.Get("children").Items() {
			if n, ok := byID[child.String()]; ok {
				listed[i] = append(listed[i], n)
				if lister[n] == root && n != i {
					lister[n] = i
				}
			}
		}
	}
	for i, node := range nodes {
		parent := node.Get("parent")
		n, ok := byID[parent.String()]
		switch {
		case ok:
			up[i] = n
		case lister[i] >= 0:
			up[i] = lister[i]
		case parent.String() != "":
			up[i] = nowhere
		default:
			up[i] = root
		}
	}
	return up, listed
}

// gptNode writes one node.
func (t *talk) gptNode(n int, node kit.Value, id string) error {
	m := node.Get("message")
	at := m.Get("create_time")
	switch {
	case !node.IsObject():
		return t.odd(n, node, at, id, "node")
	case !m.Exists() || m.IsNull():
		t.inherit(n)
		t.count.Skip("node without message")
		return nil
	case !m.IsObject():
		return t.odd(n, node, at, id, "message")
	}
	who := lore.Role(m.Get("author", "role").String())
	switch who {
	case lore.User, lore.Assistant, lore.System, lore.Tool:
	default:
		return t.odd(n, node, at, id, "role "+string(who))
	}
	said := lore.Message{Role: who, Native: id}
	t.gptContent(&said, m)
	if wordless(said.Parts) && (said.Role == lore.System) {
		t.inherit(n)
		t.count.Skip("system message without words")
		return nil
	}
	t.count.Keep(1)
	return t.put(n, node, at, 1, []lore.Message{said})
}

// wordless reports whether nothing is said.
func wordless(parts []lore.Part) bool {
	for _, p := range parts {
		if p.Kind != lore.Text || p.Text != "" {
			return false
		}
	}
	return true
}

// gptContent gives a message its parts, and the role that its content has.
func (t *talk) gptContent(said *lore.Message, m kit.Value) {
	typ := m.Get("content", "content_type").String()
	tool := m.Get("author", "name").String()
	to := m.Get("recipient").String()
	switch {
	case typ == "user_editable_context" || typ == "model_editable_context" || m.Get("metadata", "is_visually_hidden_from_conversation").Bool() && said.Role == lore.User:
		said.Role = lore.System
	case typ == "reasoning_recap":
		said.Role, said.Subtype = lore.System, subNotice
	}
	if said.Role == lore.System && said.Subtype == "" {
		said.Subtype = subContext
	}
	switch {
	case said.Role == lore.Assistant && to != "" && to != "all":
		said.Parts = t.gptCall(m.Get("content"), to)
	case said.Role == lore.Tool:
		said.Parts = t.gptParts(m.Get("content"), lore.Result, tool)
	default:
		said.Parts = t.gptParts(m.Get("content"), lore.Text, "")
	}
	said.Parts = append(said.Parts, t.attachments(m, said.Parts)...)
	if said.Role == lore.Assistant {
		said.Model = m.Get("metadata", "model_slug").String()
	}
}
