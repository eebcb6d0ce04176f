package archive

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"slices"
)

// Fault is one thing that is wrong in an archive.
type Fault struct {
	What     string   // "database", "page", "sums", "file", "snapshot", "chain", "block", "filter"
	ID       int64    // of the row; 0 for the database
	Files    []string // paths of the files that suffer
	Snapshot int64    // the first snapshot that suffers; 0: none, or all of the files
	Detail   string   // one line
}

// String tells the fault in one line.
func (f Fault) String() string {
	s := f.What
	if f.ID != 0 {
		s += fmt.Sprintf(" %d", f.ID)
	}
	if len(f.Files) > 0 {
		s += fmt.Sprintf(" of %q", f.Files[0])
		if n := len(f.Files) - 1; n > 0 {
			s += fmt.Sprintf(" and %d more", n)
		}
	}
	return s + ": " + f.Detail
}

// Report is what Check found.
type Report struct {
	Files, Snapshots, Chains, Blocks int
	Bytes                            int64 // of all blocks, decoded
	Unused                           int   // blocks that no snapshot needs any more: what Sweep removes
	Pages                            int   // of the database, that were compared with their sums; 0: these are not known
	Faults                           []Fault
}

// Check walks one state of the archive: every file, snapshot and block list, and that every block is there; when full is
// set, it also compares every page with its sum, decodes and hashes every block that is needed, and computes every sum and
// filter anew. Faults are in the
// report; an error means that the walk itself could not be done.
func (a *Archive) Check(ctx context.Context, full bool) (Report, error) {
	k := &checker{ctx: ctx, full: full, sums: a.sumsPath()}
	err := a.view("check", func(c *sql.Conn) error {
		k.c = c
		for _, step := range []func() error{k.pages, k.database, k.files, k.blocks, k.snapshots, k.chains, k.newest, k.filters, k.contents} {
			if err := step(); err != nil {
				return err
			}
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil && k.report.Faults != nil {
		// A database that is damaged may well end the walk. What was found until then is the better answer.
		k.fault(Fault{What: "database", Detail: err.Error()})
		err = nil
	}
	return k.report, err
}

// checker is a Check on its way.
type checker struct {
	ctx    context.Context
	c      *sql.Conn
	full   bool
	sums   string // file of the sums of pages
	report Report

	paths     map[int64]string // of files
	newestOf  map[int64]int64  // snapshot that a file's row names
	blockIDs  []int64          // sorted
	sizes     []int64          // of blocks, by place in blockIDs
	used      []bool           // likewise
	snapshot  map[int64]checkedSnapshot
	chainRows map[int64]*checkedChain
	chainIDs  []int64
}

type checkedSnapshot struct {
	file, size, chain, extends int64
	at                         int64
	sum                        uint32
}

type checkedChain struct {
	file   int64
	size   int64
	prints int64
	list   *list // nil: cannot be read
	ends   []chainEnd
}

// chainEnd is a snapshot of a chain: where it ends, and the sum of all bytes until there.
type chainEnd struct {
	snapshot, size int64
	sum            uint32
}

func (k *checker) fault(f Fault) { k.report.Faults = append(k.report.Faults, f) }

// of returns the path of a file for a fault.
func (k *checker) of(file int64) []string {
	if p, ok := k.paths[file]; ok {
		return []string{p}
	}
	return nil
}

// database has SQLite look at its own pages.
func (k *checker) database() error {
	query := "PRAGMA quick_check(20)"
	if k.full {
		query = "PRAGMA integrity_check(20)"
	}
	return bulk(k.c, query, nil, func(row []driver.Value) error {
		if s := text(row[0]); s != "ok" {
			k.fault(Fault{What: "database", Detail: s})
		}
		return k.ctx.Err()
	})
}

func (k *checker) files() error {
	k.paths, k.newestOf = map[int64]string{}, map[int64]int64{}
	return bulk(k.c, "SELECT f.id, path, snapshot, s.id FROM file f LEFT JOIN store s ON s.id = store", nil, func(row []driver.Value) error {
		id := num(row[0])
		k.paths[id], k.newestOf[id] = text(row[1]), num(row[2])
		k.report.Files++
		if row[3] == nil {
			k.fault(Fault{What: "file", ID: id, Files: k.of(id), Detail: "its store is missing"})
		}
		return nil
	})
}

func (k *checker) blocks() error {
	err := bulk(k.c, "SELECT id, size FROM block ORDER BY id", nil, func(row []driver.Value) error {
		k.blockIDs = append(k.blockIDs, num(row[0]))
		k.sizes = append(k.sizes, num(row[1]))
		k.report.Bytes += num(row[1])
		return k.ctx.Err()
	})
	k.used = make([]bool, len(k.blockIDs))
	k.report.Blocks = len(k.blockIDs)
	return err
}

// snapshots reads all snapshots and notes them at their chains.
func (k *checker) snapshots() error {
	k.snapshot, k.chainRows = map[int64]checkedSnapshot{}, map[int64]*checkedChain{}
	const query = `SELECT id, file, size, chain, sum, extends, plain, plain_size, plain_chain, plain_sum, at FROM snapshot ORDER BY id`
	return bulk(k.c, query, nil, func(row []driver.Value) error {
		id, s := num(row[0]), checkedSnapshot{file: num(row[1]), size: num(row[2]), chain: num(row[3]), extends: num(row[5]), at: num(row[10]), sum: uint32(num(row[4]))}
		k.snapshot[id] = s
		k.report.Snapshots++
		if _, ok := k.paths[s.file]; !ok {
			k.fault(Fault{What: "snapshot", ID: id, Snapshot: id, Detail: fmt.Sprintf("its file %d is missing", s.file)})
		}
		if s.extends != 0 {
			if old, ok := k.snapshot[s.extends]; ok && (old.file != s.file || old.size > s.size || old.chain != s.chain) {
				k.fault(Fault{What: "snapshot", ID: id, Files: k.of(s.file), Snapshot: id,
					Detail: fmt.Sprintf("it cannot extend snapshot %d", s.extends)})
			}
		}
		k.reaches(s.chain, chainEnd{id, s.size, uint32(num(row[4]))})
		if num(row[6]) != 0 {
			k.reaches(num(row[8]), chainEnd{id, num(row[7]), uint32(num(row[9]))})
		}
		return nil
	})
}

func (k *checker) reaches(chain int64, end chainEnd) {
	c := k.chainRows[chain]
	if c == nil {
		c = &checkedChain{size: -1}
		k.chainRows[chain] = c
	}
	c.ends = append(c.ends, end)
}

// chains reads all block lists that a snapshot needs.
func (k *checker) chains() error {
	err := bulk(k.c, "SELECT id, file, size, blocks, prints, list FROM chain ORDER BY id", nil, func(row []driver.Value) error {
		id := num(row[0])
		c := k.chainRows[id]
		if c == nil {
			return nil // what a killed import left
		}
		k.report.Chains++
		k.chainIDs = append(k.chainIDs, id)
		c.file, c.size, c.prints = num(row[1]), num(row[2]), num(row[4])
		var err error
		if c.list, err = decodeList(blob(row[5])); err != nil {
			k.fault(Fault{What: "chain", ID: id, Files: k.of(c.file), Snapshot: c.ends[0].snapshot, Detail: err.Error()})
			return k.ctx.Err()
		}
		if c.list.size() != c.size || int64(len(c.list.entries)) != num(row[3]) || c.list.fold() != c.prints {
			k.fault(Fault{What: "chain", ID: id, Files: k.of(c.file), Snapshot: c.ends[0].snapshot, Detail: "its row and its block list differ"})
		}
		k.hasBlocks(id, c)
		return k.ctx.Err()
	})
	for id, c := range k.chainRows {
		slices.SortFunc(c.ends, func(x, y chainEnd) int { return int(x.size - y.size) })
		switch last := c.ends[len(c.ends)-1]; {
		case c.size < 0:
			k.fault(Fault{What: "chain", ID: id, Files: k.of(k.snapshot[last.snapshot].file), Snapshot: last.snapshot, Detail: "it is missing"})
		case c.size < last.size:
			k.fault(Fault{What: "snapshot", ID: last.snapshot, Files: k.of(c.file), Snapshot: last.snapshot,
				Detail: fmt.Sprintf("it has %d bytes, its chain %d", last.size, c.size)})
		}
	}
	for _, u := range k.used {
		if !u {
			k.report.Unused++
		}
	}
	return err
}

// hasBlocks looks for the blocks of a chain.
func (k *checker) hasBlocks(id int64, c *checkedChain) {
	for _, e := range c.list.entries {
		i, ok := slices.BinarySearch(k.blockIDs, e.id)
		switch {
		case !ok:
			k.fault(Fault{What: "block", ID: e.id, Files: k.of(c.file), Snapshot: c.firstWith(e.off), Detail: "it is missing"})
		case k.sizes[i] != int64(e.size):
			k.fault(Fault{What: "block", ID: e.id, Files: k.of(c.file), Snapshot: c.firstWith(e.off),
				Detail: fmt.Sprintf("it has %d bytes where %d should be", k.sizes[i], e.size)})
			fallthrough
		default:
			k.used[i] = true
		}
	}
}

// firstWith returns the first snapshot that needs what stands at an offset.
func (c *checkedChain) firstWith(off int64) int64 {
	first := int64(0)
	for _, e := range c.ends {
		if e.size > off && (first == 0 || e.snapshot < first) {
			first = e.snapshot
		}
	}
	return first
}

// newest checks that each file names its last snapshot.
func (k *checker) newest() error {
	last := map[int64]int64{}
	for id, s := range k.snapshot {
		if before, ok := last[s.file]; !ok || later(s, k.snapshot[before], id, before) {
			last[s.file] = id
		}
	}
	for file, id := range k.newestOf {
		if last[file] != id {
			k.fault(Fault{What: "file", ID: file, Files: k.of(file), Snapshot: last[file],
				Detail: fmt.Sprintf("its newest snapshot is %d, its row says %d", last[file], id)})
		}
	}
	return nil
}

// later reports whether a snapshot comes behind another of its file.
func later(a, b checkedSnapshot, aID, bID int64) bool {
	return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.sum, b.sum), cmp.Compare(aID, bID)) > 0
}
