package index

import (
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"testing"

	"lore"
	"lore/internal/query"
)

// segmentBytes is a small segment file with everything in it.
func segmentBytes(t testing.TB) []byte {
	t.Helper()
	b := newBuilder()
	c := talk("one", say("1", lore.User, words("keep the lamp lit, getUserById")), say("2", lore.Tool, lore.Part{Kind: lore.Result, Text: "灯塔 ok", Name: "Bash"}))
	c.Title, c.TitleFrom = "Lamp", lore.TitleFromSource
	for i := range c.Messages {
		b.add(1, &c.Messages[i], 1, uint32(i+1), "")
	}
	b.addTitle(1, c, lore.ID{1})
	path := filepath.Join(t.TempDir(), "a.seg")
	if _, err := b.write(path); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// readEverything reads all that a segment has, as the searches do, and returns the first error.
func readEverything(s *segment) error {
	var errs []error
	note := func(err error) { errs = append(errs, err) }
	c := s.seek(nil)
	for c.next() {
		p, err := s.list(c.entry)
		note(err)
		for p.next() {
		}
		if p.bad {
			note(damaged("list"))
		}
	}
	note(c.err)
	for doc := range s.docs {
		x, err := s.factsOf(doc)
		note(err)
		block, err := storeBlockAt(s.segmentFile, x.place.block)
		note(err)
		_, err = decodeDocument(block, x.place.at)
		note(err)
	}
	_, err := s.runsOf(1)
	note(err)
	note(s.withPrefix(idPrefix{}, func(uint32, lore.ID) bool { return true }))
	note(s.withNative(HashNative("1"), func(uint32) {}))
	r := &Reader{segments: []*segment{s}}
	for _, root := range []query.Node{query.Word{Text: "lamp"}, query.Prefix{Text: "l"}, query.Phrase{Text: "the lamp"},
		query.Not{Of: query.Match{Field: query.Role, Value: "tool"}}, query.Literal{Text: "by.id"}} {
		e := &searching{ctx: context.Background(), r: r, plan: newPlan(root), convs: &convSets{}}
		_, err := e.match()
		note(err)
	}
	_, err = mergeSegmentsInto(s)
	note(err)
	return errors.Join(errs...)
}

// mergeSegmentsInto merges a segment with itself into a file that is thrown away.
func mergeSegmentsInto(s *segment) (uint32, error) {
	dir, err := os.MkdirTemp("", "merge")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	_, docs, err := mergeSegments(context.Background(), filepath.Join(dir, "m.seg"), []*segment{s, s}, false)
	return docs, err
}

// resealed makes the checksums of a changed segment right again, as far as its frame still stands.
func resealed(raw []byte) []byte {
	le := binary.LittleEndian
	foot := raw[len(raw)-footerSize:]
	at, n := int64(le.Uint64(foot)), int64(le.Uint32(foot[8:]))
	if at < 0 || n < 48 || at+n > int64(len(raw)) {
		return raw
	}
	dir := raw[at : at+n]
	if table := int64(le.Uint64(dir[28:])); table >= 0 && table < chunkSize && table+4 <= at {
		le.PutUint32(raw[table:], crc32.Checksum(raw[:table], castagnoli))
		le.PutUint32(dir[36:], crc32.Checksum(raw[table:at], castagnoli))
	}
	le.PutUint32(foot[12:], crc32.Checksum(dir, castagnoli))
	return raw
}

func openBytes(t testing.TB, raw []byte) (*segment, error) {
	path := filepath.Join(t.TempDir(), "b.seg")
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := openSegmentFile(path)
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { f.close() })
	docs := f.dir.docs
	return &segment{name: "b.seg", docs: docs, deleted: newBitset(docs), segmentFile: f, dictionary: dictionary{f}}, nil
}

func TestEveryFlippedByteIsNoticed(t *testing.T) {
	raw := segmentBytes(t)
	s, err := openBytes(t, raw)
	if err != nil {
		t.Fatal(err)
	}
	if err := readEverything(s); err != nil {
		t.Fatalf("an undamaged segment: %v", err)
	}
	step := max(len(raw)/300, 1)
	for i := 0; i < len(raw); i += step {
		bad := append([]byte(nil), raw...)
		bad[i] ^= 0x41
		s, err := openBytes(t, bad)
		if err == nil {
			err = readEverything(s)
		}
		if !errors.Is(err, ErrRebuild) {
			t.Errorf("byte %d: %v", i, err)
		}
	}
	for _, n := range []int{0, 1, 8, 40, len(raw) / 2, len(raw) - 1} {
		if _, err := openBytes(t, raw[:n]); !errors.Is(err, ErrRebuild) {
			t.Errorf("cut to %d bytes: %v", n, err)
		}
	}
}

// FuzzSegment reads segments whose bytes were changed and whose checksums say that all is well: no panic, whatever is in
// them.
func FuzzSegment(f *testing.F) {
	raw := segmentBytes(f)
	f.Add(uint32(100), byte(1), uint32(2000), byte(255))
	f.Add(uint32(9), byte(7), uint32(10), byte(128))
	f.Fuzz(func(t *testing.T, at uint32, x byte, at2 uint32, y byte) {
		bad := append([]byte(nil), raw...)
		bad[int(at)%len(bad)] ^= x
		bad[int(at2)%len(bad)] ^= y
		if s, err := openBytes(t, resealed(bad)); err == nil {
			readEverything(s)
		}
	})
}

// FuzzPostings walks and rebases arbitrary lists.
func FuzzPostings(f *testing.F) {
	f.Add([]byte{0x20, 0x31, 3}, uint32(5), uint32(4))
	f.Fuzz(func(t *testing.T, list []byte, base, before uint32) {
		p := postings{rest: list}
		for p.next() {
		}
		rebase(list, base, before)
	})
}

// FuzzDocument decodes arbitrary records of the document store.
func FuzzDocument(f *testing.F) {
	f.Add([]byte{1, 0, 0, 0, 1, 'a', 0, 0, 0}, uint32(0))
	f.Fuzz(func(t *testing.T, block []byte, at uint32) { decodeDocument(block, at) })
}

// FuzzScanJSON reads the strings of arbitrary units.
func FuzzScanJSON(f *testing.F) {
	f.Add([]byte(`{"a":"b\u00e9\ud800","c":["d","{\"e\":\"f\"}"]}`))
	f.Fuzz(func(t *testing.T, raw []byte) { unitStrings(raw) })
}
