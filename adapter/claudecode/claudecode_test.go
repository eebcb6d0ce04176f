package claudecode

import (
	"testing"

	"lore/adapter/adaptertest"
)

// options says what in the test data the contract's suite has to know.
var options = adaptertest.Options{
	MayMove: map[string]string{
		"queue":  "a queued prompt gets the id of its user record when that is written",
		"damage": "a copy and its original are told apart by what stands before them",
	},
}

func TestContract(t *testing.T) { adaptertest.Run(t, New(), options) }

func FuzzRead(f *testing.F) { adaptertest.Fuzz(f, New()) }
