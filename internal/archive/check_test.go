package archive

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCheckNamesWhatIsWrong damages an archive in one way after the other. Each is found, by the walk or by the full
// check, and what it says names the thing and the file that suffers.
func TestCheckNamesWhatIsWrong(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and of one goroutine")
	}
	for name, tt := range map[string]struct {
		damage string
		full   bool // only the full check sees it
		want   string
	}{
		"a block is missing":              {"DELETE FROM block WHERE id = 2", false, `block 2 of "~/a": it is missing`},
		"a block has another size":        {"UPDATE block SET size = size - 1 WHERE id = 2", false, `block 2 of "~/a": it has`},
		"a block's bytes are flipped":     {"UPDATE block SET data = CAST(substr(data, 1, 2000) || x'00' || substr(data, 2002) AS BLOB) WHERE id = 2", true, `block 2 of "~/a": `},
		"a block is another one":          {"UPDATE block SET data = (SELECT data FROM block WHERE id = 1), size = (SELECT size FROM block WHERE id = 1) WHERE id = 3", false, `block 3 of "~/a": `},
		"a block has another hash":        {"UPDATE block SET hash = zeroblob(32) WHERE id = 2", true, `block 2 of "~/a": its bytes do not have the hash 00`},
		"a block has an unknown form":     {"UPDATE block SET codec = 9 WHERE id = 2", true, `block 2 of "~/a": stored in the unknown form 9`},
		"a list is flipped":               {"UPDATE chain SET list = CAST(substr(list, 1, 8) || x'7e' || substr(list, 10) AS BLOB) WHERE id = 1", false, `chain 1 of "~/a": block list: wrong sum`},
		"a list is missing":               {"DELETE FROM chain WHERE id = 1", false, `chain 1 of "~/a": it is missing`},
		"a list is another one":           {"UPDATE chain SET list = (SELECT list FROM chain WHERE id = 2) WHERE id = 1", false, `chain 1 of "~/a": its row and its block list differ`},
		"a chain is shorter":              {"UPDATE snapshot SET size = 1e9 WHERE id = 1", false, `snapshot 1 of "~/a": it has`},
		"a snapshot has another sum":      {"UPDATE snapshot SET sum = sum + 1 WHERE id = 1", true, `snapshot 1 of "~/a": its bytes have another sum`},
		"a snapshot has no file":          {"DELETE FROM file WHERE id = 1", false, `snapshot 1: its file 1 is missing`},
		"a snapshot extends nothing":      {"UPDATE snapshot SET extends = 1 WHERE id = 2", false, `snapshot 2 of "~/b": it cannot extend`},
		"a file names an old snapshot":    {"UPDATE file SET snapshot = 1 WHERE id = 2", false, `file 2 of "~/b": its newest snapshot is 2, its row says 1`},
		"a store is missing":              {"DELETE FROM store", false, `file 1 of "~/a": its store is missing`},
		"filters are missing":             {"DELETE FROM filter", false, `filter 1 of "~/a": a chain's filters are missing`},
		"filters are flipped":             {"UPDATE filter SET data = CAST(substr(data, 1, 500) || x'0102' || substr(data, 503) AS BLOB)", false, `filter 1 of "~/a": a chain's filters`},
		"filters cannot be read":          {"UPDATE filter SET data = x'07'", false, `filter 1: filters: unknown form`},
		"the hashes lost their index row": {"PRAGMA writable_schema=1; UPDATE sqlite_schema SET rootpage = 3 WHERE name = 'snapshot_file'", false, "database"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			w := newWriter(t, dir)
			keep(t, w, File{Source: "s", Path: "~/a"}, lineBytes(1, 500_000), true)
			keep(t, w, File{Source: "s", Path: "~/b"}, lineBytes(2, 50_000), true)
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			tamper(t, dir, "PRAGMA foreign_keys=0; "+tt.damage)
			a := openArchive(t, dir)
			for _, full := range []bool{false, true} {
				r, err := a.Check(context.Background(), full)
				if err != nil && !errors.Is(err, ErrDamaged) {
					t.Fatal(err)
				}
				said := ""
				if err != nil {
					said = "database: " + err.Error()
				}
				for _, f := range r.Faults {
					said += f.String() + "\n"
				}
				switch {
				case tt.full && !full:
					if said != "" {
						t.Errorf("the walk says %q", said)
					}
				case !strings.Contains("\n"+said, "\n"+tt.want):
					t.Errorf("full=%v: %q, want %q", full, said, tt.want)
				}
			}
		})
	}
}

