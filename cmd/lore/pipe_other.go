//go:build !unix

package main

// ignoreClosedPipe: other systems have no such signal.
func ignoreClosedPipe() {}
