//go:build !windows

package cli

import "io"

// enableColor: other systems' terminals obey escape sequences by themselves.
func enableColor(io.Writer) bool { return true }
