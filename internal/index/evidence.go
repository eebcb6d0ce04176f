package index

import (
	"encoding/json"
	"errors"
	"fmt"

	"lore"
)

// State is what was read of an evidence.
type State struct {
	Snapshot int64 // the archive's snapshot id; 0: none
	Reader   int   // adapter version that read it
	RestsOn  int64 // see Evidence
	Settled  bool  // see Evidence
	Failed   bool  // it could not be read
}

const evidenceColumns = "SELECT id, source, store, path, snapshot, reader, rests_on, settled, failure, ledger, losses FROM evidences "

func (c *Catalog) evidences(where string, args ...any) (out []Evidence, err error) {
	err = c.rows(evidenceColumns+where, args, func(scan func(...any) error) error {
		var e Evidence
		var ledger, losses string
		err := scan(&e.ID, &e.Source, &e.Store, &e.Path, &e.Snapshot, &e.Reader, &e.RestsOn, &e.Settled, &e.Failure, &ledger, &losses)
		if err == nil {
			err = decodeAccount(ledger, losses, &e.Ledger, &e.Losses)
		}
		out = append(out, e)
		return err
	})
	return out, err
}

// Evidence returns what is known of an evidence, or ErrNotFound.
func (c *Catalog) Evidence(id int64) (*Evidence, error) {
	all, err := c.evidences("WHERE id = ?", id)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, ErrNotFound
	}
	return &all[0], nil
}

// SnapshotOf returns which snapshot of an evidence was read, by the archive's id; 0 when none was.
func (c *Catalog) SnapshotOf(evidence int64) (snapshot int64, err error) {
	err = c.one("SELECT snapshot FROM evidences WHERE id = ?", []any{evidence}, &snapshot)
	if errors.Is(err, ErrNotFound) {
		err = nil
	}
	return snapshot, err
}

// EvidenceAt returns the evidences with that home-collapsed path. None is no error.
func (c *Catalog) EvidenceAt(path string) ([]Evidence, error) {
	return c.evidences("WHERE path = ? ORDER BY id", path)
}

// Evidences returns every evidence, by id.
func (c *Catalog) Evidences() ([]Evidence, error) { return c.evidences("ORDER BY id") }

// States returns what was read of every evidence, without ledgers and losses: fast for many thousands.
func (c *Catalog) States() (map[int64]State, error) {
	out := map[int64]State{}
	err := c.rows("SELECT id, snapshot, reader, rests_on, settled, failure <> '' FROM evidences", nil, func(scan func(...any) error) error {
		var id int64
		var s State
		err := scan(&id, &s.Snapshot, &s.Reader, &s.RestsOn, &s.Settled, &s.Failed)
		out[id] = s
		return err
	})
	return out, err
}

const linkColumns = "l.evidence, l.rank, l.digest, l.partial, l.messages, l.ledger, l.losses FROM links l "

func scanLink(scan func(...any) error, first ...any) (l Link, err error) {
	var ledger, losses string
	err = scan(append(first, &l.Evidence, &l.Rank, &l.Digest, &l.Partial, &l.Messages, &ledger, &losses)...)
	if err == nil {
		err = decodeAccount(ledger, losses, &l.Ledger, &l.Losses)
	}
	return l, err
}

// Links returns what each evidence contributes to a conversation, by rank and then evidence.
func (c *Catalog) Links(conv lore.ID) (out []Link, err error) {
	err = c.rows("SELECT "+linkColumns+"JOIN conversations c ON c.row = l.conversation WHERE c.id = ? ORDER BY l.rank, l.evidence",
		[]any{conv[:]}, func(scan func(...any) error) error {
			l, err := scanLink(scan)
			out = append(out, l)
			return err
		})
	return out, err
}

// LinkedTo returns every conversation that an evidence contributes to.
func (c *Catalog) LinkedTo(evidence int64) (out []LinkOf, err error) {
	err = c.rows("SELECT c.id, "+linkColumns+"JOIN conversations c ON c.row = l.conversation WHERE l.evidence = ? ORDER BY c.row",
		[]any{evidence}, func(scan func(...any) error) error {
			var id []byte
			l, err := scanLink(scan, &id)
			if err == nil && len(id) != len(lore.ID{}) {
				err = fmt.Errorf("link of evidence %d: %w", evidence, ErrRebuild)
			}
			if err != nil {
				return err
			}
			out = append(out, LinkOf{Conversation: lore.ID(id), Link: l})
			return nil
		})
	return out, err
}

func (c *Catalog) facts(where string, args ...any) (out []Fact, err error) {
	err = c.rows("SELECT evidence, kind, source, native, about, data FROM facts "+where, args, func(scan func(...any) error) error {
		var f Fact
		err := scan(&f.Evidence, &f.Kind, &f.Source, &f.Native, &f.About, &f.Data)
		out = append(out, f)
		return err
	})
	return out, err
}

// FactsFor returns the facts about the conversation with that native id, by evidence.
func (c *Catalog) FactsFor(source, native string) ([]Fact, error) {
	return c.facts("WHERE native = ? AND native <> '' AND source = ? ORDER BY evidence, rowid", native, source)
}

// FactsAbout returns the facts that name a conversation by that native id of one of its messages.
func (c *Catalog) FactsAbout(source, message string) ([]Fact, error) {
	return c.facts("WHERE about = ? AND about <> '' AND source = ? ORDER BY evidence, rowid", message, source)
}

// FactsOf returns the facts that an evidence says.
func (c *Catalog) FactsOf(evidence int64) ([]Fact, error) {
	return c.facts("WHERE evidence = ? ORDER BY rowid", evidence)
}

// Facts returns every fact, by evidence.
func (c *Catalog) Facts() ([]Fact, error) { return c.facts("ORDER BY evidence, rowid") }

// encodeAccount writes a ledger and losses as the catalogue keeps them: empty where there is nothing to say.
func encodeAccount(ledger lore.Ledger, losses []lore.Loss) (l, o string) {
	if ledger.Units != 0 || ledger.Types != nil || !ledger.Balanced() {
		l = string(lore.AppendJSON(nil, ledger))
	}
	if len(losses) > 0 {
		o = string(lore.AppendJSON(nil, losses))
	}
	return l, o
}

func decodeAccount(l, o string, ledger *lore.Ledger, losses *[]lore.Loss) error {
	if l != "" {
		if err := json.Unmarshal([]byte(l), ledger); err != nil {
			return fmt.Errorf("ledger: %v: %w", err, ErrRebuild)
		}
	}
	if o != "" {
		if err := json.Unmarshal([]byte(o), losses); err != nil {
			return fmt.Errorf("losses: %v: %w", err, ErrRebuild)
		}
	}
	return nil
}
