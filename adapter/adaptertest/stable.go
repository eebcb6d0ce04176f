package adaptertest

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing/fstest"
	"time"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// checkAgain reads the same bytes again, whole and in the smallest pieces, and wants the same result.
func checkAgain(a adapter.Adapter, e *evidence) (list problems) {
	want := e.want.text()
	if diff := diffLines(want, read(a, e.input()).text()); diff != "" {
		list = append(list, "reading twice differs (-first +second):\n"+diff)
	}
	for _, bound := range []int64{1, 300} {
		in := e.input()
		in.Bound = bound
		r := read(a, in)
		list = append(list, r.problems...)
		if diff := diffLines(want, r.text()); diff != "" || r.panicked != "" {
			list = append(list, fmt.Sprintf("in pieces of %d bytes the record differs (-whole +pieces):\n%s%s", bound, diff, r.panicked))
		}
	}
	return list
}

// checkNamed reads the evidence as a file that a user has named: Read tells the source and store by itself.
func checkNamed(a adapter.Adapter, e *evidence) problems {
	if len(e.source.Companions) > 0 || len(e.source.Ranges) > 0 {
		return nil
	}
	in := e.input()
	in.Source.Product, in.Source.Store = "", ""
	if diff := diffLines(e.want.ids(), read(a, in).ids()); diff != "" {
		return problems{"named by a user, without source and store, it reads otherwise (-want +got):\n" + diff}
	}
	return nil
}

// checkOnDisk reads from the folder itself.
func checkOnDisk(a adapter.Adapter, e *evidence) problems {
	sub, err := fs.Sub(e.home.disk, path.Clean(e.place.Root.Path))
	if err != nil {
		return problems{err.Error()}
	}
	in := e.input()
	in.FS = sub
	r := read(a, in)
	if diff := diffLines(e.want.ids(), r.ids()); diff != "" || r.panicked != "" {
		return problems{"from disk it reads otherwise (-want +got):\n" + diff + r.panicked}
	}
	return nil
}

