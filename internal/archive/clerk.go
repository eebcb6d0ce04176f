package archive

import (
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"time"

	"lore/internal/fault"
	"lore/internal/pages"
)

// commitBytes is how much stored data a transaction takes before it is committed by itself.
const commitBytes = 16 << 20

// clerk does all the writing, on one goroutine. It holds one transaction open as long as there is something in it.
type clerk struct {
	c       *sql.Conn
	now     func() time.Time
	sums    *pages.Keeper
	stamped bool  // this writer's stamp is committed
	open    bool  // a transaction is
	bytes   int64 // stored by it so far
	err     error // final: the transaction could not go on
	insert  *sql.Stmt
	filters []filterEntry    // made and not written yet
	packs   []packRow        // rows of filters at the end; nil: not known yet
	counts  map[string]int64 // changes of counters, not written yet

	mu    sync.Mutex
	fresh map[hash]int64 // blocks stored since the last commit, which no other connection sees
}

// begin starts a transaction unless one is open.
func (k *clerk) begin() error {
	if k.err != nil || k.open {
		return k.err
	}
	if _, err := k.c.ExecContext(background, "BEGIN IMMEDIATE"); err != nil {
		return k.fail("begin", err)
	}
	k.open = true
	if !k.stamped {
		_, err := k.c.ExecContext(background, "INSERT INTO counter VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET n = excluded.n", stamp, newStamp())
		if err == nil {
			// Writes the first page, though to the same: so a new stamp changes two pages, and a flipped byte one.
			_, err = k.c.ExecContext(background, fmt.Sprintf("PRAGMA application_id=%d", applicationID))
		}
		if err != nil {
			return k.fail("begin", err)
		}
	}
	return nil
}

// fail undoes the transaction and makes err the answer to everything that follows.
func (k *clerk) fail(doing string, err error) error {
	k.err = explain(doing+": what was not committed is undone", err)
	if k.open {
		k.c.ExecContext(background, "ROLLBACK")
		k.open = false
	}
	return k.err
}

// exec runs a statement in the transaction.
func (k *clerk) exec(doing, query string, args ...any) (sql.Result, error) {
	if err := k.begin(); err != nil {
		return nil, err
	}
	r, err := k.c.ExecContext(background, query, args...)
	if err != nil {
		return nil, k.fail(doing, err)
	}
	return r, nil
}

// add runs an INSERT and returns the new row's id.
func (k *clerk) add(doing, query string, args ...any) (int64, error) {
	r, err := k.exec(doing, query, args...)
	if err != nil {
		return 0, err
	}
	return r.LastInsertId()
}

// change runs a statement that has to change a row. The error is ErrUnknown when it changes none.
func (k *clerk) change(doing, query string, args ...any) error {
	r, err := k.exec(doing, query, args...)
	if err != nil {
		return err
	}
	if n, err := r.RowsAffected(); err != nil || n == 0 {
		return fmt.Errorf("archive: %s: %w", doing, ErrUnknown)
	}
	return nil
}

// get runs a query for one row, in the transaction if one is open. It returns sql.ErrNoRows when there is none.
func (k *clerk) get(doing, query string, args []any, dest ...any) error {
	if k.err != nil {
		return k.err
	}
	err := k.c.QueryRowContext(background, query, args...).Scan(dest...)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return k.fail(doing, err)
	}
	return err
}

// commit writes what is left in memory and makes everything durable.
func (k *clerk) commit() error {
	if k.err != nil || !k.open && len(k.filters) == 0 && len(k.counts) == 0 {
		return k.err
	}
	if err := k.writeFilters(); err != nil {
		return err
	}
	if err := k.writeCounts(); err != nil {
		return err
	}
	fault.At("archive: before a commit")
	if _, err := k.c.ExecContext(background, "COMMIT"); err != nil {
		return k.fail("commit", err)
	}
	fault.At("archive: behind a commit")
	k.open, k.bytes, k.stamped = false, 0, true
	k.sums.Committed()
	k.mu.Lock()
	clear(k.fresh)
	k.mu.Unlock()
	return nil
}

// end is the last thing before Close.
func (k *clerk) end() error {
	if err := k.commit(); err != nil {
		return err
	}
	return k.sweepIfWorth()
}

// close gives the connection back. A statement left open would keep SQLite from closing the database, and from moving
// the WAL into it.
func (k *clerk) close() error {
	if k.insert != nil {
		k.insert.Close()
	}
	return k.c.Close()
}

// count changes a counter by n.
func (k *clerk) count(name string, n int64) {
	if k.counts == nil {
		k.counts = map[string]int64{}
	}
	k.counts[name] += n
}

func (k *clerk) writeCounts() error {
	for name, n := range k.counts {
		_, err := k.exec("count", "INSERT INTO counter VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET n = n + excluded.n", name, n)
		if err != nil {
			return err
		}
	}
	clear(k.counts)
	return nil
}

// newBlock is a block on its way to the clerk: a stored one by id, or a new one with its data. Either way the clerk
// puts its id behind those that came before it on the same list.
type newBlock struct {
	to   *blockIDs
	id   int64
	hash hash
	size int
	data []byte // clerk's to give back
}

// blockIDs collects the ids of a chain's new blocks in order. Only the clerk writes to it until the chain is finished.
type blockIDs struct{ ids []int64 }

// dataBuffers are for the stored form of blocks between Keep and clerk.
var dataBuffers = sync.Pool{New: func() any { return new([]byte) }}

// take stores a block unless it is there already. After a failure it only throws the data away.
func (k *clerk) take(b *newBlock) {
	if b.id == 0 && k.err == nil {
		b.id = k.storeBlock(b)
	}
	if b.data != nil {
		data := b.data[:0]
		dataBuffers.Put(&data)
	}
	b.to.ids = append(b.to.ids, b.id)
}

// storeBlock returns the id of a block, which it inserts if need be; 0 after a failure.
func (k *clerk) storeBlock(b *newBlock) int64 {
	if id := k.freshID(b.hash); id != 0 {
		return id
	}
	if k.begin() != nil {
		return 0
	}
	if k.insert == nil {
		var err error
		k.insert, err = k.c.PrepareContext(background,
			"INSERT INTO block (hash, size, codec, data) VALUES (?, ?, ?, ?) ON CONFLICT (hash) DO NOTHING")
		if err != nil {
			k.fail("keep a block", err)
			return 0
		}
	}
	r, err := k.insert.ExecContext(background, b.hash[:], b.size, codecZstd, b.data)
	if err != nil {
		k.fail("keep a block", err)
		return 0
	}
	var id int64
	if n, _ := r.RowsAffected(); n == 0 {
		// The other worker's block was committed after this one was looked for.
		if k.get("keep a block", "SELECT id FROM block WHERE hash = ?", []any{b.hash[:]}, &id) != nil {
			return 0
		}
		return id
	}
	id, _ = r.LastInsertId()
	k.mu.Lock()
	k.fresh[b.hash] = id
	k.mu.Unlock()
	if k.bytes += int64(len(b.data)); k.bytes >= commitBytes {
		k.commit()
	}
	return id
}

// freshID returns the id of a block that was stored since the last commit; 0 when it was not. Any goroutine may ask.
func (k *clerk) freshID(h hash) int64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.fresh[h]
}
