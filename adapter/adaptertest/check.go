package adaptertest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// checkInfo wants a description that others can rely on.
func checkInfo(info adapter.Info) (list problems) {
	if info.Name == "" || info.Title == "" || info.Version < 1 || len(info.Stores) == 0 || len(info.Roots) == 0 {
		list = append(list, "Info lacks a name, title, version, store or root")
	}
	seen := map[string]bool{}
	for _, s := range info.Stores {
		if s.Source == "" || s.Name == "" || s.What == "" {
			list = append(list, fmt.Sprintf("store %+v lacks a field", s))
		}
		if key := s.Source + "/" + s.Name; seen[key] {
			list = append(list, fmt.Sprintf("store %q twice", key))
		} else {
			seen[key] = true
		}
	}
	for _, r := range info.Roots {
		if r.Source == "" || r.Path != "" && !fs.ValidPath(r.Path) { // without a path it is only read where a person names it
			list = append(list, fmt.Sprintf("root %+v lacks a source or has a path that is no slash path below the home", r))
		}
	}
	if len(info.Keeps) == 0 || len(info.Leaves) == 0 {
		list = append(list, "Info does not say what is kept and what is left out")
	}
	return list
}

// checkSource wants a source that can be kept and read.
func checkSource(info adapter.Info, place adapter.Place, src adapter.Source) (list problems) {
	if src.Info == nil || !fs.ValidPath(src.Path) {
		list = append(list, fmt.Sprintf("source %q lacks its Info, or has a path that is no slash path", src.Path))
	}
	if !hasStore(info, src.Product, src.Store) {
		list = append(list, fmt.Sprintf("source %q is of store %q of %q, which Info does not name", src.Path, src.Store, src.Product))
	}
	for _, name := range src.Companions {
		if stat, err := fs.Stat(place.FS, name); err != nil || stat.IsDir() {
			list = append(list, fmt.Sprintf("companion %q of %q is no file", name, src.Path))
		}
	}
	return list
}

func hasStore(info adapter.Info, source, store string) bool {
	return slices.ContainsFunc(info.Stores, func(s adapter.Store) bool { return s.Source == source && s.Name == store })
}

// checkResult wants of any result, be its evidence whole or damaged, what the contract says of all.
//
// data is what the evidence's own file holds instead of its bytes; nil: its bytes.
func checkResult(info adapter.Info, e *evidence, data []byte, r result) problems {
	list := slices.Clone(r.problems)
	switch {
	case r.panicked != "":
		return append(list, r.panicked)
	case errors.Is(r.err, adapter.ErrNotMine):
		if len(r.records) > 0 {
			list = append(list, "not mine, and yet records are yielded")
		}
	case r.err != nil && !errors.Is(r.err, adapter.ErrMalformed):
		list = append(list, fmt.Sprintf("the error is neither ErrNotMine nor ErrMalformed: %v", r.err))
	}
	c := checker{info: info, evidence: e, data: data, content: map[string][]byte{}}
	for _, rec := range r.records {
		c.record(rec)
	}
	return append(list, c.list...)
}

// checker collects what is wrong in one result.
type checker struct {
	info     adapter.Info
	evidence *evidence
	data     []byte
	content  map[string][]byte
	losses   map[lore.Loss]bool
	list     problems
}

func (c *checker) fault(format string, args ...any) {
	c.list = append(c.list, fmt.Sprintf(format, args...))
}

func (c *checker) record(r *record) {
	what := fmt.Sprintf("record %q of %s/%s", r.Native, r.Source, r.Store)
	if !hasStore(c.info, r.Source, r.Store) {
		c.fault("%s: Info names no such store", what)
	}
	if !r.Ledger.Balanced() {
		c.fault("%s: the ledger does not add up: %+v", what, r.Ledger)
	}
	if r.Partial {
		if len(r.Messages) > 0 {
			c.fault("%s: a partial record has messages", what)
		}
	} else {
		if r.ID.IsZero() {
			c.fault("%s: nothing to anchor an id to", what)
		}
		if !slices.Contains([]lore.Kind{lore.Main, lore.Subagent, lore.Automation}, r.Kind) {
			c.fault("%s: kind %q", what, r.Kind)
		}
	}
	units, ids := 0, map[lore.ID]bool{}
	for i := range r.Messages {
		m := &r.Messages[i]
		if ids[m.ID] {
			c.fault("%s: message %d has an id that stands twice", what, i)
		}
		ids[m.ID] = true
		units += m.Units
		c.message(fmt.Sprintf("%s: message %d", what, i), m)
	}
	if units > r.Ledger.Kept {
		c.fault("%s: its messages count %d units, the ledger keeps %d", what, units, r.Ledger.Kept)
	}
	for _, loss := range r.Losses {
		c.loss(what, loss)
	}
}

