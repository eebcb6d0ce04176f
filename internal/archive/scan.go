package archive

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
)

// Needle is what a search in raw bytes looks for.
type Needle struct {
	// Literals are byte strings of which a line has to hold one. None: every line.
	Literals [][]byte

	// FoldCase takes ASCII letters of either case for equal. Other letters' forms have to be literals of their own.
	FoldCase bool

	// Versions looks into older snapshots too; otherwise only into the newest of each file.
	Versions bool

	// Files restricts the search to some files. Nil: all.
	Files func(f *File) bool
}

// Scan is a search that is ready to run: the stretches of content that may hold a literal, by the filters.
type Scan struct {
	Parts []*ScanPart // in the order of file ids, snapshots and offsets
}

// ScanPart is a stretch of one file, of some MiB at most unless a line is longer. Parts can be run by several goroutines
// at once; each on its own yields whole lines, and no line is in two.
type ScanPart struct {
	File     *File
	Snapshot int64
	Bytes    int64 // decoded bytes to look at

	a        *Archive
	finder   *finder
	skip     *atomic.Bool // shared by the parts of a snapshot: fn has seen enough of it
	lines    bool
	chain    int64
	list     *list
	from, to int64 // bytes of the chain
}

// target is a chain to search.
type target struct {
	file     *File
	snapshot int64
	lines    bool
	chain    int64
	blocks   int
	prints   int64 // as the chain's row says
	reach    int64 // how far before a block a match that ends in it can begin
	groups   []group
	list     *list
}

// group is what the filters say of some blocks.
type group struct {
	first, n int
	may      bool
	print    uint64
}

// Scan plans a search. It reads filters and block lists, no content.
func (a *Archive) Scan(ctx context.Context, n Needle) (*Scan, error) {
	f := newFinder(n.Literals, n.FoldCase)
	var targets []*target
	err := a.view("search", func(c *sql.Conn) (err error) {
		if targets, err = listTargets(c, n); err != nil {
			return err
		}
		if len(f.literals) > 0 {
			if err := readFilters(ctx, c, f, targets); err != nil {
				return err
			}
		}
		for _, t := range targets {
			t.reach = int64(f.longest)
			if t.ruledOut() {
				continue
			}
			if t.list, err = readList(c, t.chain); err != nil {
				return err
			}
		}
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	s := &Scan{}
	for _, t := range targets {
		if t.list == nil {
			continue
		}
		skip := new(atomic.Bool)
		for _, r := range t.ranges() {
			s.Parts = append(s.Parts, &ScanPart{File: t.file, Snapshot: t.snapshot, Bytes: r.to - r.from,
				a: a, finder: f, skip: skip, lines: t.lines, chain: t.chain, list: t.list, from: r.from, to: r.to})
		}
	}
	return s, nil
}

// listTargets lists the chains to search: of each file the newest snapshot's, or with Versions all.
func listTargets(c *sql.Conn, n Needle) ([]*target, error) {
	files, err := listFiles(c)
	if err != nil {
		return nil, err
	}
	byID := make(map[int64]*File, len(files))
	for i := range files {
		if n.Files == nil || n.Files(&files[i]) {
			byID[files[i].ID] = &files[i]
		}
	}
	// Every snapshot of a chain is a beginning of the last one.
	query := `SELECT s.file, s.id, s.lines, c.id, c.blocks, c.prints FROM `
	if n.Versions {
		query += `(SELECT max(id) AS last FROM snapshot GROUP BY chain) JOIN snapshot s ON s.id = last`
	} else {
		query += `file f JOIN snapshot s ON s.id = f.snapshot`
	}
	query += ` JOIN chain c ON c.id = iif(s.plain = 0, s.chain, s.plain_chain) ORDER BY s.file, s.id`
	var targets []*target
	byChain := map[int64]*target{}
	err = bulk(c, query, nil, func(row []driver.Value) error {
		t := &target{
			file: byID[num(row[0])], snapshot: num(row[1]), lines: num(row[2]) != 0,
			chain: num(row[3]), blocks: int(num(row[4])), prints: num(row[5]),
		}
		if t.file == nil || t.blocks == 0 {
			return nil
		}
		if old := byChain[t.chain]; old != nil {
			old.snapshot = t.snapshot // compressed twice, the same inside
			return nil
		}
		byChain[t.chain] = t
		targets = append(targets, t)
		return nil
	})
	return targets, err
}

// readFilters asks all filters for the literals. A pack that cannot be read is left out: the chains that it speaks of
// are then searched whole.
func readFilters(ctx context.Context, c *sql.Conn, f *finder, targets []*target) error {
	byChain := make(map[int64]*target, len(targets))
	for _, t := range targets {
		byChain[t.chain] = t
	}
	return bulk(c, "SELECT data FROM filter ORDER BY id", nil, func(row []driver.Value) error {
		entries, err := decodePack(blob(row[0]))
		if err != nil {
			return ctx.Err()
		}
		for _, e := range entries {
			if t := byChain[e.chain]; t != nil {
				t.take(f, e)
			}
		}
		return ctx.Err()
	})
}

// take notes what a filter says. What earlier ones said of its first block, and of those behind it, is void.
func (t *target) take(f *finder, e filterEntry) {
	n := len(t.groups)
	for n > 0 && t.groups[n-1].first >= e.first {
		n--
	}
	t.groups = append(t.groups[:n], group{e.first, e.n, f.mayHold(e.filter), fingerprint(e.first, e.n, e.filter)})
}

// ruledOut reports whether the filters, all of them and the right ones, cover the chain and allow nothing. Filters that
// are not those which the chain was given are forgotten.
func (t *target) ruledOut() bool {
	var fold uint64
	next, may := 0, false
	for _, g := range t.groups {
		fold ^= g.print
		may = may || g.may || g.first > next
		next = max(next, g.first+g.n)
	}
	if int64(fold) != t.prints {
		t.groups = nil
		return false
	}
	return !may && next >= t.blocks
}

// SkipFile is what fn of a search returns when it has seen enough of a file: further lines of that snapshot are left out,
// but for those of a part that another goroutine is at.
var SkipFile = errors.New("skip this file")

// SearchRaw runs a Scan on as many goroutines as there are cores. fn is called concurrently, but for the lines of one
// part in order. The first error of fn ends the search and is returned.
func (a *Archive) SearchRaw(ctx context.Context, n Needle, fn func(*Line) error) error {
	s, err := a.Scan(ctx, n)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	parts := make(chan *ScanPart)
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(s.Parts)) {
		wg.Go(func() {
			for p := range parts {
				if err := p.Lines(ctx, fn); err != nil {
					cancel(err)
				}
			}
		})
	}
	for _, p := range s.Parts {
		select {
		case parts <- p:
			continue
		case <-ctx.Done():
		}
		break
	}
	close(parts)
	wg.Wait()
	return context.Cause(ctx)
}
