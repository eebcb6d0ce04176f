package copilot

import (
	"fmt"
	"strconv"
	"strings"

	"lore/adapter/kit"
)

// step is one element of a path into the state: a key of an object or an index of an array. A numeric string may be both.
type step struct {
	key   string
	index int // -1: it can be no index
}

// maxSteps is how long a path may be. The tool's own have four steps at most.
const maxSteps = 64

// stepsOf reads the path of a step of the log. why says what is wrong with it.
func stepsOf(k kit.Value) (path []step, why string) {
	switch {
	case !k.IsArray():
		return nil, "no path"
	case k.Len() > maxSteps:
		return nil, fmt.Sprintf("a path of %d steps", k.Len())
	}
	path = make([]step, 0, k.Len())
	for e := range k.Items() {
		switch {
		case e.IsString():
			key := e.String()
			if key == "__proto__" || key == "constructor" || key == "prototype" {
				return nil, fmt.Sprintf("key %q in a path", key)
			}
			path = append(path, step{key, indexOf(key)})
		case e.IsNumber():
			i, whole := e.Int()
			if !whole || i < 0 || i > 1<<31-1 {
				return nil, fmt.Sprintf("index %s in a path", kit.Clip(string(e.Raw())))
			}
			path = append(path, step{strconv.FormatInt(i, 10), int(i)})
		default:
			return nil, "a path with neither keys nor indexes"
		}
	}
	return path, ""
}

// indexOf returns the index that a key stands for; -1 for none.
func indexOf(key string) int {
	if key == "" || len(key) > 9 || len(key) > 1 && key[0] == '0' {
		return -1
	}
	n := 0
	for i := range len(key) {
		if key[i] < '0' || key[i] > '9' {
			return -1
		}
		n = n*10 + int(key[i]-'0')
	}
	return n
}

// written names a path as people write it: requests.0.response.
func written(path []step) string {
	var b strings.Builder
	for i, s := range path {
		if i > 0 {
			b.WriteByte('.')
		}
		b.WriteString(kit.Clip(s.key))
	}
	return b.String()
}

// subject names what a path speaks of, whatever the indexes: requests.response. It has two names at most.
func subject(path []step) string {
	var b strings.Builder
	names := 0
	for _, s := range path {
		if s.index >= 0 {
			continue
		}
		if names++; names > 2 {
			break
		}
		if names > 1 {
			b.WriteByte('.')
		}
		b.WriteString(kit.Clip(s.key))
	}
	return b.String()
}

// told are the members of a session and of a request that the record is made of. A step about one of them that the record
// does not show was overruled by a later one.
var told = set("requests", "customTitle", "computedTitle", "sessionId", "creationDate", "workingDirectory", "repoData",
	"requests.requestId", "requests.message", "requests.variableData", "requests.response", "requests.responseId",
	"requests.result", "requests.timestamp", "requests.responseTimestamp", "requests.modelId", "requests.promptTokens",
	"requests.completionTokens", "requests.modelTotals", "requests.usage")

// flags are members that change the record only where they say yes.
var flags = set("requests.isCanceled", "requests.modelState", "requests.shouldBeRemovedOnSend", "requests.isHidden",
	"requests.hiddenFromTranscript", "requests.requestHiddenFromTranscript", "requests.isSystemInitiated")

// passed are members that are known and no conversation: drafts, settings, votes, references beside an answer.
var passed = set("version", "inputState", "pendingRequests", "hasPendingEdits", "initialLocation", "isImported",
	"lastMessageDate", "requesterUsername", "requesterAvatarIconUri", "responderUsername", "responderAvatarIconUri", "mode",
	"requests.agent", "requests.followups", "requests.contentReferences", "requests.codeCitations", "requests.usedContext",
	"requests.responseMarkdownInfo", "requests.timeSpentWaiting", "requests.vote", "requests.voteDownReason",
	"requests.slashCommand", "requests.editedFileEvents", "requests.modeInfo", "requests.elapsedMs", "requests.confirmation",
	"requests.copilotCredits", "requests.sessionCopilotCredits", "requests.outputBuffer", "requests.promptTokenDetails",
	"requests.modelConfiguration", "requests.systemInitiatedLabel", "requests.terminalExecutionId", "requests.origin",
	"requests.requestSource")

func set(names ...string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, n := range names {
		m[n] = true
	}
	return m
}
