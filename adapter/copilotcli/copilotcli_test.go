package copilotcli

import (
	"testing"

	"lore/adapter/adaptertest"
)

func TestContract(t *testing.T) {
	adaptertest.Run(t, New(), adaptertest.Options{Homes: map[string]string{"database": databaseHome(t, databaseRows...)}})
}

func FuzzRead(f *testing.F) { adaptertest.Fuzz(f, New()) }
