package claudecode

import (
	"strings"

	"github.com/cespare/xxhash/v2"

	"lore"
	"lore/adapter/kit"
)

// speaker is who says the words of a record, results left aside.
type speaker uint8

const (
	person     speaker = iota // typed by a person, or by the caller of a sub-agent
	noticed                   // a notice of the client
	compacted                 // a compaction summary
	contextual                // injected context
	hooked                    // output of a hook
)

// role returns role and subtype of a message by this speaker.
func (s speaker) role() (lore.Role, string) {
	switch s {
	case noticed:
		return lore.System, "notice"
	case compacted:
		return lore.System, "compaction"
	case contextual:
		return lore.System, "context"
	case hooked:
		return lore.System, "hook"
	}
	return lore.User, ""
}

// openings are how the client's own texts begin, in records that look like a person's.
var openings = []struct {
	text string
	who  speaker
}{
	{"<command-name>", noticed},
	{"<command-message>", noticed},
	{"<local-command-stdout>", noticed},
	{"<local-command-stderr>", noticed},
	{"<local-command-caveat>", noticed},
	{"<bash-stdout>", noticed},
	{"<bash-stderr>", noticed},
	{"<task-notification>", noticed},
	{"Caveat:", noticed},
	{"This session is being continued from a previous conversation", compacted},
}

// opening says who writes texts that begin so.
func opening(text string) speaker {
	text = strings.TrimLeft(text, " \t\r\n")
	for _, o := range openings {
		if strings.HasPrefix(text, o.text) {
			return o.who
		}
	}
	if strings.HasPrefix(text, "[Request interrupted by user") && strings.HasSuffix(strings.TrimRight(text, " \t\r\n"), "]") {
		return noticed
	}
	return person
}

// onlyReminder reports whether a text is one or more <system-reminder> frames and nothing else. A reminder that a person
// quotes among other words stays what it is: words.
func onlyReminder(text string) bool {
	const open, end = "<system-reminder>", "</system-reminder>"
	text = strings.TrimSpace(text)
	if !strings.HasPrefix(text, open) {
		return false
	}
	for text != "" {
		if !strings.HasPrefix(text, open) {
			return false
		}
		at := strings.Index(text, end)
		if at < 0 {
			return false
		}
		text = strings.TrimLeft(text[at+len(end):], " \t\r\n")
	}
	return true
}

// flagged says who speaks in a user record by its flags alone; person when they leave it open.
func flagged(v kit.Value) speaker {
	switch {
	case v.Get("isMeta").Bool():
		return noticed
	case v.Get("isCompactSummary").Bool():
		return compacted
	case v.Get("isVisibleInTranscriptOnly").Bool():
		return noticed
	case !byPerson(v.Get("origin")):
		return noticed
	}
	return person
}

// byPerson reports whether an origin, where there is one, is a person: task notifications and messages of other agents
// come as prompts too.
func byPerson(origin kit.Value) bool {
	kind := origin.Get("kind")
	return !kind.IsString() || kind.Is("human") || blank(kind)
}

// queuedSpeaker says who speaks in a queued command, as far as its fields tell.
func queuedSpeaker(attachment kit.Value) speaker {
	if attachment.Get("commandMode").Is("task-notification") || attachment.Get("isMeta").Bool() || !byPerson(attachment.Get("origin")) {
		return noticed
	}
	return person
}

// words is what a prompt's content holds, block by block.
type words struct {
	texts     int // texts, reminders not counted
	results   int
	reminders int
	others    int     // images, documents, unknown blocks
	who       speaker // by the first text that is no reminder
	hash      uint64  // of the texts
}

// hear reads the content of a prompt: a string or a list of blocks.
func hear(content kit.Value) words {
	var w words
	var media uint64
	switch content.Kind() {
	case kit.String:
		w.text(content.String())
	case kit.Array:
		for block := range content.Items() {
			switch t := block.Get("type"); {
			case t.Is("tool_result"):
				w.results++
			case t.Is("text"):
				w.text(block.Get("text").String())
			default:
				w.others++
				media = mix(media) ^ xxhash.Sum64(block.Raw())
			}
		}
	case kit.Absent, kit.Null:
	default:
		w.others++
	}
	if w.hash == 0 {
		w.hash = media // a picture without words
	}
	return w
}

func (w *words) text(s string) {
	if onlyReminder(s) {
		w.reminders++
		return
	}
	if w.texts == 0 {
		w.who = opening(s)
	}
	w.texts++
	if s = strings.TrimSpace(s); s != "" {
		w.hash = mix(w.hash) ^ hashText(s)
	}
}

// speaker says who speaks in a user record with these flags: the flags decide first, then the words.
func (w words) speaker(byFlags speaker) speaker {
	switch {
	case byFlags != person:
		return byFlags
	case w.texts == 0 && w.others == 0 && w.reminders > 0:
		return contextual
	}
	return w.who
}
