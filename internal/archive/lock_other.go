//go:build !windows && (!unix || aix || solaris)

package archive

import (
	"errors"
	"os"
)

// lockFile cannot lock here, and an import without a lock could destroy another.
func lockFile(*os.File) error { return errors.ErrUnsupported }
