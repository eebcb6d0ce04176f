package ingest

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"io"
	"slices"

	"lore"
	"lore/adapter"
	"lore/internal/archive"
)

// speech is of which conversations an evidence speaks, seen from what is forgotten: which lines say it, and which speak
// of something else.
type speech struct {
	dead    map[lore.ID]bool
	own     []archive.Span   // units of what is forgotten
	others  []archive.Span   // units of what stays
	natives map[string]bool  // native ids of what is forgotten, and of its messages
	speaks  map[lore.ID]bool // conversations, forgotten or not
}

func newSpeech(dead map[lore.ID]bool) *speech {
	return &speech{dead: dead, natives: map[string]bool{}, speaks: map[lore.ID]bool{}}
}

// forgotten counts the conversations that are forgotten, staying those that are not.
func (s *speech) forgotten() (n int) {
	for id := range s.speaks {
		if s.dead[id] {
			n++
		}
	}
	return n
}

func (s *speech) staying() int { return len(s.speaks) - s.forgotten() }

// read reads an evidence. That it cannot be read to its end is no error: what was read counts.
func (s *speech) read(ctx context.Context, ad adapter.Adapter, in adapter.Input) error {
	var id lore.ID
	open := false
	name := joinName(in.Place, in.Source.Path)
	for c, err := range placed(in, ad.Read(ctx, in)) {
		if err != nil {
			break
		}
		if c.Partial {
			if c.Native != "" && s.dead[lore.ConversationID(c.Source, c.Native)] {
				s.native(c.Native)
			}
			continue
		}
		if !open {
			id = anchor(c)
			s.speaks[id] = true
		}
		open = c.More
		to := &s.others
		if s.dead[id] {
			to = &s.own
			s.native(c.Native)
		}
		for i := range c.Messages {
			m := &c.Messages[i]
			if s.dead[id] {
				s.native(m.Native)
			}
			for _, o := range m.Origins {
				if o.File == name || o.File == "" {
					*to = append(*to, archive.Span{From: o.Offset, To: o.Offset + max(o.Length, 1)})
				}
			}
		}
	}
	return ctx.Err()
}

// nativeLeast is how long a native id has to be for a line that only mentions it to be taken for one that speaks of it.
const nativeLeast = 16

func (s *speech) native(id string) {
	if len(id) >= nativeLeast {
		s.natives[id] = true
	}
}

// spans returns the lines that go: those in which a unit of what is forgotten stands, and those that mention it by its
// native id, as a title does. A line in which a unit of something else stands too stays.
func (s *speech) spans(content io.ReaderAt, size int64) ([]archive.Span, error) {
	order := func(a, b archive.Span) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) }
	slices.SortFunc(s.own, order)
	slices.SortFunc(s.others, order)
	var out []archive.Span
	r := bufio.NewReaderSize(io.NewSectionReader(content, 0, size), 256<<10)
	own, others := s.own, s.others
	for at := int64(0); at < size; {
		line, err := r.ReadBytes('\n')
		if len(line) == 0 {
			if err == io.EOF {
				break
			}
			return nil, err
		}
		span := archive.Span{From: at, To: at + int64(len(line))}
		at = span.To
		mine, theirs := touches(&own, span), touches(&others, span)
		if !theirs && (mine || s.mentions(line)) {
			if n := len(out); n > 0 && out[n-1].To == span.From {
				out[n-1].To = span.To
			} else {
				out = append(out, span)
			}
		}
	}
	return out, nil
}

// touches reports whether one of the spans stands in a line, and passes those that end before it.
func touches(spans *[]archive.Span, line archive.Span) bool {
	for len(*spans) > 0 && (*spans)[0].To <= line.From {
		*spans = (*spans)[1:]
	}
	return len(*spans) > 0 && (*spans)[0].From < line.To
}

func (s *speech) mentions(line []byte) bool {
	for id := range s.natives {
		if bytes.Contains(line, []byte(id)) {
			return true
		}
	}
	return false
}
