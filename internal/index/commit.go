package index

import (
	"bytes"
	"context"
	"errors"
	"os"
	"sync"

	"lore"
	"lore/internal/fault"
)

// putConversation stages header, filter columns and links of a conversation, and reports whether they differ from what
// the catalogue had. The stage lock is held and a transaction is open.
func (w *Writer) putConversation(row int64, c *lore.Conversation, inSource bool, links []Link) (changed bool, err error) {
	header := lore.AppendJSON(nil, c)
	old, err := w.ConversationRow(row)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return false, err
	}
	var parent, lineage []byte
	var parentNative, lineageNative string
	if c.Parent != nil {
		parent, parentNative = idColumn(c.Parent.ID), c.Parent.Native
	}
	if c.Lineage != nil {
		lineage, lineageNative = idColumn(c.Lineage.Of), c.Lineage.OfNative
	}
	losses := 0
	for i := range links {
		for _, l := range links[i].Losses {
			losses += max(l.Count, 1)
		}
	}
	if old == nil || old.InSource != inSource || old.Losses != losses || old.Evidence != len(links) || old.Place != c.Place ||
		old.ParentNative != parentNative || old.LineageNative != lineageNative || !bytes.Equal(old.Header, header) {
		changed = true
		err := w.exec(`INSERT OR REPLACE INTO conversations (row, id, hash, source, store, native, place, dir, project, branch,
			remote, kind, at, started, ended, archived, in_source, messages, losses, evidences, parent, parent_native,
			lineage, lineage_native, title) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`,
			row, c.ID[:], c.ContentHash[:], c.Source, c.Store, c.Native, c.Place, c.Project.Dir, c.Project.Name,
			c.Project.Branch, c.Project.Remote, string(c.Kind), orderTime(c), timeColumn(c.StartedAt), timeColumn(c.EndedAt),
			c.Archived, inSource, c.MessageCount, losses, len(links), parent, parentNative, lineage, lineageNative, c.Title)
		if err == nil {
			err = w.exec("INSERT OR REPLACE INTO headers (row, header) VALUES (?,?)", row, header)
		}
		if err != nil {
			return false, err
		}
	}
	relinked, err := w.putLinks(row, links)
	return changed || relinked, err
}

func idColumn(id lore.ID) []byte {
	if id.IsZero() {
		return nil
	}
	return id[:]
}

// linkRow is a link as the catalogue keeps it, comparable.
type linkRow struct {
	evidence       int64
	rank           int
	digest         string
	partial        bool
	messages       int
	ledger, losses string
}

func (w *Writer) putLinks(row int64, links []Link) (changed bool, err error) {
	have := map[int64]linkRow{}
	err = w.rows("SELECT evidence, rank, digest, partial, messages, ledger, losses FROM links WHERE conversation = ?", []any{row},
		func(scan func(...any) error) error {
			var l linkRow
			var digest []byte
			err := scan(&l.evidence, &l.rank, &digest, &l.partial, &l.messages, &l.ledger, &l.losses)
			l.digest = string(digest)
			have[l.evidence] = l
			return err
		})
	if err != nil {
		return false, err
	}
	for i := range links {
		l := &links[i]
		ledger, losses := encodeAccount(l.Ledger, l.Losses)
		want := linkRow{l.Evidence, l.Rank, string(l.Digest), l.Partial, l.Messages, ledger, losses}
		if old, ok := have[l.Evidence]; !ok || old != want {
			changed = true
			if err := w.exec(`INSERT OR REPLACE INTO links (conversation, evidence, rank, digest, partial, messages, ledger,
				losses) VALUES (?,?,?,?,?,?,?,?)`, row, l.Evidence, l.Rank, l.Digest, l.Partial, l.Messages, ledger, losses); err != nil {
				return false, err
			}
		}
		delete(have, l.Evidence)
	}
	for evidence := range have {
		changed = true
		if err := w.exec("DELETE FROM links WHERE conversation = ? AND evidence = ?", row, evidence); err != nil {
			return false, err
		}
	}
	return changed, nil
}

// Commit writes what the sessions hold to segment files, syncs them, and makes all that was staged visible in one
// transaction. The writer and its sessions can be used on. No session may be between Begin and Finish. After an error
// nothing is visible, and the writer can only be closed.
func (w *Writer) Commit(ctx context.Context, stamp Stamp) error {
	if err := w.spillAll(ctx); err != nil {
		return err
	}
	w.stage.Lock()
	defer w.stage.Unlock()
	if len(w.active) > 0 {
		return errors.New("index: a commit while a conversation is begun and not finished")
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	fault.At("index: before a commit is begun")
	syncDir(w.dir)
	if err := w.begin(); err != nil {
		return err
	}
	if err := w.putManifest(); err != nil {
		return err
	}
	if err := w.putMeta(stamp); err != nil {
		return err
	}
	fault.At("index: before a commit")
	if err := w.exec("COMMIT"); err != nil {
		return err
	}
	fault.At("index: behind a commit")
	w.done()
	if err := w.openSegments(); err != nil {
		return err
	}
	w.sweep()
	return nil
}

// spillAll writes the builders of all sessions, at the same time.
func (w *Writer) spillAll(ctx context.Context) error {
	w.stage.Lock()
	sessions := w.sessions
	w.stage.Unlock()
	errs := make([]error, len(sessions))
	var wait sync.WaitGroup
	for i, s := range sessions {
		if s.into != nil {
			wait.Go(func() { errs[i] = s.spill() })
		}
	}
	wait.Wait()
	return errors.Join(errs...)
}

// putManifest stages the new segments and the deletions in old ones. A segment without a living document leaves.
func (w *Writer) putManifest() error {
	for _, p := range w.pending {
		if len(p.deleted) == int(p.docs) {
			continue
		}
		var deletions []byte
		if len(p.deleted) > 0 {
			b := newBitset(p.docs)
			for doc := range p.deleted {
				b.set(doc)
			}
			deletions = b.bytes()
		}
		w.nextSeq++
		if err := w.exec("INSERT INTO segments (seq, name, docs, deleted, bytes, deletions) VALUES (?,?,?,?,?,?)",
			w.nextSeq, p.name, p.docs, len(p.deleted), p.size, deletions); err != nil {
			return err
		}
	}
	for s, b := range w.deleted {
		var err error
		if n := b.count(); n == int(s.docs) {
			err = w.exec("DELETE FROM segments WHERE seq = ?", s.seq)
		} else {
			err = w.exec("UPDATE segments SET deleted = ?, deletions = ? WHERE seq = ?", n, b.bytes(), s.seq)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *Writer) putMeta(stamp Stamp) error {
	const put = "INSERT OR REPLACE INTO meta (key, value) VALUES (?,?)"
	return errors.Join(
		w.firstPage(),
		w.exec(put, "generation", w.generation+1),
		w.exec(put, "next_row", w.nextRow),
		w.exec(put, "archive", stamp.Archive),
		w.exec(put, "as_of", asOf(stamp.AsOf)),
		// Counted once a commit, so that no search has to.
		w.exec("INSERT OR REPLACE INTO meta (key, value) SELECT 'conversations', count(*) FROM conversations WHERE messages > 0"))
}

// syncDir makes the names of new files durable where the system can.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		d.Sync()
		d.Close()
	}
}
