package codex

import (
	"testing"

	"lore/adapter/adaptertest"
)

func TestContract(t *testing.T) {
	adaptertest.Run(t, New(), adaptertest.Options{Homes: map[string]string{"state": stateHome(t, stateRows...)}})
}

func FuzzRead(f *testing.F) { adaptertest.Fuzz(f, New()) }
