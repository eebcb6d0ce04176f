package index

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"path/filepath"

	"lore"
)

// Session puts conversations, one after the other: Begin, Add for each message in record order, Finish. A conversation
// may be added in many pieces, and memory follows the builder's bound, not the conversation.
type Session struct {
	w       *Writer
	builder *builder
	into    *pendingSegment // that the builder will become; nil when it is empty

	// of the conversation that was begun
	conv       lore.ID
	row        int64 // 0: none is begun
	isNew      bool
	known      []*knownDoc
	byID       map[lore.ID]*knownDoc
	ordinals   []uint32     // of the known messages, in order
	added      []stagedRun  // documents of this conversation that were added
	superseded []stagedRun  // documents that the same commit put before
	puts       []putMessage // that were added to a conversation which the index knew
	last       uint32       // ordinal of the message before
	at         int          // index in ordinals of the first one above last
	change     Change
}

// Change is what a Finish did.
type Change struct {
	New     bool // the index did not have the conversation
	Changed bool // header, links or a message differ from what the index had; true when New
	Added   int  // messages that were put
	Kept    int  // messages that stood as they were
	Deleted int  // messages that went
	Moved   []Move
}

// Move says that a message has another id than before: it stands where the old one stood, or says what that one said.
type Move struct{ Old, New lore.ID }

// put is a message that was added, as far as it can be the successor of one that goes.
type putMessage struct {
	id, content lore.ID
	evidence    int64
	offset      int64
}

// Begin starts a conversation. What the index holds of it is loaded, so that Add can keep what has not changed.
func (s *Session) Begin(conv lore.ID) error {
	if s.row != 0 {
		return errors.New("index: a conversation is begun before the one before is finished")
	}
	w := s.w
	w.stage.Lock()
	defer w.stage.Unlock()
	if w.active[conv] {
		return fmt.Errorf("index: conversation %s is begun twice at a time", conv)
	}
	var row int64
	err := w.one("SELECT row FROM conversations WHERE id = ?", []any{conv[:]}, &row)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	if s.isNew = row == 0; s.isNew {
		row = w.nextRow
		if row > math.MaxUint32 {
			return fmt.Errorf("index: too many conversations: %w", ErrRebuild)
		}
		w.nextRow++
	}
	s.conv, s.row, s.change, s.last, s.at = conv, row, Change{}, 0, 0
	s.known, s.byID, s.ordinals, s.added = nil, nil, s.ordinals[:0], s.added[:0]
	s.superseded = w.staged[row]
	if !s.isNew {
		if err := s.load(); err != nil {
			s.row = 0
			return err
		}
	}
	w.active[conv] = true
	return nil
}

// Known reports whether the message would be kept as it stands, if it were added next.
func (s *Session) Known(m *lore.Message, evidence int64) bool { return s.same(m, evidence) != nil }

// Add puts the next message in record order; evidence is the archive's file id of its first origin. A message that
// stands in the index with the same content, role, active, subtype, time and place is kept untouched and not analysed
// again. The message is not retained.
func (s *Session) Add(m *lore.Message, evidence int64) error {
	if s.row == 0 {
		return errors.New("index: a message outside of Begin and Finish")
	}
	if k := s.same(m, evidence); k != nil {
		k.kept = true
		s.last = k.facts.place.ordinal
		s.change.Kept++
		return nil
	}
	s.last = s.nextOrdinal()
	s.change.Added++
	if !s.isNew && len(m.Origins) > 0 {
		s.puts = append(s.puts, putMessage{m.ID, m.ContentID, evidence, m.Origins[0].Offset})
	}
	s.ready()
	s.w.stage.Lock()
	path := s.w.evidencePath(evidence)
	s.w.stage.Unlock()
	s.note(s.builder.add(uint32(s.row), m, evidence, s.last, path))
	if s.builder.size() >= s.w.memory {
		return s.spill()
	}
	return nil
}

// ready makes sure that the builder has a segment to become.
func (s *Session) ready() {
	if s.into == nil {
		s.into = &pendingSegment{name: newName()}
	}
}

