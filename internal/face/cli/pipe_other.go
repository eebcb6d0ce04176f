//go:build !windows

package cli

import "syscall"

// errNoData is a second name for a pipe without a reader; only Windows has two.
const errNoData = syscall.EPIPE
