package kimi

import (
	"lore"
	"lore/adapter/kit"
)

// what says what sort of thing a turn is.
type what uint8

const (
	prompt   what = iota + 1 // what a person typed, or a sub-agent's caller said
	injected                 // other words in a person's place
	step                     // of the model: words, thinking and calls
	result                   // of a call
	summary                  // of a compaction
	notice                   // what happened to the turn
	plan                     // shown to the person for approval
)

// The subtypes of messages that are not speech.
const (
	subContext    = "context"
	subNotice     = "notice"
	subHook       = "hook"
	subCommand    = "command"
	subGoal       = "goal"
	subPlan       = "plan"
	subQueued     = "queued"
	subCompaction = "compaction"
)

// spot is where a record stands that tells of a turn.
type spot struct {
	offset, length int64
	line           int32
	next           int32 // the next one of the same turn; -1: none
	file           uint8 // of session.files
	twin           bool  // it says again what another one says
}

// turn is one thing that was said, without its words.
type turn struct {
	what        what
	sub         string // subtype of a message that is not plain speech
	inactive    bool   // undone
	spent       bool   // a record tells its tokens
	first, last int32  // spots
	words       words
	musing      words  // its thinking
	id          string // native id; of a result that of its call
	time        lore.Time
	model       int16 // in session.models; -1: not known
}

// track is one conversation: this file's agent, or a sub-agent whose events stand in it.
type track struct {
	agent string
	call  string // that started it, when the file says so
	turns []turn
	spots []spot
	order []int32 // of turns, once the memory is put in; nil: as they stand

	open    int32            // the step at work; -1: none
	steps   map[string]int32 // by id
	calls   map[string]int32 // by id: the step that makes the call
	results map[string]int32
	untold  map[told][]int32 // prompts that the memory's record has not said again
	pending int32            // a spot with the tokens of the compaction to come; -1: none

	turnNo, stepNo int64
	model          int16
	dir            string
	begun          lore.Time
	first          int32 // line of its first record
	records        int
	ledger         lore.Ledger
	plain          []met
}

// told is what two records of one prompt share.
type told struct {
	what  what
	words words
}

// met is a record of a type that this version does not know.
type met struct {
	name string
	file uint8
	line int32
}

func newTrack(agent string, line int32) *track {
	return &track{
		agent: agent, open: -1, pending: -1, model: -1, turnNo: -1, first: line,
		steps: map[string]int32{}, calls: map[string]int32{}, results: map[string]int32{}, untold: map[told][]int32{},
	}
}

// begin begins a turn with the record that tells it.
func (t *track) begin(n turn, at spot) int32 {
	n.first, n.last, n.model = int32(len(t.spots)), int32(len(t.spots)), t.model
	if n.what != step {
		n.model = -1
	}
	t.spots = append(t.spots, at)
	t.turns = append(t.turns, n)
	return int32(len(t.turns) - 1)
}

// extend adds a record to a turn.
func (t *track) extend(n int32, at spot) {
	s := int32(len(t.spots))
	t.spots = append(t.spots, at)
	t.link(n, s)
}

// link adds a spot to a turn.
func (t *track) link(n, s int32) {
	t.spots[t.turns[n].last].next = s
	t.turns[n].last = s
}

// say takes words in a person's place. A log tells a prompt when it is typed, and again when the model gets it; the latter
// is its twin.
func (t *track) say(n turn, content kit.Value, again bool, at spot) {
	n.words = wordsOf(textOf(content))
	k := told{n.what, n.words}
	if list := t.untold[k]; again && len(list) > 0 {
		t.untold[k] = list[1:]
		at.twin = true
		t.extend(list[0], at)
		return
	}
	i := t.begin(n, at)
	if !again {
		t.untold[k] = append(t.untold[k], i)
	}
}

// stepAt returns the step with an id, beginning it where the log has not.
func (t *track) stepAt(id string, at spot, time lore.Time) (n int32, begun bool) {
	if id == "" && t.open >= 0 {
		return t.open, false
	}
	if n, ok := t.steps[id]; ok && id != "" {
		return n, false
	}
	return t.beginStep(id, at, time), true
}

// beginStep begins a step of the model.
func (t *track) beginStep(id string, at spot, time lore.Time) int32 {
	t.open = t.begin(turn{what: step, id: id, time: time, words: noWords, musing: noWords}, at)
	if _, taken := t.steps[id]; !taken && id != "" {
		t.steps[id] = t.open
	}
	return t.open
}

// add adds a record with words, thinking or a call to a step.
func (t *track) add(id string, part kit.Value, call string, at spot, time lore.Time) {
	n, begun := t.stepAt(id, at, time)
	if !begun {
		t.extend(n, at)
	}
	s := &t.turns[n]
	s.words = s.words.and(wordsOf(part.Get("text").String()))
	s.musing = s.musing.and(wordsOf(part.Get("think").String()))
	if _, taken := t.calls[call]; !taken && call != "" {
		t.calls[call] = n
	}
}

// answer takes a call's result.
func (t *track) answer(call string, at spot, time lore.Time) {
	n := t.begin(turn{what: result, id: call, time: time, words: noWords}, at)
	if _, taken := t.results[call]; !taken && call != "" {
		t.results[call] = n
	}
}

// spend takes the tokens of the step at work. The first record that tells them stands.
func (t *track) spend(at spot) bool {
	if t.open < 0 {
		return false
	}
	at.twin = t.turns[t.open].spent
	t.turns[t.open].spent = true
	t.extend(t.open, at)
	return true
}

// undo marks the last turns, as many as there are prompts to be undone, as taken back.
func (t *track) undo(prompts int64) {
	for i := len(t.turns) - 1; i >= 0 && prompts > 0; i-- {
		if t.turns[i].inactive {
			continue
		}
		t.turns[i].inactive = true
		if t.turns[i].what == prompt {
			prompts--
		}
	}
}

// meet counts a record of a type that is not known.
func (t *track) meet(name string, at spot) {
	name = kit.Clip(name)
	t.ledger.Meet(name)
	t.plain = append(t.plain, met{name, at.file, at.line})
}
