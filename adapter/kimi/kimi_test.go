package kimi

import (
	"testing"

	"lore/adapter/adaptertest"
)

func TestContract(t *testing.T) {
	adaptertest.Run(t, New(), adaptertest.Options{MayMove: map[string]string{
		"both": "what the memory remembers has no id until the log says it",
	}})
}

func FuzzRead(f *testing.F) { adaptertest.Fuzz(f, New()) }
