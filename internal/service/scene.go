package service

import (
	"strings"

	"lore"
	"lore/internal/redact"
	"lore/internal/text"
)

// scene is what surrounds a message that was found: its turn, from what a person asked to what was answered in the end, and
// the turns beside it.
type scene struct {
	hit    *Hit
	lines  []line
	anchor int // the line of the message that was found
	score  float64
	cover  float64 // how much of the task it speaks of
	reveal bool
}

// line is what one message of a scene says.
type line struct {
	id     lore.ID
	role   lore.Role
	at     lore.Time
	turn   int  // 0 is that of the anchor, -1 and 1 are beside it
	last   bool // the last words of the assistant in its turn: mostly what came of it
	spoken bool // words of a person or an assistant, no call and no output
	whole  bool
	pieces []piece
}

// sceneOf returns what surrounds a hit in its conversation, without credentials unless they are to be revealed: they are
// taken out before anything is cut, so that no half of one is left.
func sceneOf(c *lore.Conversation, hit *Hit, reveal bool) *scene {
	at := 0
	for i := range c.Messages {
		if c.Messages[i].ID == hit.ID {
			at = i
			break
		}
	}
	s := &scene{hit: hit, reveal: reveal}
	from := turnBegin(c.Messages, at)
	to := turnEnd(c.Messages, at)
	if from > 0 {
		s.turn(c.Messages, turnBegin(c.Messages, from-1), from, -1, at)
	}
	s.turn(c.Messages, from, to, 0, at)
	if to < len(c.Messages) {
		s.turn(c.Messages, to, turnEnd(c.Messages, to), 1, at)
	}
	return s
}

// turnLines bounds how many messages of one turn are looked at, half of them from its begin.
const turnLines = 60

// turn adds the messages [from, to) to the scene.
func (s *scene) turn(all []lore.Message, from, to, turn, anchor int) {
	last := -1
	for i := from; i < to; i++ {
		if skip := to - from - turnLines; skip > 0 && i >= from+turnLines/2 && i < from+turnLines/2+skip && i != anchor {
			continue
		}
		m := &all[i]
		for _, spoken := range []bool{true, false} {
			said := saying(m, spoken)
			if said == "" {
				continue
			}
			if !s.reveal {
				said, _ = redact.Text(said)
			}
			l := line{id: m.ID, role: m.Role, at: m.At, turn: turn, spoken: spoken && (m.Role == lore.User || m.Role == lore.Assistant)}
			l.pieces, l.whole = piecesOf(said)
			if i == anchor && (s.anchor == 0 || spoken) {
				s.anchor = len(s.lines)
			}
			if l.spoken && m.Role == lore.Assistant {
				last = len(s.lines)
			}
			s.lines = append(s.lines, l)
		}
	}
	if last >= 0 {
		s.lines[last].last = true
	}
}

// saying returns the words of a message, or its calls and outputs.
func saying(m *lore.Message, words bool) string {
	var parts []string
	for i := range m.Parts {
		p := &m.Parts[i]
		switch p.Kind {
		case lore.Text:
			if words {
				parts = append(parts, p.Text)
			}
		case lore.Call, lore.Result:
			if !words {
				parts = append(parts, callText(p))
			}
		}
	}
	return strings.Join(parts, "\n")
}

// callText returns a call as it can be read: the tool and its input.
func callText(p *lore.Part) string {
	said := text.Searchable(p)
	if p.Kind == lore.Call {
		return p.Name + " " + said
	}
	return said
}

// turnBegin returns the first message of the turn that message i is in: what a person said, or the begin.
func turnBegin(all []lore.Message, i int) int {
	for i > 0 && !(all[i].Role == lore.User && (all[i-1].Role != lore.User || all[i-1].Active && all[i].Active)) {
		i--
	}
	return i
}

// turnEnd returns the message behind the last one of the turn that message i is in.
func turnEnd(all []lore.Message, i int) int {
	for i++; i < len(all) && all[i].Role != lore.User; i++ {
	}
	return i
}
