package main

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"lore"
	"lore/adapter/adaptertest"
)

// TestContract: an adapter outside of lore passes the suite that lore's own pass.
func TestContract(t *testing.T) { adaptertest.Run(t, talk{}, adaptertest.Options{}) }

func TestRun(t *testing.T) {
	var out bytes.Buffer
	if err := run(context.Background(), "testdata/lamp/home/.talk", &out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 4 {
		t.Fatalf("%d lines, want two messages, a conversation and a loss:\n%s", len(lines), out.String())
	}
	var m struct{ ID string }
	if err := json.Unmarshal([]byte(lines[0]), &m); err != nil || m.ID != lore.MessageID(lore.ConversationID(source, "lamp"), "m1").String() {
		t.Errorf("%v: %s", err, lines[0])
	}
	if !strings.Contains(lines[2], `"title":"Why does the lamp flicker?"`) || !strings.Contains(lines[3], `"code":"unknown_record"`) {
		t.Errorf("%s\n%s", lines[2], lines[3])
	}
}
