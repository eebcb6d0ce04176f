package claudecode_test

import (
	"context"
	"fmt"
	"testing/fstest"

	"lore"
	"lore/adapter"
	"lore/adapter/claudecode"
)

// One file is read and sealed without an archive.
func Example() {
	const name = "projects/-proj-lantern/0bd34928-0000-4000-8000-000000000001.jsonl"
	files := fstest.MapFS{name: {Data: []byte(`{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"0bd34928-0000-4000-8000-000000000001","cwd":"/proj/lantern","timestamp":"2026-03-02T09:00:00.000Z","message":{"role":"user","content":"Why does the lamp flicker?"}}` + "\n")}}
	info, err := files.Stat(name)
	if err != nil {
		fmt.Println(err)
		return
	}
	in := adapter.Input{FS: files, Place: "~/.claude", Source: adapter.Source{Product: "claude-code", Store: "projects", Path: name, Info: info}}
	for c, err := range claudecode.New().Read(context.Background(), in) {
		if err != nil {
			fmt.Println(err)
			return
		}
		lore.Seal(c)
		fmt.Println(c.ID.Short(), c.Project.Name)
		fmt.Println(c.Messages[0].Role, c.Messages[0].Parts[0].Text)
	}
	// Output:
	// 9n8eg04dl0vv lantern
	// user Why does the lamp flicker?
}
