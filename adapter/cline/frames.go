package cline

import "strings"

// The tool wraps what goes to the model. A wrapper is taken off only where it is the outermost thing of a text, in the
// form in which the tool writes it: a person may quote the same tags.

const environmentOpen, environmentEnd = "<environment_details>", "</environment_details>"

// cutEnvironment parts a text from the notes on the environment that the tool appends to it.
func cutEnvironment(text string) (rest, notes string) {
	trimmed := strings.TrimSpace(text)
	if !strings.HasSuffix(trimmed, environmentEnd) {
		return text, ""
	}
	at := strings.LastIndex(trimmed, environmentOpen)
	if at < 0 || at > 0 && trimmed[at-1] != '\n' {
		return text, ""
	}
	return strings.TrimRight(trimmed[:at], "\n"), trimmed[at:]
}

// cutTask takes a task out of its frame. around is what the tool put behind it: the files that it mentions.
func cutTask(text string) (typed, around string, ok bool) {
	inside, ok := strings.CutPrefix(strings.TrimSpace(text), "<task>")
	end := strings.LastIndex(inside, "</task>")
	if !ok || end < 0 {
		return "", "", false
	}
	return strings.Trim(inside[:end], "\r\n"), strings.TrimSpace(inside[end+len("</task>"):]), true
}

// replies are the frames of what a person says in answer to a tool.
var replies = []string{"feedback", "user_message", "answer"}

// cutReply takes a person's words out of a result: the frame ends the text, and before it stands nothing but what the tool
// says there.
func cutReply(text string) (before, typed string, ok bool) {
	trimmed := strings.TrimSpace(text)
	for _, tag := range replies {
		body, ends := strings.CutSuffix(trimmed, "</"+tag+">")
		at := strings.Index(body, "<"+tag+">")
		if !ends || at < 0 {
			continue
		}
		before = strings.TrimSpace(body[:at])
		if before == "" || strings.HasPrefix(before, "The user ") || strings.HasPrefix(before, "[TASK RESUMPTION]") {
			return before, strings.Trim(body[at+len(tag)+2:], "\r\n"), true
		}
	}
	return text, "", false
}

// cutResult tells whether a text is the result of a call as older versions wrote it: "[read_file for 'x'] Result:".
func cutResult(text string) (name, body string, ok bool) {
	if !strings.HasPrefix(text, "[") {
		return "", "", false
	}
	end := strings.Index(text, "] Result:")
	if end < 0 || end > 4096 {
		return "", "", false
	}
	name, _, _ = strings.Cut(text[1:end], " ")
	if !toolNames[name] {
		return "", "", false
	}
	return name, strings.TrimLeft(text[end+len("] Result:"):], "\r\n "), true
}

// notices are the beginnings of texts that the tool writes in a person's place.
var notices = []string{"[ERROR]", "[TASK RESUMPTION]", "[NOTE]", "<explicit_instructions", "<file_content ", "<folder_content ", "<slash_command"}

func isNotice(text string) bool {
	for _, open := range notices {
		if strings.HasPrefix(text, open) {
			return true
		}
	}
	return false
}

// toolNames are the tools that older versions let the model call by tags.
var toolNames = setOf("read_file write_to_file replace_in_file apply_diff insert_content search_and_replace search_files " +
	"list_files list_code_definition_names execute_command browser_action use_mcp_tool access_mcp_resource " +
	"ask_followup_question attempt_completion plan_mode_respond plan_mode_response new_task switch_mode condense " +
	"fetch_instructions codebase_search update_todo_list load_mcp_documentation report_bug new_rule web_fetch")

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

// piece is a stretch of an assistant's text.
type piece struct {
	name string // of the tool; "thinking"; empty for plain text
	text string
}

// cutTags parts an assistant's text into thinking, plain text and calls by tags. A tag counts where it begins a line and
// has its end.
func cutTags(text string) []piece {
	var list []piece
	add := func(name, text string) {
		if text = strings.Trim(text, "\r\n"); name != "" || strings.TrimSpace(text) != "" {
			list = append(list, piece{name, text})
		}
	}
	rest, from := text, 0
	for {
		at := strings.IndexByte(rest[from:], '<')
		if at < 0 {
			break
		}
		at += from
		from = at + 1
		if at > 0 && rest[at-1] != '\n' {
			continue
		}
		name, _, ok := strings.Cut(rest[at+1:min(len(rest), at+64)], ">")
		if !ok || !toolNames[name] && name != "thinking" {
			continue
		}
		open, end := at+len(name)+2, strings.Index(rest[at:], "</"+name+">")
		if name != "thinking" {
			end = strings.LastIndex(rest[at:], "</"+name+">") // what it writes may hold the tag itself
		}
		if end < 0 {
			continue
		}
		add("", rest[:at])
		add(name, rest[open:at+end])
		rest, from = rest[at+end+len(name)+3:], 0
	}
	if add("", rest); len(list) == 0 {
		list = append(list, piece{"", text})
	}
	return list
}

// tagged returns what stands in a tag inside of a call by tags.
func tagged(text, tag string) string {
	_, rest, ok := strings.Cut(text, "<"+tag+">")
	end := strings.LastIndex(rest, "</"+tag+">")
	if !ok || end < 0 {
		return ""
	}
	return strings.Trim(rest[:end], "\r\n")
}

// spoken are the arguments with which the model speaks to the person, by tool.
var spoken = map[string]string{
	"attempt_completion": "result", "ask_followup_question": "question",
	"plan_mode_respond": "response", "plan_mode_response": "response",
}

// argument returns one argument of a call, by tags or as JSON.
func argument(input, name string) string {
	if !strings.HasPrefix(strings.TrimSpace(input), "{") {
		return tagged(input, name)
	}
	return object(strings.TrimSpace(input)).Get(name).String()
}
