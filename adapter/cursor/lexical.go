package cursor

import (
	"strings"

	"lore/adapter/kit"
)

// richText returns the words of a rich text: the JSON of an editor's tree in a string. False when it is none.
func richText(doc *kit.Doc, v kit.Value) (string, bool) {
	if !v.IsString() || !strings.HasPrefix(begins(v, 1), "{") {
		return "", false
	}
	tree, err := doc.Parse(v.AppendString(nil))
	if err != nil || !tree.IsObject() {
		return "", false
	}
	var b strings.Builder
	if root := tree.Get("root"); root.IsObject() {
		tree = root
	}
	if !tree.Get("children").IsArray() && !tree.Get("content").IsArray() {
		return "", false
	}
	leaves(&b, tree)
	return strings.Trim(b.String(), "\n"), true
}

// leaves writes the texts of a node and of all below it, a line for each block.
func leaves(b *strings.Builder, node kit.Value) {
	switch typ := node.Get("type").String(); typ {
	case "linebreak", "hardBreak":
		b.WriteByte('\n')
		return
	case "paragraph", "heading", "listitem", "listItem", "code", "codeBlock", "quote", "blockquote":
		if b.Len() > 0 && !strings.HasSuffix(b.String(), "\n") {
			b.WriteByte('\n')
		}
	}
	if t := node.Get("text"); t.IsString() {
		b.WriteString(t.String())
		return
	}
	if name := node.Get("mentionName"); name.IsString() {
		b.WriteString(name.String())
		return
	}
	for _, list := range []string{"children", "content"} {
		for child := range node.Get(list).Items() {
			leaves(b, child)
		}
	}
}
