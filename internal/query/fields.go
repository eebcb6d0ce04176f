package query

import (
	"slices"
	"strings"
)

// field is what the language knows of a name before a colon.
type field struct {
	field  Field
	time   timeOp   // for the fields of time, which have no Field
	values []string // the valid values, in the order in which an error names them; nil: any
}

type timeOp uint8

const (
	noTime timeOp = iota
	since
	after
	until
	before
	on
)

// The valid values of the enumerated fields, besides those of source:, which Env has.
var (
	RoleValues = []string{"user", "assistant", "tool", "system"}
	KindValues = []string{"text", "thinking", "call", "result", "image", "file", "unknown"}
	TypeValues = []string{"main", "subagent", "automation"}

	// HasValues: the message has a part of that kind; error: a result that failed; loss, mark, tag, note, usage: the
	// conversation or the message has one.
	HasValues = []string{"call", "error", "file", "image", "loss", "mark", "note", "result", "tag", "thinking", "usage"}

	// IsValues: active and inactive messages; queued prompts; archived by the source tool, gone from the source, marked
	// by the user, a fork or continuation of another conversation.
	IsValues = []string{"active", "inactive", "queued", "archived", "gone", "marked", "starred", "fork", "continuation"}
)

// fields are the fields by name, aliases included.
var fields = map[string]field{
	"source": {field: Source}, "agent": {field: Source},
	"store":   {field: Store},
	"project": {field: Project}, "cwd": {field: Project},
	"repo":   {field: Repo},
	"branch": {field: Branch},
	"role":   {field: Role, values: RoleValues},
	"kind":   {field: Kind, values: KindValues},
	"type":   {field: Type, values: TypeValues},
	"model":  {field: Model},
	"title":  {field: Title},
	"file":   {field: File},
	"tool":   {field: Tool},
	"tag":    {field: Tag},
	"has":    {field: Has, values: HasValues},
	"is":     {field: Is, values: IsValues},
	"id":     {field: ID},
	"path":   {field: Path},
	"since":  {time: since},
	"after":  {time: after},
	"until":  {time: until},
	"before": {time: before},
	"on":     {time: on},
}

// IsField reports whether a name before a colon is a field's.
func IsField(name string) bool {
	_, ok := fields[name]
	return ok
}

// otherWords are names that people may try, with the field that they want.
var otherWords = map[string]string{
	"author": "role", "speaker": "role", "from": "role",
	"dir": "project", "directory": "project", "folder": "project", "workspace": "project",
	"repository": "repo", "remote": "repo",
	"session": "id", "conversation": "id", "message": "id",
	"date": "on", "day": "on", "time": "on", "newer": "since", "older": "before", "to": "until",
	"name": "title", "subject": "title", "filename": "file", "ext": "file", "label": "tag",
	"in": "project", "provider": "source", "app": "source", "command": "tool",
}

// shortNames are short names of sources, taken where the frozen name is a valid one.
var shortNames = map[string]string{
	"claude": "claude-code", "gemini": "gemini-cli", "qwen": "qwen-code", "vscode": "copilot",
}

// nearestField returns the field whose name was meant by a name that is none, or "".
func nearestField(name string) string {
	low := strings.ToLower(name)
	if _, ok := fields[low]; ok {
		return low
	}
	if f, ok := otherWords[low]; ok {
		return f
	}
	names := make([]string, 0, len(fields))
	for n := range fields {
		names = append(names, n)
	}
	slices.Sort(names)
	return nearest(low, names)
}

// nearest returns the name that is one slip away from the word, two for a word of six letters or more; "" when none is.
func nearest(word string, names []string) string {
	best, least := "", 2
	if len(word) >= 6 {
		least = 3
	}
	for _, n := range names {
		if d := distance(word, n, least); d < least {
			best, least = n, d
		}
	}
	return best
}

// distance counts the insertions, deletions, changes and swaps of neighbours that lead from a to b, up to limit.
func distance(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	rows := [3][]int{make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)}
	for j := range rows[1] {
		rows[1][j] = j
	}
	for i := range len(a) {
		old, prev, row := rows[i%3], rows[(i+1)%3], rows[(i+2)%3]
		row[0] = i + 1
		for j := range len(b) {
			change := 1
			if a[i] == b[j] {
				change = 0
			}
			row[j+1] = min(prev[j+1]+1, row[j]+1, prev[j]+change)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], old[j-1]+1)
			}
		}
	}
	return min(rows[(len(a)+1)%3][len(b)], limit)
}

// listed returns the names as a sentence has them: "a, b or c".
func listed(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}