// TestDamageIsNeverRead: what is not as it was kept is an error of the reader, and of the search, never other bytes.
func TestDamageIsNeverRead(t *testing.T) {
	for name, damage := range map[string]string{
		"a flipped block": "UPDATE block SET data = CAST(substr(data, 1, 2000) || x'00' || substr(data, 2002) AS BLOB) WHERE id = 2",
		"no block":        "DELETE FROM block WHERE id = 2",
		"another block":   "UPDATE block SET data = (SELECT data FROM block WHERE id = 1), size = (SELECT size FROM block WHERE id = 1) WHERE id = 2",
		"a flipped list":  "UPDATE chain SET list = CAST(substr(list, 1, 8) || x'7e' || substr(list, 10) AS BLOB) WHERE id = 1",
		"no list":         "DELETE FROM chain WHERE id = 1",
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			w := newWriter(t, dir)
			k := keep(t, w, File{Source: "s", Path: "~/a"}, lineBytes(1, 500_000), true)
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			tamper(t, dir, "PRAGMA foreign_keys=0; "+damage)
			a := openArchive(t, dir)
			r, err := a.OpenSnapshot(k.Snapshot.ID)
			if err == nil {
				_, err = io.Copy(io.Discard, r)
			}
			if !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrUnknown) {
				t.Errorf("reading: %v", err)
			}
			if name == "no list" {
				return // the search does not see the file
			}
			err = a.SearchRaw(context.Background(), Needle{}, func(*Line) error { return nil })
			if !errors.Is(err, ErrDamaged) {
				t.Errorf("searching: %v", err)
			}
		})
	}
}

// TestLostFiltersHideNothing: without its filters, or with those of another state, an archive is searched whole.
func TestLostFiltersHideNothing(t *testing.T) {
	content := lineBytes(1, 900_000)
	n := Needle{Literals: [][]byte{content[700_000:700_030]}}
	for name, damage := range map[string]string{
		"all":      "DELETE FROM filter",
		"the last": "DELETE FROM filter WHERE id = (SELECT max(id) FROM filter)",
		"bytes":    "UPDATE filter SET data = CAST(substr(data, 1, 100) || zeroblob(length(data) - 100) AS BLOB)",
		"the form": "UPDATE filter SET data = x'0201'",
		"nothing":  "UPDATE filter SET data = x''",
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			w := newWriter(t, dir)
			f := keep(t, w, File{Source: "s", Path: "~/a"}, content[:400_000], true).File
			if err := w.Commit(); err != nil {
				t.Fatal(err)
			}
			keep(t, w, f, content, true)
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			tamper(t, dir, damage)
			a := openArchive(t, dir)
			if got := search(t, a, n); len(got) != 1 {
				t.Errorf("found %d lines, want 1", len(got))
			}
		})
	}
}

// TestFlippedBytesOfTheFile flips bytes of the database file itself. Nothing panics, and nothing is read that was not
// kept.
func TestFlippedBytesOfTheFile(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and of one goroutine")
	}
	dir := t.TempDir()
	w := newWriter(t, dir)
	content := lineBytes(1, 300_000)
	k := keep(t, w, File{Source: "s", Path: "~/a"}, content, true)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, fileName)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for at := 0; at < len(good); at += 1 + len(good)/150 {
		bad := append([]byte(nil), good...)
		bad[at] ^= 0x55
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		a, err := Open(dir, Options{})
		if err != nil {
			continue
		}
		if r, err := a.OpenSnapshot(k.Snapshot.ID); err == nil {
			if got, err := io.ReadAll(r); err == nil && string(got) != string(content) {
				t.Errorf("byte %d flipped: other bytes were read", at)
			}
		}
		a.Files()
		a.Check(context.Background(), true)
		a.SearchRaw(context.Background(), Needle{Literals: [][]byte{[]byte("retry 5")}}, func(*Line) error { return nil })
		a.Close()
	}
}

func FuzzDecodeList(f *testing.F) {
	var l list
	for i := range 5 {
		l.add(entry{id: int64(3 * (i + 1)), size: 1000 * (i + 1), lines: i, open: i == 4, eol: i < 4})
	}
	l.prints = []uint64{1, 2}
	f.Add(l.encode())
	f.Add((&list{}).encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		l, err := decodeList(b)
		if err != nil {
			if !errors.Is(err, ErrDamaged) {
				t.Errorf("%v is not ErrDamaged", err)
			}
			return
		}
		again, err := decodeList(l.encode())
		if err != nil || again.size() != l.size() || len(again.entries) != len(l.entries) {
			t.Errorf("%v; %d bytes in %d blocks became %d in %d", err, l.size(), len(l.entries), again.size(), len(again.entries))
		}
	})
}

func FuzzDecodePack(f *testing.F) {
	f.Add(encodePack([]filterEntry{{chain: 1, first: 0, n: 3, filter: []byte{1, 2, 3}}, {chain: 7, first: 9, n: 1}}))
	f.Add(encodePack(nil))
	find := newFinder([][]byte{[]byte("abc"), []byte("x")}, true)
	f.Fuzz(func(t *testing.T, b []byte) {
		entries, err := decodePack(b)
		if err != nil && !errors.Is(err, ErrDamaged) {
			t.Errorf("%v is not ErrDamaged", err)
		}
		target := &target{blocks: 5}
		for _, e := range current(entries) {
			target.take(find, e)
		}
		target.ruledOut()
		var l list
		for i := range target.blocks {
			l.add(entry{id: int64(i + 1), size: 1})
		}
		target.list = &l
		target.ranges()
	})
}

func FuzzDecompress(f *testing.F) {
	f.Add(compress(nil, lineBytes(1, 1000)), 1000)
	f.Add([]byte{}, 1)
	f.Fuzz(func(t *testing.T, b []byte, size int) {
		out, err := decompress(nil, b, codecZstd, size)
		if err == nil && len(out) != size {
			t.Errorf("%d bytes, want %d", len(out), size)
		}
		if err != nil && !errors.Is(err, ErrDamaged) {
			t.Errorf("%v is not ErrDamaged", err)
		}
	})
}
