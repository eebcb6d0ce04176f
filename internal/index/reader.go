package index

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"sort"
	"sync"

	"lore"
)

// ReaderOptions tunes a reader.
type ReaderOptions struct {
	// Raw returns bytes of an evidence's newest content, decoded where the evidence is compressed. It is asked when a
	// snippet or a literal needs text that the index does not hold. Nil: such text is not looked at, and a total that
	// depends on it is not exact. It may be called from several goroutines.
	Raw func(evidence, offset, length int64) ([]byte, error)
}

// Reader answers from one state of the index: what was committed when it was opened. It may be used from several
// goroutines. Open and close are cheap; a program that runs long opens a new one when Current says no.
type Reader struct {
	Catalog
	dir      string
	db       *sql.DB
	raw      func(evidence, offset, length int64) ([]byte, error)
	segments []*segment
	last     committed
	blocks   blockCache
	convs    sync.Map // row → *Entry, of hits
	paths    sync.Map // evidence → its path

	// sorted are the ids of all conversations, for the short forms of many ids.
	sorted struct {
		sync.Mutex
		asked int
		ids   []lore.ID
	}
}

// Open opens the index in dir. ErrNone: there is none. ErrRebuild: of another version, or damaged.
func Open(dir string, o ReaderOptions) (*Reader, error) {
	db, err := openCatalog(dir, false)
	if err != nil {
		return nil, err
	}
	r, err := openOver(dir, db, o)
	if !sealed(dir, err) {
		return r, err
	}
	if db, err = openSealed(dir); err != nil {
		return nil, err
	}
	return openOver(dir, db, o)
}

// openOver opens the index of a catalogue, which it closes when that fails.
func openOver(dir string, db *sql.DB, o ReaderOptions) (*Reader, error) {
	r := &Reader{dir: dir, db: db, raw: o.Raw}
	for try := 0; ; try++ {
		err := r.load(dir)
		if err == nil {
			return r, nil
		}
		// A merge may remove a file between the look at the manifest and its opening: look again.
		if r.release(); !errors.Is(err, fs.ErrNotExist) || try == 3 {
			db.Close()
			if errors.Is(err, fs.ErrNotExist) {
				err = damaged("%v", err)
			}
			return nil, err
		}
	}
}

// load takes a connection, begins the read that lasts as long as the reader, and opens the segments.
func (r *Reader) load(dir string) (err error) {
	if r.conn, err = r.db.Conn(context.Background()); err != nil {
		return rebuildError(err)
	}
	if err := checkVersion(r.conn); err != nil {
		return err
	}
	if _, err := r.conn.ExecContext(context.Background(), "BEGIN"); err != nil {
		return rebuildError(err)
	}
	if r.last, err = r.committed(); err != nil {
		return err
	}
	rows, err := r.segmentRows()
	if err != nil {
		return err
	}
	for _, row := range rows {
		s, err := openSegment(dir, row)
		if err != nil {
			return err
		}
		r.segments = append(r.segments, s)
	}
	return nil
}

func (r *Reader) release() {
	for _, s := range r.segments {
		s.close()
	}
	r.segments = nil
	if r.conn != nil { // it goes back to the pool: the next who gets it must not be in this one's transaction
		r.conn.ExecContext(context.Background(), "ROLLBACK")
	}
	r.closeConn()
	r.conn = nil
}

// Forgo gives back the memory of what was read of the segments: whoever asks about many conversations, one after the
// other, touches all of it bit by bit. The system reads it again where it is needed.
func (r *Reader) Forgo() {
	for _, s := range r.segments {
		s.m.release()
	}
}

// Close releases the files. No method may run or be called.
func (r *Reader) Close() error {
	r.release()
	return r.db.Close()
}

// Current reports whether nothing was committed since the reader was opened.
func (r *Reader) Current() bool {
	var generation int64
	err := r.db.QueryRow("SELECT value FROM meta WHERE key = 'generation'").Scan(&generation)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return err == nil && generation == r.last.generation
}

