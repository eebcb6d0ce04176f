package cli

import (
	"io"
	"os"

	"golang.org/x/sys/windows"
)

// enableColor asks the console to obey escape sequences; false when it cannot.
func enableColor(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	var mode uint32
	console := windows.Handle(f.Fd())
	if windows.GetConsoleMode(console, &mode) != nil {
		return false
	}
	return windows.SetConsoleMode(console, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
