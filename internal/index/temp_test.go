package index

import (
	"os"

	"pgregory.net/rapid"
)

// tempDir is a folder that goes with one try of a property.
func tempDir(t *rapid.T) string {
	dir, err := os.MkdirTemp("", "index")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}
