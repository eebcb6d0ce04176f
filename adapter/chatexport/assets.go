package chatexport

import (
	"io/fs"
	"path"
	"strings"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// assets are the files that stand beside the conversations, by their ids.
type assets struct {
	fsys  fs.FS
	files map[string]string
}

func assetsOf(in adapter.Input) assets {
	a := assets{fsys: in.FS, files: map[string]string{}}
	for _, p := range in.Source.Companions {
		id := assetID(path.Base(p))
		if _, taken := a.files[id]; !taken {
			a.files[id] = p
		}
	}
	return a
}

// assetID cuts a reference, or the name of a file, down to the id: "file-ID" or "file_ID", without what the export puts
// before and behind it.
func assetID(s string) string {
	if i := strings.LastIndex(s, "://"); i >= 0 {
		s = s[i+len("://"):]
	}
	s, _, _ = strings.Cut(s, "#")
	s = path.Base(s)
	if len(s) <= len("file-") || !strings.HasPrefix(s, "file") {
		return s
	}
	if i := strings.IndexAny(s[len("file-"):], "-."); i >= 0 {
		return s[:len("file-")+i]
	}
	return s
}

// asset makes a part of a reference to a file. One that the export does not hold is a loss.
func (t *talk) asset(kind lore.PartKind, ref kit.Value, name, mediaType string) lore.Part {
	p := kit.TextPart(kind, ref)
	p.Name, p.MediaType = name, mediaType
	file, ok := t.assets.files[assetID(p.Text)]
	var info fs.FileInfo
	if ok {
		var err error
		if info, err = fs.Stat(t.assets.fsys, file); err != nil {
			ok = false
		}
	}
	if !ok {
		t.lose(lore.ExternalMissing, lore.Warning, 1, "images or files that the export does not hold")
		return p
	}
	p.Bytes = info.Size()
	if p.Name == "" {
		p.Name = path.Base(file)
	}
	return p
}
