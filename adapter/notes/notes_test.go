package notes

import (
	"testing"

	"lore/adapter/adaptertest"
)

func TestContract(t *testing.T) { adaptertest.Run(t, New(), adaptertest.Options{}) }

func FuzzRead(f *testing.F) { adaptertest.Fuzz(f, New()) }
