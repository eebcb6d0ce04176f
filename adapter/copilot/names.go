package copilot

import "strings"

// contributed are the tools that the chat's answer and the model's calls name differently, by the model's name. All others
// differ in nothing but letters' case, underscores and a prefix.
var contributed = map[string]string{
	"semantic_search":              "copilot_searchCodebase",
	"file_search":                  "copilot_findFiles",
	"grep_search":                  "copilot_findTextInFiles",
	"list_dir":                     "copilot_listDirectory",
	"insert_edit_into_file":        "copilot_insertEdit",
	"replace_string_in_file":       "copilot_replaceString",
	"multi_replace_string_in_file": "copilot_multiReplaceString",
	"edit_notebook_file":           "copilot_editNotebook",
	"test_search":                  "copilot_findTestFiles",
	"get_search_view_results":      "copilot_getSearchResults",
	"run_tests":                    "copilot_runTests1",
}

// sameTool reports whether the name that an answer shows and the one that the model called are of one tool.
func sameTool(shown, called string) bool {
	return shown == called || contributed[called] == shown || shown != "" && plainTool(shown) == plainTool(called)
}

func plainTool(name string) string {
	name = strings.TrimPrefix(strings.TrimPrefix(name, "copilot_"), "vscode_")
	return strings.ToLower(strings.ReplaceAll(name, "_", ""))
}

// callMark stands before the number that the editor puts behind the ids of calls.
const callMark = "__vscode-"

// plainCall returns the id of a call as the model gave it.
func plainCall(id string) string {
	id, _, _ = strings.Cut(id, callMark)
	return id
}
