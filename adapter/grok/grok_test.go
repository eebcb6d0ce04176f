package grok

import (
	"testing"

	"lore/adapter/adaptertest"
)

func TestContract(t *testing.T) {
	adaptertest.Run(t, New(), adaptertest.Options{MayMove: map[string]string{
		"session": "until the history says them, answers are known from the updates, which name them otherwise",
	}})
}

func FuzzRead(f *testing.F) { adaptertest.Fuzz(f, New()) }
