//go:build unix

package archive

import (
	"syscall"
	"testing"
)

// reportCPU reports the CPU time that passes until its result is called.
func reportCPU(b *testing.B) func() {
	start := cpuTime()
	return func() { b.ReportMetric((cpuTime()-start)/float64(b.N)*1e3, "cpu-ms/op") }
}

func cpuTime() float64 {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return float64(u.Utime.Sec+u.Stime.Sec) + float64(u.Utime.Usec+u.Stime.Usec)/1e6
}
