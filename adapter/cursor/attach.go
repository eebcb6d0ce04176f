package cursor

import (
	"slices"

	"lore"
	"lore/adapter/kit"
)

// attachments returns what was attached to a prompt: images, files, folders, pieces of code, links. What Cursor added by
// itself (the file that was open) is left out.
func attachments(v kit.Value) (parts []lore.Part) {
	add := func(p lore.Part, ok bool) {
		if ok && p.Text != "" && !slices.ContainsFunc(parts, func(q lore.Part) bool { return q.Kind == p.Kind && q.Text == p.Text }) {
			parts = append(parts, p)
		}
	}
	for _, list := range []kit.Value{v.Get("images"), v.Get("selectedImages"), v.Get("context", "selectedImages")} {
		for i := range list.Items() {
			add(attachedImage(i))
		}
	}
	for _, list := range []kit.Value{v.Get("fileSelections"), v.Get("context", "fileSelections"), v.Get("folderSelections"), v.Get("context", "folderSelections"),
		v.Get("attachedFolders"), v.Get("attachedFoldersNew"), v.Get("attachedCodeChunks"), v.Get("selections"), v.Get("context", "selections")} {
		for f := range list.Items() {
			add(attachedFile(f))
		}
	}
	for _, list := range []kit.Value{v.Get("externalLinks"), v.Get("context", "externalLinks")} {
		for l := range list.Items() {
			p := lore.Part{Kind: lore.File, Text: first(l.Get("url"), l.Get("uuid"), l).String()}
			add(p, true)
		}
	}
	return parts
}

func attachedImage(v kit.Value) (lore.Part, bool) {
	if v.IsString() {
		return image(v, kit.Value{}), true
	}
	if data := first(v.Get("data"), v.Get("base64"), v.Get("dataUrl")); data.IsString() {
		return image(data, first(v.Get("mimeType"), v.Get("mediaType"))), true
	}
	ref := first(v.Get("path"), v.Get("uri", "fsPath"), v.Get("uri", "path"), v.Get("url"), v.Get("uuid"))
	return lore.Part{Kind: lore.Image, Text: ref.String()}, ref.IsString()
}

func attachedFile(v kit.Value) (lore.Part, bool) {
	if v.Get("addedWithoutMention").Bool() || v.Get("isCurrentFile").Bool() {
		return lore.Part{}, false
	}
	ref := first(v.Get("uri", "fsPath"), v.Get("uri", "path"), v.Get("uri", "external"), v.Get("uri"), v.Get("relativeWorkspacePath"),
		v.Get("relativePath"), v.Get("path"), v)
	if !ref.IsString() {
		return lore.Part{}, false
	}
	name, _ := kit.FileURI(ref.String())
	return lore.Part{Kind: lore.File, Text: name, Name: kit.Base(name)}, true
}
