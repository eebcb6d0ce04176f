//go:build unix

package archive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// TestReadInAFolderThatCannotBeWrittenTo reads as a user without rights in the folder, with and without a WAL in it. A
// WAL alone, without the file that SQLite keeps beside it, cannot be read there, and the error says what to do.
func TestReadInAFolderThatCannotBeWrittenTo(t *testing.T) {
	if runtime.GOOS == "darwin" {
		t.Skip("temporary folders of another user cannot be entered")
	}
	for _, state := range []string{"closed", "open", "cut short"} {
		t.Run(state, func(t *testing.T) {
			dir, err := os.MkdirTemp("", "lore-archive-*")
			if err != nil {
				t.Fatal(err)
			}
			defer os.RemoveAll(dir)
			w := newWriter(t, dir)
			keep(t, w, File{Source: "s", Path: "~/a"}, lineBytes(1, 1000), true)
			if err := w.Commit(); err != nil {
				t.Fatal(err)
			}
			switch state {
			case "closed":
				w.Close()
			case "cut short":
				os.Remove(filepath.Join(dir, fileName+"-shm"))
			}
			size := len(lineBytes(1, 1000))
			names, _ := filepath.Glob(filepath.Join(dir, "*"))
			for _, name := range names {
				os.Chmod(name, 0o444)
			}
			os.Chmod(dir, 0o555)
			defer os.Chmod(dir, 0o700)
			binary := filepath.Join(os.TempDir(), filepath.Base(dir)+".test")
			copyBinary(t, binary)
			defer os.Remove(binary)
			cmd := exec.Command(binary)
			cmd.Dir = "/"
			cmd.Env = []string{childEnv + "=read=" + dir}
			if os.Geteuid() == 0 {
				cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
			}
			out, err := cmd.CombinedOutput()
			if state == "cut short" {
				if err == nil || !strings.Contains(string(out), "copy the whole folder") {
					t.Errorf("%v, %q", err, out)
				}
				return
			}
			if want := fmt.Sprintf("~/a %d\n", size); err != nil || string(out) != want {
				t.Errorf("%v, %q, want %q", err, out, want)
			}
		})
	}
}

// copyBinary copies this test's binary to where every user can run it.
func copyBinary(t *testing.T, to string) {
	b, err := os.ReadFile(os.Args[0])
	if err == nil {
		err = os.WriteFile(to, b, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// childLimit keeps files until the limit of a file's size is reached. It says how many commits went through.
func childLimit(dir string) error {
	w, err := OpenWriter(dir, Options{})
	if err != nil {
		return err
	}
	limit := syscall.Rlimit{Cur: 3 << 20, Max: 3 << 20}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	for i := 0; ; i++ {
		content := lineBytes(uint64(i), 1_000_000)
		k, err := w.Keep(context.Background(), KeepRequest{File: File{Source: "s", Path: fmt.Sprint(i)}, Content: bytes.NewReader(content), Lines: true})
		if err == nil {
			err = w.Commit()
		}
		if err == nil {
			fmt.Println(k.Snapshot.ID)
			continue
		}
		if !errors.Is(err, ErrFull) {
			return fmt.Errorf("not ErrFull: %w", err)
		}
		if again := w.Commit(); again == nil || again.Error() != err.Error() {
			return fmt.Errorf("the failure was forgotten: %v", again)
		}
		if again := w.Close(); !errors.Is(again, ErrFull) {
			return fmt.Errorf("the failure was forgotten by Close: %v", again)
		}
		fmt.Println("full")
		return nil
	}
}

// TestNoSpaceLeft: a write that does not go through is a clear error, what was committed before it is whole, and the
// next import goes on.
func TestNoSpaceLeft(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and of one goroutine")
	}
	dir := t.TempDir()
	_, out := startChild(t, "limit", dir)
	var said []string
	for out.Scan() {
		said = append(said, out.Text())
	}
	if n := len(said); n < 2 || said[n-1] != "full" {
		t.Fatalf("the other process says %q", strings.Join(said, "\n"))
	}
	w := newWriter(t, dir)
	files, err := w.Files()
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < len(said)-1 {
		t.Errorf("%d files, %d were committed", len(files), len(said)-1)
	}
	for i, f := range files {
		wantContent(t, w.Archive, f.Snapshot, lineBytes(uint64(i), 1_000_000))
	}
	wantSound(t, w.Archive)
	keep(t, w, File{Source: "s", Path: "next"}, []byte("goes on\n"), true)
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}

func TestPermissions(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "lore")
	old := syscall.Umask(0)
	defer syscall.Umask(old)
	w := newWriter(t, dir)
	keep(t, w, File{Source: "s", Path: "~/a"}, []byte("x"), true)
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	names, _ := filepath.Glob(filepath.Join(dir, "*"))
	if len(names) < 3 {
		t.Errorf("only %q", names)
	}
	for _, name := range append(names, dir) {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		want := os.FileMode(0o600)
		if name == dir {
			want = 0o700
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has mode %o, want %o", filepath.Base(name), got, want)
		}
	}
}

func TestStatOf(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	write := func(s string) Stat {
		t.Helper()
		if err := os.WriteFile(path, []byte(s), 0o600); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return StatOf(info)
	}
	s := write("abc")
	if s.Size != 3 || s.MTime == 0 || s.CTime == 0 || s.Inode == 0 {
		t.Errorf("%+v", s)
	}
	if !s.Same(s) || !s.Same(Stat{Size: s.Size, MTime: s.MTime}) {
		t.Error("not the same as itself")
	}
	for _, other := range []Stat{
		{Size: 4, MTime: s.MTime, CTime: s.CTime, Inode: s.Inode},
		{Size: 3, MTime: s.MTime + 1, CTime: s.CTime, Inode: s.Inode},
		{Size: 3, MTime: s.MTime, CTime: s.CTime + 1, Inode: s.Inode},
		{Size: 3, MTime: s.MTime, CTime: s.CTime, Inode: s.Inode + 1},
	} {
		if s.Same(other) {
			t.Errorf("%+v is the same as %+v", s, other)
		}
	}
}
