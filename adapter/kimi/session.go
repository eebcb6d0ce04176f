package kimi

import (
	"context"
	"fmt"
	"path"
	"slices"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// topKeys are the keys that stand first in a record: where reading goes on after damage.
var topKeys = []string{"type", "timestamp", "role", "message", "content"}

// sniffed is how many records of a file are looked at to tell what it is.
const sniffed = 64

// session is one agent's files while they are read.
type session struct {
	in     adapter.Input
	place  place
	state  about
	files  []*openFile
	tracks []*track // the first is this agent's own
	models []string

	spawned []child // what calls have started
	known   map[string]bool
	losses  *kit.Tally
	named   bool // the agent's name is known
}

// openFile is one of the files.
type openFile struct {
	path  string
	lines *kit.Lines
}

// child is a sub-agent and the call that started it.
type child struct{ agent, parent, call string }

func newSession(in adapter.Input) *session {
	pl := placeOf(in.Name(in.Source.Path))
	s := &session{in: in, place: pl, known: map[string]bool{}, losses: kit.NewTally(in, in.Source.Path), named: pl.file != foreign}
	agent := mainAgent
	if pl.agent != "" {
		agent = pl.agent
	}
	s.tracks = []*track{newTrack(agent, 0)}
	s.state = aboutOf(in, pl)
	return s
}

func (s *session) close() {
	for _, f := range s.files {
		f.lines.Close()
	}
}

// open opens one more file.
func (s *session) open(p string) (*kit.Lines, error) {
	lines, err := kit.OpenLines(s.in, p, kit.Options{TopKeys: topKeys})
	if err == nil {
		s.files = append(s.files, &openFile{p, lines})
	}
	return lines, err
}

// form is how the records of a file look.
type form uint8

const (
	formNone form = iota
	formWire
	formEvent
	formMemory
)

// formOf tells what a record is; a file that stands in its place needs less of a proof.
func formOf(v kit.Value, trusted bool) form {
	switch {
	case isEvent(v):
		return formEvent
	case v.Get("type").IsString() && (trusted || isWire(v)):
		return formWire
	case isMemory(v) || trusted && isRemembered(v):
		return formMemory
	}
	return formNone
}

// scan is the first pass over the agent's files.
func (s *session) scan(ctx context.Context, trusted bool) error {
	form, err := s.formOf(trusted)
	if err != nil {
		return err
	}
	if s.in.Source.Store == "" {
		s.in.Source.Store = s.place.store
		if s.place.file == foreign && form == formWire {
			s.in.Source.Store = storeCode
		} else if s.place.file == foreign {
			s.in.Source.Store = storeCLI
		}
	}
	s.named = s.named || form != formWire // only these tell whose they are
	lines, err := s.open(s.in.Source.Path)
	if err != nil {
		return err
	}
	for r := range lines.All() {
		s.take(r, form)
	}
	if err := firstError(ctx.Err(), lines.Err()); err != nil {
		return err
	}
	for _, p := range s.memories() {
		lines, err := s.open(p)
		if err != nil {
			continue // gone since it was found
		}
		m := newTrack(s.tracks[0].agent, 0)
		for r := range lines.All() {
			at := s.spot(r)
			if isRemembered(r.Value) {
				m.remember(r.Value, at)
			} else {
				m.meet("record without role", at)
			}
		}
		if err := firstError(ctx.Err(), lines.Err()); err != nil {
			return err
		}
		s.tracks[0].merge(m)
	}
	return nil
}

// formOf tells what the main file is. A file that a user names has to prove it; one whose records are not known at all is
// another tool's.
func (s *session) formOf(trusted bool) (form, error) {
	lines, err := kit.OpenLines(s.in, s.in.Source.Path, kit.Options{TopKeys: topKeys})
	if err != nil {
		return formNone, err
	}
	defer lines.Close()
	sure := trusted || placeOf(s.in.Name(s.in.Source.Path)).file != foreign
	n, begun := 0, false
	for r := range lines.All() {
		if r.Value.Get("type").Is("metadata") && isWire(r.Value) { // both products begin so
			begun = true
			continue
		}
		if f := formOf(r.Value, sure); f != formNone {
			return f, nil
		}
		if n++; n == sniffed {
			break
		}
	}
	if err := lines.Err(); err != nil {
		return formNone, err
	}
	if begun {
		return formWire, nil
	}
	if n > 0 || !trusted {
		return formNone, adapter.ErrNotMine
	}
	return formNone, nil
}

// memories returns the files of the model's memory that are read beside the main one, the newest first.
func (s *session) memories() []string {
	var list []string
	for _, p := range s.in.Source.Companions {
		if k := placeOf(p).file; k == memory || k == oldMemory {
			list = append(list, p)
		}
	}
	slices.SortFunc(list, func(a, b string) int { return memoryAge(a) - memoryAge(b) })
	return list
}

// memoryAge orders memories: the present one, then those put aside, the last one first.
func memoryAge(p string) int {
	if placeOf(p).file == memory {
		return -1 << 31
	}
	n := 0
	for _, c := range path.Base(p) {
		if c >= '0' && c <= '9' && n < 1<<24 {
			n = n*10 + int(c-'0')
		}
	}
	return -n
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// spot says where a record of the file at hand stands.
func (s *session) spot(r *kit.Record) spot {
	return spot{offset: r.Offset, length: r.Length, line: int32(r.Line), next: -1, file: uint8(len(s.files) - 1)}
}

// take takes a record of the main file in.
func (s *session) take(r *kit.Record, form form) {
	at := s.spot(r)
	own := s.tracks[0]
	switch {
	case form == formWire && r.Value.Get("type").IsString():
		s.wire(r.Value, at)
	case form == formEvent && isEvent(r.Value):
		s.event(r.Value, at)
	case form == formEvent && r.Value.Get("type").Is("metadata"):
		own.ledger.Skip("metadata")
	case form == formMemory && isRemembered(r.Value):
		own.remember(r.Value, at)
	default:
		name := "record without type"
		if typ := r.Value.Get("type").String(); typ != "" {
			name = typ
		}
		own.meet(name, at)
	}
}

// trackOf returns the conversation of an agent. Where the path does not tell whose file it is, the first agent that is
// named is this file's own.
func (s *session) trackOf(agent string, at spot) *track {
	own := s.tracks[0]
	if agent != "" && !s.named {
		s.named = true
		own.agent = agent
	}
	if agent == "" || agent == own.agent {
		return own
	}
	for _, t := range s.tracks[1:] {
		if t.agent == agent {
			t.records++
			return t
		}
	}
	t := newTrack(agent, at.line)
	t.records = 1
	s.tracks = append(s.tracks, t)
	return t
}

// modelNo returns the number of a model.
func (s *session) modelNo(model string) int16 {
	if n := slices.Index(s.models, model); n >= 0 {
		return int16(n)
	}
	if len(s.models) > 1<<14 {
		return int16(len(s.models) - 1)
	}
	s.models = append(s.models, model)
	return int16(len(s.models) - 1)
}

// damaged says that nothing of the main file decodes.
func (s *session) damaged() error {
	if lines := s.files[0].lines; lines.Good() == 0 && lines.Damaged() > 0 {
		return fmt.Errorf("none of %d lines decodes: %w", lines.Damaged(), adapter.ErrMalformed)
	}
	return nil
}

// allLosses returns those of reading the files, then those of their records.
func (s *session) allLosses() []lore.Loss {
	var list []lore.Loss
	for _, f := range s.files {
		list = append(list, f.lines.Losses()...)
	}
	return append(append(list, s.state.losses...), s.losses.List()...)
}
