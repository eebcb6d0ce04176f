package geminicli

import (
	"io"
	"path"
	"strings"

	"lore"
	"lore/adapter/kit"
)

// maxSide is how much of one file with a tool's output is read; what is beyond stays in the archive.
const maxSide = 32 << 20

// The words with which the tool says where the whole of an output is.
var sideMarks = []string{
	"Full output available at: ", "Full output saved to: ", "Full string saved to: ", "For full output see: ",
	"The full output has been saved to: ",
}

// maskMark frames a result of which the model was shown only the ends.
const maskMark = "<tool_output_masked>"

// sideFile returns the name of the file that a result says its whole is in; "" for none.
func sideFile(s string) string {
	if !strings.Contains(s, outputsDir) {
		return ""
	}
	for _, mark := range sideMarks {
		at := strings.LastIndex(s, mark)
		if at < 0 {
			continue
		}
		name := s[at+len(mark):]
		if end := strings.IndexAny(name, "\n]"); end >= 0 {
			name = name[:end]
		}
		if name = kit.Base(strings.TrimSpace(name)); path.Ext(name) == ".txt" {
			return name
		}
	}
	return ""
}

// whole puts the whole output in the place of what is left of it. The path in a text is never followed: the file is one
// that belongs to the session, by its name.
func (b *builder) whole(p *lore.Part, side string) {
	for _, c := range b.in.Source.Companions {
		if path.Base(c) != side || !isOutput(c) {
			continue
		}
		s, size, err := b.readSide(c)
		if err != nil {
			break
		}
		p.Text, p.Cut, p.Bytes = s, false, 0
		if size > maxSide {
			p.Cut, p.Bytes = true, size
			if !b.quiet {
				b.losses.one(b.f, lore.OversizedRecord, lore.Warning, int(b.at.line), "output file "+side+" is cut")
			}
		}
		b.sides = append(b.sides, lore.Locator{File: b.in.Name(c), Line: 1, Length: min(size, maxSide)})
		return
	}
	b.missing = side
}

func (b *builder) readSide(name string) (string, int64, error) {
	f, err := b.in.FS.Open(name)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", 0, err
	}
	all, err := io.ReadAll(io.LimitReader(f, maxSide))
	if err != nil {
		return "", 0, err
	}
	return strings.ToValidUTF8(string(all), "\ufffd"), info.Size(), nil
}

// unmask gives the results of a message the fuller text that an earlier version of it had, where the tool has masked
// them since.
func unmask(now, before []lore.Message) {
	var full map[string]*lore.Part
	for i := range now {
		for k := range now[i].Parts {
			p := &now[i].Parts[k]
			if p.Kind != lore.Result || !strings.Contains(p.Text, maskMark) {
				continue
			}
			if full == nil {
				full = resultsOf(before)
			}
			if old := full[p.CallID]; old != nil && !strings.Contains(old.Text, maskMark) {
				p.Text, p.Cut, p.Bytes = old.Text, old.Cut, old.Bytes
			}
		}
	}
}

func resultsOf(list []lore.Message) map[string]*lore.Part {
	m := map[string]*lore.Part{}
	for i := range list {
		for k := range list[i].Parts {
			if p := &list[i].Parts[k]; p.Kind == lore.Result && p.CallID != "" {
				m[p.CallID] = p
			}
		}
	}
	return m
}
