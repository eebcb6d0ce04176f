package index

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"lore"
	"lore/internal/pages"
)

// Fault is one thing that is wrong in an index. The remedy is always the same: to make it anew from the archive.
type Fault struct {
	What         string  // "database", "page", "sums", "segment", "conversation", "link", "evidence", "fact"
	Name         string  // of a segment; empty for other things
	ID           int64   // number of a page, a conversation's row or an evidence; 0: none
	Conversation lore.ID // that suffers; zero: not known
	Detail       string  // one line
}

// CheckReport is what a check of the index by itself found.
type CheckReport struct {
	Conversations, Messages, Evidences, Segments int
	Pages                                        int // that were compared with their sums; 0: these are not known
	Faults                                       []Fault
}

// Check compares the parts of the index with each other: rows with rows, and the catalogue's counts with the documents of
// the segments. When full is set, it also compares every page of the catalogue and every chunk of the segments with its
// checksum. An error means that the check itself could not be done.
func (r *Reader) Check(ctx context.Context, full bool) (*CheckReport, error) {
	k := &indexCheck{r: r, ctx: ctx, full: full, messages: map[int64]int{}}
	for _, step := range []func() error{k.pages, k.database, k.segments, k.conversations, k.links} {
		if err := step(); err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			k.fault(Fault{What: "database", Detail: trimLines(err.Error())})
		}
	}
	return &k.report, nil
}

// indexCheck is a Check on its way.
type indexCheck struct {
	r        *Reader
	ctx      context.Context
	full     bool
	messages map[int64]int // living documents, by row of their conversation
	report   CheckReport
}

func (k *indexCheck) fault(f Fault) { k.report.Faults = append(k.report.Faults, f) }

// pagesNamed is how many bad pages get a fault of their own.
const pagesNamed = 10

func (k *indexCheck) pages() error {
	if !k.full {
		return nil
	}
	k.r.mu.Lock()
	defer k.r.mu.Unlock()
	v, err := pages.Check(k.ctx, k.r.conn, filepath.Join(k.r.dir, sumsName), k.r.last.generation)
	if errors.Is(err, pages.ErrUnreadable) {
		k.fault(Fault{What: "sums", Detail: "the file of the sums of pages is damaged"})
		return nil
	}
	k.report.Pages = v.Pages
	for i, page := range v.Bad {
		if i == pagesNamed {
			k.fault(Fault{What: "database", Detail: fmt.Sprintf("%d more pages are not as they were written", len(v.Bad)-i)})
			break
		}
		k.fault(Fault{What: "page", ID: int64(page), Detail: "its bytes are not as they were written"})
	}
	return err
}

func (k *indexCheck) database() error {
	query := "PRAGMA quick_check(20)"
	if k.full {
		query = "PRAGMA integrity_check(20)"
	}
	return k.r.rows(query, nil, func(scan func(...any) error) error {
		var line string
		err := scan(&line)
		if err == nil && line != "ok" {
			k.fault(Fault{What: "database", Detail: line})
		}
		return err
	})
}

// segments reads what the check needs of every segment, all of it when the check is full.
func (k *indexCheck) segments() error {
	for _, s := range k.r.segments {
		k.report.Segments++
		err := k.ctx.Err()
		if err == nil && k.full {
			err = s.check(0, s.dir.tableAt)
		}
		if err == nil {
			err = k.documents(s)
		}
		if err != nil {
			k.fault(Fault{What: "segment", Name: s.name, Detail: trimLines(err.Error())})
		}
	}
	return k.ctx.Err()
}