// checkStops ends Read early and with a cancelled context: it must come back, and not panic.
func checkStops(a adapter.Adapter, e *evidence) (list problems) {
	defer func() {
		if p := recover(); p != nil {
			list = append(list, fmt.Sprintf("stopped early, Read panics: %v", p))
		}
	}()
	for stop := 1; stop <= 3; stop++ {
		n := 0
		in := e.input()
		in.Bound = 1
		for range a.Read(context.Background(), in) {
			if n++; n == stop {
				break
			}
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for range a.Read(ctx, e.input()) {
	}
	return list
}

// checkFindStops does the same for Find, and looks into a root that is empty.
func checkFindStops(a adapter.Adapter, h *home) (list problems) {
	defer func() {
		if p := recover(); p != nil {
			list = append(list, fmt.Sprintf("stopped early, Find panics: %v", p))
		}
	}()
	for _, place := range places(a, h) {
		for range a.Find(context.Background(), place) {
			break
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		for range a.Find(ctx, place) {
		}
		place.FS = fstest.MapFS{}
		for src, err := range a.Find(context.Background(), place) {
			list = append(list, fmt.Sprintf("an empty root yields %q, %v", src.Path, err))
		}
	}
	return list
}

// checkMoved reads the evidence under another home's name, and with another time: no id may change.
func checkMoved(a adapter.Adapter, e *evidence) (list problems) {
	in := e.input()
	in.Place = "~/elsewhere/" + strings.TrimPrefix(e.place.Name, "~/")
	if diff := diffLines(e.want.ids(), read(a, in).ids()); diff != "" && !e.want.placed() {
		list = append(list, "moved, it has other ids (-want +got):\n"+diff)
	}
	files := fstest.MapFS{}
	for name, file := range e.files {
		touched := *file
		touched.ModTime = fileTime.Add(26 * time.Hour)
		files[name] = &touched
	}
	if diff := diffLines(e.want.ids(), read(a, e.with(files)).ids()); diff != "" {
		list = append(list, "touched, it has other ids (-want +got):\n"+diff)
	}
	return list
}

// checkAppended reads the first lines alone: what they gave an id keeps it when the other lines come.
func checkAppended(a adapter.Adapter, e *evidence) (list problems) {
	if !e.isLines() || e.want.err != nil {
		return nil
	}
	have := map[string]bool{}
	for _, rec := range e.want.records {
		have[rec.ID.String()] = true
		for i := range rec.Messages {
			have[rec.Messages[i].ID.String()] = true
		}
	}
	for _, n := range someLineEnds(e.data(), 16) {
		r := read(a, e.changed(e.data()[:n]))
		for _, rec := range r.records {
			if rec.Partial {
				continue
			}
			if !have[rec.ID.String()] {
				list = append(list, fmt.Sprintf("conversation %q, read up to byte %d, has another id when more lines come", rec.Native, n))
				continue
			}
			for i := range rec.Messages {
				if m := &rec.Messages[i]; !have[m.ID.String()] {
					list = append(list, fmt.Sprintf("message %d (%s, native id %q) of %q, read up to byte %d, has another id when more lines come",
						i, m.Role, m.Native, rec.Native, n))
				}
			}
		}
	}
	return list
}

// someLineEnds returns places behind line feeds, the last one left out, at most about n of them.
func someLineEnds(data []byte, n int) []int {
	var ends []int
	for i, c := range data {
		if c == '\n' && i+1 < len(data) {
			ends = append(ends, i+1)
		}
	}
	step := max(1, len(ends)/n)
	var some []int
	for i := 0; i < len(ends); i += step {
		some = append(some, ends[i])
	}
	return some
}

// checkPadded puts runs of NULs between and behind lines: the record stays what it is, and each run is told once.
func checkPadded(a adapter.Adapter, e *evidence) (list problems) {
	data := e.data()
	if !e.isLines() || e.want.err != nil || len(data) == 0 || data[len(data)-1] != '\n' {
		return nil
	}
	ends := someLineEnds(data, 3)
	for _, at := range append(ends, len(data)) {
		for _, pad := range []string{strings.Repeat("\x00", 300), strings.Repeat("\x00", 300) + "\n"} {
			r := read(a, e.changed(slices.Concat(data[:at], []byte(pad), data[at:])))
			if diff := diffLines(e.want.ids(), r.ids()); diff != "" || r.panicked != "" {
				list = append(list, fmt.Sprintf("300 NULs at byte %d change the record (-want +got):\n%s%s", at, diff, r.panicked))
			}
			if before, after := countLosses(e.want, lore.NulPadding), countLosses(r, lore.NulPadding); after != before+1 {
				list = append(list, fmt.Sprintf("300 NULs at byte %d are told %d times", at, after-before))
			}
			if before, after := countUnits(e.want), countUnits(r); after != before {
				list = append(list, fmt.Sprintf("300 NULs at byte %d change the number of units from %d to %d", at, before, after))
			}
		}
	}
	return list
}

func countLosses(r result, code lore.Code) (n int) {
	for _, rec := range r.records {
		for _, loss := range rec.Losses {
			if loss.Code == code {
				n++
			}
		}
	}
	return n
}

func countUnits(r result) (n int) {
	for _, rec := range r.records {
		n += rec.Ledger.Units
	}
	return n
}

// checkUnits counts the records of a file of JSON lines itself: each is a unit in the ledger of one record.
func checkUnits(e *evidence) problems {
	if !e.isLines() || e.want.err != nil || len(e.source.Companions) > 0 {
		return nil
	}
	good, damaged, _, err := countLines(e, e.data())
	if err != nil {
		return problems{err.Error()}
	}
	if n := countUnits(e.want); n < good || damaged == 0 && n != good {
		return problems{fmt.Sprintf("%d records and %d damaged units in the file, %d in the ledgers", good, damaged, n)}
	}
	return nil
}

// countLines counts what a file of JSON lines holds, and returns its unfinished last line, if any.
func countLines(e *evidence, data []byte) (good, damaged int, tail []byte, err error) {
	lines, err := kit.OpenLines(e.changed(data), e.source.Path, kit.Options{})
	if err != nil {
		return 0, 0, nil, err
	}
	defer lines.Close()
	for range lines.All() {
		good++
	}
	if lines.Tail() < lines.Size() {
		tail = data[lines.Tail():]
	}
	return good, lines.Damaged(), tail, lines.Err()
}
