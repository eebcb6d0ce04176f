package index

import (
	"flag"
	"os"
	"testing"

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

// TestMain keeps the properties short: every try of one makes an index on the disk. -rapid.checks=N asks for more.
func TestMain(m *testing.M) {
	flag.Parse()
	asked := false
	flag.Visit(func(f *flag.Flag) { asked = asked || f.Name == "rapid.checks" })
	if !asked {
		flag.Set("rapid.checks", "20")
	}
	os.Exit(m.Run())
}
