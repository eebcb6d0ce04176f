package codex

import "strings"

// The subtypes of messages that are not speech.
const (
	subContext    = "context"
	subNotice     = "notice"
	subCompaction = "compaction"
	subReview     = "review"
	subGoal       = "goal"
	subPlan       = "plan"
	subAgent      = "agent"
)

// injected are the beginnings of user items that the client writes itself.
var injected = []struct{ prefix, subtype string }{
	{"<environment_context>", subContext},
	{"<user_instructions>", subContext},
	{"# AGENTS.md instructions", subContext},
	{"<turn_aborted>", subNotice},
	{"<user_action>", subContext},
	{"<user_shell_command>", subContext},
	{"<permissions instructions>", subContext},
	{"<skill>", subContext},
	{"<subagent_notification>", subNotice},
}

// injectedAs returns the subtype of a text that the client injected, by its beginning.
func injectedAs(text string) (subtype string, ok bool) {
	text = strings.TrimLeft(text, " \t\r\n")
	if text == "" || text[0] != '<' && text[0] != '#' {
		return "", false
	}
	for _, in := range injected {
		if strings.HasPrefix(text, in.prefix) {
			return in.subtype, true
		}
	}
	return "", false
}

const (
	abortedTag  = "<turn_aborted>"
	ideHeading  = "# Context from my IDE setup:"
	askHeading  = "## My request for Codex:"
	environment = "<environment_context>"
)

// splitIDE parts a prompt that an editor has wrapped into what the editor added and what the person wrote. The first
// heading counts: rather some context among the person's words than some of the words lost among the context.
func splitIDE(text string) (context, request string, ok bool) {
	if !strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), ideHeading) {
		return "", text, false
	}
	for from := 0; ; {
		at := strings.Index(text[from:], askHeading)
		if at < 0 {
			return "", text, false
		}
		at += from
		if at == 0 || text[at-1] == '\n' {
			return strings.TrimRight(text[:at], " \t\r\n"), strings.TrimLeft(text[at+len(askHeading):], " \t\r\n"), true
		}
		from = at + len(askHeading)
	}
}

// contextDir finds the working folder in an environment context: the only place where generations 1 and 2 say it.
func contextDir(text string) string {
	if !strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), environment) {
		return ""
	}
	if _, rest, ok := strings.Cut(text, "<cwd>"); ok {
		dir, _, _ := strings.Cut(rest, "</cwd>")
		return strings.TrimSpace(dir)
	}
	if _, rest, ok := strings.Cut(text, "Current working directory:"); ok {
		dir, _, _ := strings.Cut(rest, "\n")
		return strings.TrimSpace(dir)
	}
	return ""
}
