package claudecode

import (
	"errors"
	"io"
	"io/fs"
	"path"
	"strings"

	"lore"
	"lore/adapter"
)

// maxSide is how much of one side file is read; what is beyond stays in the archive.
const maxSide = 32 << 20

// sides are the side files of a session, by base name: the path in a text is never followed.
type sides struct {
	in   adapter.Input
	byID map[string]string
	dir  string // where to look for one that Find has not listed
}

// newSides knows the companions, and the folders in which a session's side files lie.
func newSides(in adapter.Input, pl place) sides {
	s := sides{in: in, byID: map[string]string{}, dir: path.Join(pl.home, sideFolder)}
	for _, p := range in.Source.Companions {
		if path.Base(path.Dir(p)) == sideFolder {
			s.byID[path.Base(p)] = p
		}
	}
	return s
}

// side is the text of one side file.
type side struct {
	path    string
	text    string
	size    int64
	invalid int // bytes that are not UTF-8
}

// read returns the text of a side file; false when there is none.
func (s *sides) read(name string) (side, bool) {
	p, ok := s.byID[name]
	if !ok {
		p = path.Join(s.dir, name)
	}
	return s.open(p)
}

func (s *sides) open(p string) (side, bool) {
	if !fs.ValidPath(p) {
		return side{}, false
	}
	f, err := s.in.FS.Open(p)
	if err != nil {
		return side{}, false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return side{}, false
	}
	b, err := io.ReadAll(io.LimitReader(f, maxSide))
	if err != nil && !errors.Is(err, io.EOF) {
		return side{}, false
	}
	got := side{path: p, text: valid(b), size: max(info.Size(), int64(len(b)))}
	got.invalid = strings.Count(got.text, "\uFFFD") - strings.Count(string(b), "\uFFFD")
	return got, true
}

// whole puts the text of the side file in place of a preview, or beside a text that is none.
func (w *writer) whole(no int, blocks []block) []block {
	for i := 0; i < len(blocks); i++ {
		b := &blocks[i]
		if b.side == "" {
			continue
		}
		got, ok := w.f.sides.read(b.side)
		w.left = w.left || !ok
		if !ok && b.twin != "" {
			b.part.Text = b.twin
			continue
		}
		if !ok {
			w.losses.add(lore.ExternalMissing, lore.Warning, no, "side file "+b.side)
			continue
		}
		p := b.part
		p.Text, p.Cut, p.Bytes = got.text, false, 0
		if got.size > maxSide {
			p.Cut, p.Bytes = true, got.size
			w.losses.add(lore.OversizedRecord, lore.Warning, no, "side file "+b.side+" is cut")
		}
		if got.invalid > 0 {
			w.losses.add(lore.InvalidUTF8, lore.Warning, no, plural(got.invalid, "byte", "bytes")+" in side file "+b.side)
		}
		if got.size > 0 {
			w.origins = append(w.origins, lore.Locator{File: w.f.in.Name(got.path), Line: 1, Length: min(got.size, maxSide)})
		}
		if !b.added {
			b.part = p
			continue
		}
		blocks = append(blocks[:i+1], append([]block{{part: p, role: b.role}}, blocks[i+1:]...)...)
		i++
	}
	return blocks
}
