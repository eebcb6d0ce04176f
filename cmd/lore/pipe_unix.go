//go:build unix

package main

import (
	"os/signal"
	"syscall"
)

// ignoreClosedPipe turns the signal of a pipe whose reader has gone into an error of the write, which ends the command
// quietly.
func ignoreClosedPipe() { signal.Ignore(syscall.SIGPIPE) }