func (c *checker) message(what string, m *lore.Message) {
	if !slices.Contains([]lore.Role{lore.User, lore.Assistant, lore.Tool, lore.System}, m.Role) {
		c.fault("%s: role %q", what, m.Role)
	}
	if (m.AtFrom == lore.FromNone || m.AtFrom == "") != m.At.IsZero() || m.AtFrom == "" {
		c.fault("%s: at %q from %q", what, m.At, m.AtFrom)
	}
	if (m.AtFrom == lore.FromSourceNaive) != m.At.Naive() && m.AtFrom != lore.FromInherited {
		c.fault("%s: at %q from %q: with or without a zone?", what, m.At, m.AtFrom)
	}
	for i, p := range m.Parts {
		if !slices.Contains([]lore.PartKind{lore.Text, lore.Thinking, lore.Call, lore.Result, lore.Image, lore.File, lore.Unknown}, p.Kind) {
			c.fault("%s: part %d of kind %q", what, i, p.Kind)
		}
	}
	if m.Units < 0 {
		c.fault("%s: %d units", what, m.Units)
	}
	if len(m.Origins) == 0 {
		c.fault("%s: no origin", what)
	}
	for _, o := range m.Origins {
		c.origin(what, o)
	}
}

// origin wants a unit that stands where it is said to.
func (c *checker) origin(what string, o lore.Locator) {
	in := c.evidence.input()
	if len(c.evidence.source.Ranges) > 0 {
		if o.Row == "" || o.File != in.Name(in.Source.Path) {
			c.fault("%s: origin %+v names no row of the database", what, o)
		}
		return
	}
	content, ok := c.bytesOf(o.File)
	if !ok {
		c.fault("%s: origin in %q, which is no file of the evidence", what, o.File)
		return
	}
	if o.Offset < 0 || o.Length < 0 || o.Offset+o.Length > int64(len(content)) {
		c.fault("%s: origin %d+%d outside of %d bytes", what, o.Offset, o.Length, len(content))
		return
	}
	if o.Line > 0 && bytes.Count(content[:o.Offset], []byte("\n"))+1 != o.Line {
		c.fault("%s: origin at byte %d is not on line %d", what, o.Offset, o.Line)
	}
	if o.Length == 0 || len(bytes.TrimSpace(content[o.Offset:o.Offset+o.Length])) == 0 {
		c.fault("%s: origin at %d+%d holds nothing", what, o.Offset, o.Length)
	}
}

// bytesOf returns the decoded content of a file by the name that locators use.
func (c *checker) bytesOf(name string) ([]byte, bool) {
	if b, ok := c.content[name]; ok {
		return b, b != nil
	}
	in := c.evidence.input()
	for file := range c.evidence.files {
		if in.Name(file) != name {
			continue
		}
		if c.data != nil && file == in.Source.Path {
			in = c.evidence.changed(c.data)
		}
		stream, err := kit.Content(in, file)
		if err != nil {
			break
		}
		b, _ := io.ReadAll(stream)
		stream.Close()
		c.content[name] = append([]byte{}, b...)
		return c.content[name], true
	}
	c.content[name] = nil
	return nil, false
}

func (c *checker) loss(what string, l lore.Loss) {
	if lore.Codes[l.Code] == "" || l.File == "" || l.Count < 1 || l.Line < 0 ||
		!slices.Contains([]lore.Severity{lore.Info, lore.Warning, lore.Error}, l.Severity) {
		c.fault("%s: incomplete loss %+v", what, l)
	}
	if place := c.evidence.place.Name; !strings.HasPrefix(l.File, place+"/") || l.File != path.Clean(l.File) {
		c.fault("%s: loss names %q, which is not below %q", what, l.File, place)
	}
	if c.losses == nil {
		c.losses = map[lore.Loss]bool{}
	}
	if c.losses[l] {
		c.fault("%s: loss reported twice: %+v", what, l)
	}
	c.losses[l] = true
}
