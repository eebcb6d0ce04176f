package codex

// what says what sort of thing a unit tells.
type what uint8

const (
	prompt     what = iota + 1 // words of role user, the person's or injected
	answer                     // the assistant's words; in generation 1 with its thinking and calls
	plan                       // a proposed plan: the assistant's, too
	thought                    // reasoning
	call                       // a tool call
	output                     // a tool's output
	toolBegin                  // an event at the start of a tool's run: the call
	toolEnd                    // an event at its end: the call and, mostly, its result
	compaction                 // a summary or its marker
	aborted                    // the notice of an interruption
	letter                     // a message between agents
	background                 // an item of role developer or system
	notice                     // all else that the client says
	ending                     // the end of a turn with the last words, or the error, that nothing else says
)

// rep is a representation of a fact; several of one fact are a set. The lower one wins: an item of the model's API has
// all parts, a completed item most, an event the text alone.
type rep uint8

const (
	repItem rep = 1 << iota
	repCompleted
	repEvent
	repEnding
)

// unit is a record that makes a message, or says again what another one makes. All else about a file is small; there is
// one unit for each such line, so it holds no text.
type unit struct {
	offset, length int64
	line           int32
	owner          int32 // the unit whose words stand; its own index when it stands itself
	mate           int32 // of an output: the event that knows how its run ended; of a prompt: the event with its images; -1: none
	twin, next     int32 // the first unit that says again what this one says, and the next of its own twins; -1: none
	model          int16 // index in scan.models of the model that was at work; -1: none
	what           what
	rep            rep
	flags          flags
}

type flags uint16

const (
	proved    flags = 1 << iota // an event says that a person typed it
	prefixed                    // it begins as the client's own texts do
	withTwin                    // it stood in a run before an item that a person typed: injected with it
	inherited                   // a copy of the parent's, replayed by a fork
	inactive                    // rolled back
	saysCall                    // a tool event: no item holds the call
	saysOut                     // a tool event: no item holds the output, and it has one
	failed                      // a tool event: the run failed
	stderr                      // a tool event: it has an error output of its own
	ownTime                     // inherited, with its original time
	onlyError                   // the end of a turn: its last words stand elsewhere, its error does not
)

// human reports whether a prompt is a person's own words.
func (u *unit) human() bool {
	return u.what == prompt && (u.flags&proved != 0 || u.flags&(prefixed|withTwin) == 0)
}

// assistant reports whether the unit makes a message of role assistant.
func (u *unit) assistant() bool {
	switch u.what {
	case answer, plan, thought, call, ending:
		return u.flags&onlyError == 0
	case toolBegin, toolEnd:
		return u.flags&saysCall != 0
	}
	return false
}
