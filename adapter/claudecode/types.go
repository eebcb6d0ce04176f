package claudecode

import "lore"

// kind is what a record is to the structure of a conversation.
type kind uint8

// The kinds. Only the first five, and an enqueue, can become messages.
const (
	kindUnknown    kind = iota // a type that this version does not know
	kindUser                   // "user": words, results, injected context
	kindAssistant              // "assistant"
	kindSystem                 // "system"
	kindContext                // "attachment": injected context and hook output
	kindQueued                 // "attachment" of type queued_command: a prompt typed while the agent was busy
	kindQueue                  // "queue-operation"
	kindProgress               // "progress"
	kindSummary                // "summary": a title, by the uuid of a leaf
	kindTitle                  // "custom-title", "ai-title"
	kindLastPrompt             // "last-prompt": a twin of a prompt
	kindSkipped                // known, and no conversation
)

// recordKinds are the record types that this version knows.
var recordKinds = map[string]kind{
	"user":                  kindUser,
	"assistant":             kindAssistant,
	"system":                kindSystem,
	"attachment":            kindContext,
	"queue-operation":       kindQueue,
	"progress":              kindProgress,
	"summary":               kindSummary,
	"custom-title":          kindTitle,
	"ai-title":              kindTitle,
	"last-prompt":           kindLastPrompt,
	"file-history-snapshot": kindSkipped,
	"permission-mode":       kindSkipped,
	"mode":                  kindSkipped,
	"agent-name":            kindSkipped,
	"agent-color":           kindSkipped,
	"agent-setting":         kindSkipped,
	"atis-latch":            kindSkipped,
	"bridge-session":        kindSkipped,
	"cost-state":            kindSkipped,
	"frame-link":            kindSkipped,
	"pr-link":               kindSkipped,
	"started":               kindSkipped,
	"result":                kindSkipped,
	"relocated":             kindSkipped,
	"worktree-state":        kindSkipped,
}

// topKeys stand first in the records that the product writes; reading resumes at one of them after damage.
var topKeys = []string{"parentUuid", "type", "uuid", "sessionId", "isSidechain", "session_id", "logicalParentUuid", "isCompactSummary"}

// flag is a fact about a line.
type flag uint16

const (
	sidechain  flag = 1 << iota // isSidechain: of a sub-agent, in the older versions
	human                       // words of a person, or of the caller of a sub-agent
	leading                     // a fork is one only between lines that lead to such ones: answers and human words
	boundary                    // a compact boundary: the parent is the logical one, which makes no branch
	afterBound                  // the first words after a boundary, hanging on a record before it: no branch either
	copied                      // says again what its rep said at the same time under another uuid
	inactive                    // on an abandoned branch, superseded or withdrawn
	missing                     // the parent exists nowhere in the file
	noUUID                      // the record has no id of its own
	inherited                   // copied from the session that this one was forked from
	shown                       // has become a message
	sharedID                    // an answer whose message.id an earlier one carries: its uuid names it
	twinned                     // another unit of a queued prompt, which its rep says
	lost                        // on an abandoned branch
	elsewhere                   // a fact about a conversation of another file
)

// line is what the first pass keeps of a record.
type line struct {
	offset, length int64
	uuid, parent   key
	hash           uint64 // of the record's bytes
	said           uint64 // of what it says
	when           uint64 // of its time as written; 0: none
	text           uint64 // of the words that a prompt holds, white space around them cut; 0: none
	no             int32  // physical line
	msg            int32  // message.id, interned; 0: none
	op             op     // what a queue operation does
	up             int32  // the line of the parent; -1: none
	rep            int32  // the first line of the message that this line belongs to; itself for most
	next           int32  // the next line of that message; -1: none
	near           int32  // the nearest line at or above that is shown; -1: none. Set by the second pass
	last           int32  // the last line in file order at or below this one on its branch
	conv           int32  // index of its conversation
	again          int32  // how many identical lines followed
	kind           kind
	tag            roleTag // which native id the last message of the record has
	flags          flag
}

// roleTag names the role that stands before a native id; 0: none does.
type roleTag uint8

// roleTags are the roles by tag.
var roleTags = [...]lore.Role{"", lore.User, lore.Assistant, lore.Tool, lore.System}

func tagOf(r lore.Role) roleTag {
	for t, role := range roleTags {
		if role == r {
			return roleTag(t)
		}
	}
	return 0
}

func (l *line) is(f flag) bool { return l.flags&f != 0 }

// op is what a queue operation does.
type op int32

const (
	opOther    op = iota
	opEnqueue     // a prompt was typed while the agent was busy
	opDequeue     // the oldest one was sent
	opRemove      // one was withdrawn
	opAbsorbed    // one was taken into the running turn
	opPopAll      // all were taken back into the editor
)
