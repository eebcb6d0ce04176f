package archive

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

// childEnv tells this test binary to be another process: what to do, and in which folder.
const childEnv = "LORE_ARCHIVE_TEST_CHILD"

func TestMain(m *testing.M) {
	if what, dir, ok := strings.Cut(os.Getenv(childEnv), "="); ok {
		if err := children[what](dir); err != nil {
			fmt.Println("error:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

var children = map[string]func(dir string) error{
	"hold":   childHold,
	"import": childImport,
	"read":   childRead,
	"limit":  childLimit,
}

// startChild starts this binary as another process and returns it with its output.
func startChild(t *testing.T, what, dir string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+what+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	return cmd, bufio.NewScanner(out)
}

// childHold opens the archive for writing and waits to be killed.
func childHold(dir string) error {
	if _, err := OpenWriter(dir, Options{}); err != nil {
		return err
	}
	fmt.Println("held")
	select {}
}

func TestLockNamesItsHolderAndDiesWithIt(t *testing.T) {
	dir := t.TempDir()
	child, out := startChild(t, "hold", dir)
	if !out.Scan() || out.Text() != "held" {
		t.Fatalf("the other process says %q", out.Text())
	}
	_, err := OpenWriter(dir, Options{})
	var busy *BusyError
	if !errors.Is(err, ErrBusy) || !errors.As(err, &busy) || busy.PID != child.Process.Pid {
		t.Fatalf("%v, want ErrBusy with process %d", err, child.Process.Pid)
	}
	if !strings.Contains(err.Error(), strconv.Itoa(child.Process.Pid)) {
		t.Errorf("%q does not name the process", err)
	}
	child.Process.Kill()
	child.Wait()
	w, err := OpenWriter(dir, Options{})
	if err != nil {
		t.Fatalf("after the holder was killed: %v", err)
	}
	w.Close()
}

// childImport keeps growing files until it is killed, and says after each commit how far it is: file, snapshot, size.
func childImport(dir string) error {
	w, err := OpenWriter(dir, Options{})
	if err != nil {
		return err
	}
	known, err := w.Files()
	if err != nil {
		return err
	}
	var files [3]File
	for n := range files {
		files[n] = File{Source: "s", Store: "t", Path: strconv.Itoa(n)}
		for _, f := range known {
			if f.Path == files[n].Path {
				files[n] = f
			}
		}
	}
	fmt.Println("open")
	r := rand.New(rand.NewPCG(uint64(os.Getpid()), 0))
	for {
		n := r.IntN(3)
		f := &files[n]
		f.Stat.Size += 1 + int64(r.IntN(400_000))
		k, err := w.Keep(context.Background(), KeepRequest{File: *f, Content: bytes.NewReader(killedContent(n, f.Stat.Size)), Lines: true})
		if err != nil {
			return err
		}
		*f = k.File
		if err := w.Commit(); err != nil {
			return err
		}
		fmt.Println(n, k.Snapshot.ID, k.Snapshot.Size)
	}
}

var killedContents = map[int][]byte{}

// killedContent is the content of file n when it has a size. It is short of new bytes after some MB and begins again.
func killedContent(n int, size int64) []byte {
	if killedContents[n] == nil {
		killedContents[n] = lineBytes(uint64(n), 2_000_000)
	}
	c := killedContents[n]
	for int64(len(c)) < size {
		c = append(c, killedContents[n]...)
	}
	return c[:size]
}

// TestKilledAtAnyMoment: what was committed is there, byte for byte, and the archive is sound, when the importing
// process dies without warning.
func TestKilledAtAnyMoment(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and of one goroutine: nothing for the race detector")
	}
	dir := t.TempDir()
	r := rand.New(rand.NewPCG(1, 2))
	committed := map[int64][2]int64{} // snapshot: file, size
	for range 6 {
		child, out := startChild(t, "import", dir)
		if !out.Scan() || out.Text() != "open" {
			t.Fatalf("the other process says %q", out.Text())
		}
		time.AfterFunc(time.Duration(r.IntN(300))*time.Millisecond, func() { child.Process.Kill() })
		for out.Scan() {
			var n, id, size int64
			if _, err := fmt.Sscan(out.Text(), &n, &id, &size); err != nil {
				t.Fatalf("the other process says %q", out.Text())
			}
			committed[id] = [2]int64{n, size}
		}
		child.Wait()
		a := openArchive(t, dir)
		wantSound(t, a)
		for id, c := range committed {
			wantContent(t, a, id, killedContent(int(c[0]), c[1]))
		}
		a.Close()
	}
	w := newWriter(t, dir)
	if _, err := w.Sweep(context.Background()); err != nil {
		t.Fatal(err)
	}
	if r := wantSound(t, w.Archive); r.Unused != 0 {
		t.Errorf("%d blocks unused after the sweep", r.Unused)
	}
	for id, c := range committed {
		wantContent(t, w.Archive, id, killedContent(int(c[0]), c[1]))
	}
}

// childRead reads the archive whole, for a user who cannot write there.
func childRead(dir string) error {
	a, err := Open(dir, Options{})
	if err != nil {
		return err
	}
	files, err := a.Files()
	if err != nil {
		return err
	}
	for _, f := range files {
		r, err := a.OpenSnapshot(f.Snapshot)
		if err != nil {
			return err
		}
		n, err := io.Copy(io.Discard, r)
		if err != nil {
			return err
		}
		fmt.Println(f.Path, n)
	}
	return a.Close()
}
