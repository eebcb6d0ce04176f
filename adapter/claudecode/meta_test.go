package claudecode

import (
	"errors"
	"testing"
	"testing/fstest"

	"lore"
	"lore/adapter"
)

func TestMetaFileNamedAlone(t *testing.T) {
	read := func(text string) (*lore.Conversation, error) {
		const name = "agent-1.meta.json"
		in := adapter.Input{Source: adapter.Source{Product: source, Path: name}, FS: fstest.MapFS{name: {Data: []byte(text)}}}
		for c, err := range New().Read(t.Context(), in) {
			return c, err
		}
		return nil, nil
	}
	c, err := read(`{"agentType":"general-purpose","spawnDepth":1}`)
	if err != nil || !c.Partial || c.Ledger.Units != 1 || !c.Ledger.Balanced() {
		t.Errorf("got %+v, %v; want a partial record of one unit", c, err)
	}
	if _, err := read(`{"agentType":"explore","parentSessionId":"s"}`); !errors.Is(err, adapter.ErrNotMine) {
		t.Errorf("another tool's file: %v", err)
	}
}