// note remembers a document of the conversation.
func (s *Session) note(doc uint32) {
	if n := len(s.added); n > 0 && s.added[n-1].in == s.into && s.added[n-1].first+s.added[n-1].count == doc {
		s.added[n-1].count++
		return
	}
	s.added = append(s.added, stagedRun{s.into, doc, 1})
}

// spill writes what the builder holds to a segment file.
func (s *Session) spill() error {
	if s.into == nil {
		return nil
	}
	size, err := s.builder.write(filepath.Join(s.w.dir, s.into.name))
	if err != nil {
		return err
	}
	s.into.size, s.into.docs = size, s.builder.docs
	s.w.stage.Lock()
	s.w.pending = append(s.w.pending, s.into)
	s.w.stage.Unlock()
	s.into = nil
	s.builder.reset()
	return nil
}

// Finish ends the conversation: its header (Messages are not looked at), whether its source still has it, and what each
// evidence contributes to it. Messages that were not added again since Begin are deleted.
func (s *Session) Finish(c *lore.Conversation, inSource bool, links []Link) (Change, error) {
	if s.row == 0 || c.ID != s.conv {
		return Change{}, fmt.Errorf("index: conversation %s is finished without being begun", c.ID)
	}
	s.putTitle(c)
	w := s.w
	w.stage.Lock()
	defer w.stage.Unlock()
	defer s.leave()
	if err := w.begin(); err != nil {
		s.drop()
		return Change{}, err
	}
	header, err := w.putConversation(s.row, c, inSource, links)
	if err != nil {
		s.drop()
		return Change{}, err
	}
	s.change.Deleted = w.replace(s)
	if len(s.added) > 0 {
		w.staged[s.row] = append([]stagedRun(nil), s.added...)
	} else {
		delete(w.staged, s.row)
	}
	s.change.Moved = s.moves()
	s.change.New = s.isNew
	s.change.Changed = s.isNew || header || s.change.Added > 0 || s.change.Deleted > 0
	return s.change, nil
}

// putTitle keeps the document of the title, or puts one where it says something else.
func (s *Session) putTitle(c *lore.Conversation) {
	title, where := titleWords(c)
	sum := lore.ID(sha256.Sum256([]byte(title + "\x00" + where)))
	for _, k := range s.known {
		if k.title && k.facts.content == sum {
			k.kept = true
			return
		}
	}
	if title == "" && where == "" {
		return
	}
	s.ready()
	s.note(s.builder.addTitle(uint32(s.row), c, sum))
}

// moves pairs messages that go with messages that were added: those that say the same, in order, else those that
// stand at the same place of the evidence.
func (s *Session) moves() []Move {
	if len(s.puts) == 0 {
		return nil
	}
	type place struct{ evidence, offset int64 }
	byPlace, byContent := map[place]lore.ID{}, map[lore.ID][]lore.ID{}
	for _, p := range s.puts {
		byContent[p.content] = append(byContent[p.content], p.id)
		if at := (place{p.evidence, p.offset}); byPlace[at].IsZero() {
			byPlace[at] = p.id
		}
	}
	there := make(map[lore.ID]bool, len(s.puts))
	for _, p := range s.puts {
		there[p.id] = true
	}
	var moves []Move
	for _, k := range s.known {
		if k.kept || k.title || there[k.facts.id] {
			continue
		}
		at := place{int64(k.facts.place.evidence), int64(k.facts.place.offset)}
		to := byPlace[at]
		if same := byContent[k.facts.content]; len(same) > 0 {
			to, byContent[k.facts.content] = same[0], same[1:]
		}
		if !to.IsZero() {
			moves = append(moves, Move{Old: k.facts.id, New: to})
		}
	}
	return moves
}

// Abort drops the conversation that was begun: the index keeps what it had of it.
func (s *Session) Abort() {
	if s.row == 0 {
		return
	}
	s.w.stage.Lock()
	defer s.w.stage.Unlock()
	s.drop()
	s.leave()
}

// drop takes back the documents that were added.
func (s *Session) drop() {
	for _, r := range s.added {
		for i := range r.count {
			r.in.drop(r.first + i)
		}
	}
}

func (s *Session) leave() {
	delete(s.w.active, s.conv)
	s.row, s.known, s.byID, s.superseded, s.puts = 0, nil, nil, nil, nil
}
