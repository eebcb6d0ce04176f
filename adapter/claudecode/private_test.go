package claudecode

import (
	"fmt"
	"os"
	"testing"
)

// TestPrivateHome renders a home that a developer names, e.g. a case of the hard inputs.
func TestPrivateHome(t *testing.T) {
	home := os.Getenv("LORE_TEST_HOME")
	if home == "" {
		t.Skip("LORE_TEST_HOME names no home")
	}
	root, err := os.OpenRoot(home)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	text := outlineHome(t, root.FS(), 0)
	fmt.Print(text)
	if again := outlineHome(t, root.FS(), 1); again != text {
		t.Errorf("read in small pieces it is another record:\n%s", again)
	}
}
