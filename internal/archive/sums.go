package archive

import (
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"

	"lore/internal/pages"
)

// sumsName is the file of the sums of the database's pages: see the package pages. It is no part of the truth, and is
// made again where it is missing.
const sumsName = "archive.sums"

// stamp is the counter whose value every writer changes with its first commit. The values are random, so that an older
// copy of the archive that was put back is never taken for the one that the sums are of.
const stamp = "stamp"

func newStamp() int64 { return rand.Int64() }

func (a *Archive) sumsPath() string { return filepath.Join(a.dir, sumsName) }

const stampQuery = "SELECT n FROM counter WHERE name = ?"

// stampOf returns the stamp of a state; 0 where no writer has left one.
func stampOf(q querier) (n int64, err error) {
	err = q.QueryRowContext(background, stampQuery, stamp).Scan(&n)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return n, err
}

// keepSums begins to keep the sums of pages. Those of a new archive are computed at once, as long as it is small.
func (a *Archive) keepSums(fresh bool) *pages.Keeper {
	var all func() (*pages.Sums, error)
	if fresh {
		all = func() (*pages.Sums, error) { return pages.Of(background, a.db) }
	}
	n, err := stampOf(a.db)
	if err != nil {
		n = -1 // no file has it
	}
	return pages.Keep(filepath.Join(a.dir, fileName), a.sumsPath(), n, all)
}

// storeSums writes the file of sums. A failure is none of the archive's: the file then has an old stamp.
func (a *Archive) storeSums(k *pages.Keeper) {
	if n, err := stampOf(a.db); err == nil {
		k.Close(background, a.db, n)
	}
}

// pagesNamed is how many bad pages get a fault of their own.
const pagesNamed = 10

// pages compares every page of the database with its sum.
func (k *checker) pages() error {
	if !k.full {
		return nil
	}
	n, err := stampOf(k.c)
	if err != nil {
		k.fault(Fault{What: "database", Detail: err.Error()})
	}
	v, err := pages.Check(k.ctx, k.c, k.sums, n)
	switch {
	case errors.Is(err, pages.ErrUnreadable):
		k.fault(Fault{What: "sums", Detail: "the file of the sums of pages is damaged; the next import makes it again"})
		return nil
	case err != nil:
		return err
	}
	k.report.Pages = v.Pages
	for i, page := range v.Bad {
		if i == pagesNamed {
			k.fault(Fault{What: "database", Detail: fmt.Sprintf("%d more pages are not as they were written", len(v.Bad)-i)})
			break
		}
		k.fault(Fault{What: "page", ID: int64(page), Detail: "its bytes are not as they were written"})
	}
	return nil
}
