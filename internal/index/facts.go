package index

import (
	"bytes"
	"strings"

	"lore"
)

// Some facts about a message are terms of their own kind, so that a filter is a posting list like any other. They begin
// with a control byte, which no word has, and a letter for what they are; the value follows as the source wrote it.
const (
	termTool    = "\x01t" // name of a tool that was called
	termFile    = "\x01f" // path of a file that a call names
	termModel   = "\x01m" // model that wrote the message
	termSubtype = "\x01s"
	termError   = "\x01e" // a call that failed, by the tool's name
)

// fileKeys are the keys under which a call's input names files.
var fileKeys = map[string]bool{
	"file_path": true, "filePath": true, "filepath": true, "path": true, "notebook_path": true, "target_file": true,
	"relative_workspace_path": true, "absolute_path": true, "file": true, "filename": true, "old_path": true,
	"new_path": true, "targetFile": true, "uri": true, "files": true, "paths": true,
}

// patchMarks begin the lines by which a patch names files.
var patchMarks = []string{"*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: "}

// touchedFiles calls f for each path that a call's input names.
func touchedFiles(p *lore.Part, searchable string, f func(path string)) {
	if strings.HasPrefix(p.Text, "{") || strings.HasPrefix(p.Text, "[") {
		scanJSON([]byte(p.Text), func(key, value []byte) bool {
			if len(value) <= 512 && fileKeys[string(key)] && looksLikePath(value) {
				f(unescape(value))
			}
			return true
		})
	}
	if !strings.Contains(searchable, "*** ") {
		return
	}
	for _, mark := range patchMarks {
		for rest := searchable; ; {
			_, after, ok := strings.Cut(rest, mark)
			if !ok {
				break
			}
			path, _, _ := strings.Cut(after, "\n")
			if path = strings.TrimSpace(path); path != "" && len(path) <= 512 {
				f(path)
			}
			rest = after
		}
	}
}

func looksLikePath(v []byte) bool {
	return len(v) > 0 && !bytes.ContainsAny(v, "\n\t") && !bytes.Contains(v, []byte(`\n`))
}
