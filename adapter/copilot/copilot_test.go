package copilot

import (
	"testing"

	"lore/adapter/adaptertest"
)

func TestContract(t *testing.T) {
	adaptertest.Run(t, New(), adaptertest.Options{Homes: map[string]string{
		"index": stateDB(t, ".config/Code/User", `{"version":1,"entries":{"7a00-0001":{"sessionId":"7a00-0001","title":"Weighing"},"0":{"title":"New Chat","isEmpty":true}}}`),
	}})
}

func FuzzRead(f *testing.F) { adaptertest.Fuzz(f, New()) }