// documents counts the living messages of a segment.
func (k *indexCheck) documents(s *segment) error {
	if n := s.deleted.count(); n != s.gone {
		return fmt.Errorf("%d documents are deleted, the catalogue says %d", n, s.gone)
	}
	conv, err := s.whole(secConv)
	if err != nil {
		return err
	}
	kinds, err := s.whole(secKinds)
	if err != nil {
		return err
	}
	for doc := range s.docs {
		if s.deleted.has(doc) {
			continue
		}
		row := int64(binary.LittleEndian.Uint32(conv[4*doc:]))
		if n := k.messages[row]; Kinds(kinds[doc])&titleBit == 0 {
			k.messages[row] = n + 1
		} else {
			k.messages[row] = n // the row has a document
		}
	}
	return nil
}

// conversations compares the columns of each with its header and with its documents.
func (k *indexCheck) conversations() error {
	type figures struct {
		entry    Entry
		messages int
	}
	var all []figures
	err := k.r.rows("SELECT c.messages, "+entryColumns+"ORDER BY c.row", nil, func(scan func(...any) error) error {
		var f figures
		e, err := scanEntry(func(dest ...any) error {
			return scan(append([]any{&f.messages}, dest...)...)
		})
		f.entry = e
		all = append(all, f)
		return err
	})
	if err != nil {
		return err
	}
	for _, f := range all {
		e := &f.entry
		k.report.Conversations++
		k.report.Messages += f.messages
		bad := func(format string, args ...any) {
			k.fault(Fault{What: "conversation", ID: e.Row, Conversation: e.ID, Detail: fmt.Sprintf(format, args...)})
		}
		if n := k.messages[e.Row]; n != f.messages {
			bad("the catalogue counts %d messages, the segments have %d", f.messages, n)
		}
		delete(k.messages, e.Row)
		c, err := e.Conversation()
		switch {
		case err != nil:
			bad("%s", trimLines(err.Error()))
		case c.ID != e.ID || c.ContentHash != e.Hash || c.Source != e.Source || c.Store != e.Store || c.Native != e.Native || c.MessageCount != f.messages:
			bad("its row and its header differ")
		}
	}
	rows := make([]int64, 0, len(k.messages))
	for row := range k.messages {
		rows = append(rows, row)
	}
	slices.Sort(rows)
	for _, row := range rows {
		k.fault(Fault{What: "conversation", ID: row, Detail: fmt.Sprintf("%d messages in the segments are of a conversation that the catalogue lacks", k.messages[row])})
	}
	var headers, conversations int
	if err := k.r.one("SELECT (SELECT count(*) FROM headers), (SELECT count(*) FROM conversations)", nil, &headers, &conversations); err != nil {
		return err
	}
	if n := k.r.last.conversations; n != conversations {
		k.fault(Fault{What: "conversation", Detail: fmt.Sprintf("the last commit counted %d conversations, there are %d", n, conversations)})
	}
	if headers != conversations {
		k.fault(Fault{What: "conversation", Detail: fmt.Sprintf("%d conversations have %d headers", conversations, headers)})
	}
	return nil
}

// links looks for rows that speak of what is not there, and for conversations with other links than they count.
func (k *indexCheck) links() error {
	if err := k.r.one("SELECT count(*) FROM evidences", nil, &k.report.Evidences); err != nil {
		return err
	}
	for _, x := range []struct{ what, query, detail string }{
		{"link", "SELECT conversation FROM links WHERE conversation NOT IN (SELECT row FROM conversations)", "a link is of a conversation that the catalogue lacks"},
		{"link", "SELECT evidence FROM links WHERE evidence NOT IN (SELECT id FROM evidences)", "a link is of an evidence that the catalogue lacks"},
		{"fact", "SELECT evidence FROM facts WHERE evidence NOT IN (SELECT id FROM evidences)", "a fact is of an evidence that the catalogue lacks"},
		{"conversation", "SELECT row FROM conversations c WHERE evidences <> (SELECT count(*) FROM links WHERE conversation = c.row)", "it counts other evidences than it has"},
	} {
		err := k.r.rows(x.query, nil, func(scan func(...any) error) error {
			f := Fault{What: x.what, Detail: x.detail}
			err := scan(&f.ID)
			k.fault(f)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
