//go:build unix

package service_test

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
)

// limitFiles makes every write of this process fail that would make a file larger than so many bytes: what a full disk
// does, without one.
func limitFiles(bytes uint64) error {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &l); err != nil {
		return err
	}
	l.Cur = bytes
	return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &l)
}

// TestDiskFullAtAnyPoint runs imports, a rebuild, a forget and a compaction on disks that are full after less or more.
// Each ends well or with one clear line; what was there before is whole, and with room again everything is as if nothing
// had been.
func TestDiskFullAtAnyPoint(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a process for each limit")
	}
	base := checked(t)
	for n := range 4 {
		base.write(sessionPath(sessionID(n)), session(sessionID(n), 60, func(i int) string { return fmt.Sprintf("grown %x", i*7919*(n+1)*104729) }))
	}
	undisturbed := base.copied(t)
	undisturbed.imports()
	want := undisturbed.list()
	failed, limits := 0, []int{8, 150}
	if os.Getenv(soakEnv) != "" {
		limits = []int{8, 30, 70, 110, 150, 200, 240, 300}
	}
	for _, what := range []string{"import", "reindex", "compact"} {
		for _, kib := range limits {
			m := base.copied(t)
			cmd, out := m.start(fmt.Sprintf("full %d %s", kib<<10, what), 0)
			said := ""
			for out.Scan() {
				said += out.Text() + "\n"
			}
			cmd.Wait()
			when := fmt.Sprintf("%s with %d KiB", what, kib)
			if code := cmd.ProcessState.ExitCode(); code != 0 {
				failed++
				if code != 1 || strings.Count(said, "\n") != 1 || !strings.Contains(said, "space") && !strings.Contains(said, "too large") {
					t.Errorf("%s: code %d, %q", when, code, said)
				}
			}
			m.whole(when)
			m.imports()
			m.sound(when)
			if got := m.list(); got != want {
				t.Errorf("%s: got\n%s\nwant\n%s", when, got, want)
			}
		}
	}
	if failed == 0 {
		t.Error("no disk was full")
	}
}
