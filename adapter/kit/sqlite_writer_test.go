package kit

import (
	"bufio"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// A program writes to a database as fast as an eager editor would: it moves amounts between two tables, in transactions
// of many pages, checkpoints in every way, and closes and opens the database again. Whatever is read meanwhile has to be
// a state that existed: the amounts add up, every row is of one round, SQLite finds no fault, and nothing changes in the
// folder but by the writer.
const (
	writerPath  = "LORE_TEST_WRITER_PATH"
	writerMode  = "LORE_TEST_WRITER_MODE"
	writerRows  = 60
	writerTotal = writerRows * 1000
)

func TestDatabaseUnderAWriter(t *testing.T) {
	for _, mode := range []string{
		"WAL; PRAGMA synchronous = OFF", "DELETE; PRAGMA synchronous = OFF", "PERSIST; PRAGMA synchronous = OFF",
		"TRUNCATE; PRAGMA synchronous = NORMAL",
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "state.vscdb")
		run(t, connect(t, path), `PRAGMA page_size = 1024`, `PRAGMA journal_mode = `+mode,
			`CREATE TABLE a(id INTEGER PRIMARY KEY, n, round, pad)`, `CREATE TABLE b(id INTEGER PRIMARY KEY, n, round, pad)`,
			`INSERT INTO a SELECT value, 1000, 0, '' FROM `+numbers(writerRows), `INSERT INTO b SELECT value, 0, 0, '' FROM `+numbers(writerRows)).Close()

		cmd := exec.Command(os.Args[0], "-test.run=^TestDatabaseWriterProcess$")
		cmd.Env = append(os.Environ(), writerPath+"="+path, writerMode+"="+mode)
		cmd.Stderr = os.Stderr
		stop, _ := cmd.StdinPipe()
		out, _ := cmd.StdoutPipe()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := bufio.NewReader(out).ReadString('\n'); err != nil { // it has written for the first time
			t.Fatal(err)
		}
		rounds, moved := map[int64]bool{}, 0
		for range 12 {
			if moved > 1 {
				break // a machine on which the writer is that much faster tells no more
			}
			round, err := readRound(t.Context(), dir)
			switch {
			case errors.Is(err, ErrMoving):
				moved++
			case err != nil:
				t.Errorf("%s: %v", mode, err)
			default:
				rounds[round] = true
			}
		}
		stop.Close()
		go io.Copy(io.Discard, out)
		if err := cmd.Wait(); err != nil {
			t.Errorf("%s: the writer: %v", mode, err)
		}
		if _, err := readRound(t.Context(), dir); err != nil {
			t.Errorf("%s: after the writer ended: %v", mode, err)
		}
		t.Logf("%s: %d states seen, moving to the end %d times", mode, len(rounds), moved)
	}
}

// readRound reads the database once and tells in which round it was.
func readRound(ctx context.Context, dir string) (round int64, err error) {
	err = ReadDatabase(ctx, os.DirFS(dir), "state.vscdb", func(db *Database) error {
		sum, rows := int64(0), 0
		round = -1
		for _, table := range []string{"a", "b"} {
			for row, err := range db.Rows(ctx, Query{Table: table}) {
				if err != nil {
					return err
				}
				r := row.Get("round").Int
				if round < 0 {
					round = r
				}
				if want := padding(r); r != round || row.Get("pad").Text() != want {
					return fmt.Errorf("row %q of round %d, with padding %.9q, in round %d", row.Name(), r, row.Get("pad").Text(), round)
				}
				sum += row.Get("n").Int
				rows++
			}
		}
		if sum != writerTotal || rows != 2*writerRows {
			return fmt.Errorf("round %d: %d in %d rows", round, sum, rows)
		}
		return db.each("PRAGMA integrity_check", nil, func(row []driver.Value) error {
			if row[0] != "ok" {
				return fmt.Errorf("integrity check: %v", row[0])
			}
			return nil
		})
	})
	return round, err
}

// padding makes rows of every size, some over several pages.
func padding(round int64) string {
	if round == 0 {
		return ""
	}
	return fmt.Sprintf("%0*d", 1+round*131%2500, round)
}

// TestDatabaseWriterProcess is the writer, in a process of its own; by itself it does nothing.
func TestDatabaseWriterProcess(t *testing.T) {
	path := os.Getenv(writerPath)
	if path == "" {
		t.Skip("started by TestDatabaseUnderAWriter")
	}
	ended := make(chan struct{})
	go func() {
		io.Copy(io.Discard, os.Stdin)
		close(ended)
	}()
	open := func() *sql.DB {
		return run(t, connect(t, path), `PRAGMA journal_mode = `+os.Getenv(writerMode),
			`PRAGMA cache_size = 5`, `PRAGMA wal_autocheckpoint = 50`)
	}
	db := open()
	for round := int64(1); ; round++ {
		run(t, db, `BEGIN`,
			fmt.Sprintf(`UPDATE a SET n = n - id * %d %% 7, round = %d, pad = '%s'`, round, round, padding(round)),
			fmt.Sprintf(`UPDATE b SET n = n + id * %d %% 7, round = %d, pad = '%s'`, round, round, padding(round)),
			`COMMIT`)
		if round == 1 {
			fmt.Println("written")
		}
		select {
		case <-ended:
			return
		default:
		}
		switch round % 40 {
		case 7:
			run(t, db, `PRAGMA wal_checkpoint(PASSIVE)`)
		case 17:
			run(t, db, `PRAGMA wal_checkpoint(RESTART)`)
		case 27:
			run(t, db, `PRAGMA wal_checkpoint(TRUNCATE)`)
		case 33:
			run(t, db, `BEGIN`, `UPDATE a SET n = -1, pad = zeroblob(3000)`, `ROLLBACK`)
		case 37:
			db.Close()
			db = open()
		case 39:
			run(t, db, `VACUUM`)
		}
		if round%3 == 0 {
			time.Sleep(10 * time.Millisecond) // an editor rests longer
		}
	}
}