// located is a document of one of the reader's segments.
type located struct{ seg, doc uint32 }

// documentsOf returns the living documents of a conversation, titles too, by ordinal.
func (r *Reader) documentsOf(row uint32) ([]located, []facts, error) {
	var docs []located
	var all []facts
	for i, s := range r.segments {
		runs, err := s.runsOf(row)
		if err != nil {
			return nil, nil, err
		}
		for _, run := range runs {
			for doc := run.first; doc < run.first+run.count; doc++ {
				if s.deleted.has(doc) {
					continue
				}
				x, err := s.factsOf(doc)
				if err != nil {
					return nil, nil, err
				}
				docs, all = append(docs, located{uint32(i), doc}), append(all, x)
			}
		}
	}
	sort.Stable(byOrdinal{docs, all})
	return docs, all, nil
}

type byOrdinal struct {
	docs  []located
	facts []facts
}

func (b byOrdinal) Len() int           { return len(b.docs) }
func (b byOrdinal) Less(i, j int) bool { return b.facts[i].place.ordinal < b.facts[j].place.ordinal }
func (b byOrdinal) Swap(i, j int) {
	b.docs[i], b.docs[j] = b.docs[j], b.docs[i]
	b.facts[i], b.facts[j] = b.facts[j], b.facts[i]
}

// Messages returns the fixed facts of a conversation's messages, in order; ErrNotFound when there is no such
// conversation.
func (r *Reader) Messages(conv lore.ID) ([]Message, error) {
	e, err := r.Conversation(conv)
	if err != nil {
		return nil, err
	}
	_, all, err := r.documentsOf(uint32(e.Row))
	if err != nil {
		return nil, err
	}
	out := make([]Message, 0, len(all))
	for i := range all {
		if !all[i].isTitle() {
			out = append(out, all[i].message())
		}
	}
	return out, nil
}

// Message returns one message by its full id, or ErrNotFound.
func (r *Reader) Message(id lore.ID) (*Message, error) {
	var out *Message
	err := r.withPrefix(idPrefix{id, id}, func(x *facts) bool {
		m := x.message()
		out = &m
		return false
	})
	if err == nil && out == nil {
		err = ErrNotFound
	}
	return out, err
}

// withPrefix calls f for the living messages whose id begins so, segment by segment.
func (r *Reader) withPrefix(p idPrefix, f func(x *facts) bool) error {
	for _, s := range r.segments {
		var ferr error
		more := true
		err := s.withPrefix(p, func(doc uint32, id lore.ID) bool {
			if s.deleted.has(doc) {
				return true
			}
			x, err := s.factsOf(doc)
			if ferr = err; err != nil {
				return false
			}
			more = x.isTitle() || f(&x)
			return more
		})
		if err := errors.Join(err, ferr); err != nil || !more {
			return err
		}
	}
	return nil
}

// ByNativeHash returns the messages whose native id has that hash (see HashNative). Two ids can share a hash: compare
// ids that are made of the native id.
func (r *Reader) ByNativeHash(hash uint64) (out []Message, err error) {
	if hash == 0 {
		return nil, nil
	}
	for _, s := range r.segments {
		var docs []uint32
		if err := s.withNative(hash, func(doc uint32) { docs = append(docs, doc) }); err != nil {
			return nil, err
		}
		for _, doc := range docs {
			if s.deleted.has(doc) {
				continue
			}
			x, err := s.factsOf(doc)
			if err != nil {
				return nil, err
			}
			out = append(out, x.message())
		}
	}
	return out, nil
}

// entryOf returns the conversation of a row, from memory when it was asked for before.
func (r *Reader) entryOf(row int64) (*Entry, error) {
	if e, ok := r.convs.Load(row); ok {
		return e.(*Entry), nil
	}
	e, err := r.ConversationRow(row)
	if err == nil {
		r.convs.Store(row, e)
	}
	return e, err
}
