//go:build !unix

package archive

import "testing"

func reportCPU(*testing.B) func() { return func() {} }
