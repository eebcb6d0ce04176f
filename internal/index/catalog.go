package index

import "lore"

// Catalog answers questions about conversations and evidences from catalog.db. Its methods may be called from several
// goroutines.
type Catalog struct{}

// Conversation returns the conversation with that id, or ErrNotFound.
func (c *Catalog) Conversation(id lore.ID) (*Entry, error) { return nil, ErrNotFound }

// ByNative returns the conversations of a source with that native id, oldest row first; source "" is any source. None
// is no error.
func (c *Catalog) ByNative(source, native string) ([]Entry, error) { return nil, nil }

// Evidence returns what is known of an evidence, or ErrNotFound.
func (c *Catalog) Evidence(id int64) (*Evidence, error) { return nil, ErrNotFound }

// EvidenceAt returns the evidences with that home-collapsed path. None is no error.
func (c *Catalog) EvidenceAt(path string) ([]Evidence, error) { return nil, nil }

// Evidences returns every evidence, by id.
func (c *Catalog) Evidences() ([]Evidence, error) { return nil, nil }

// States returns what was read of every evidence, without ledgers and losses: fast for many thousands.
func (c *Catalog) States() (map[int64]State, error) { return nil, nil }

// State is what was read of an evidence.
type State struct {
	Snapshot int64
	Reader   int
	Failed   bool
}

// Links returns what each evidence contributes to a conversation, by rank and then evidence.
func (c *Catalog) Links(conv lore.ID) ([]Link, error) { return nil, nil }

// LinkedTo returns every conversation that an evidence contributes to.
func (c *Catalog) LinkedTo(evidence int64) ([]LinkOf, error) { return nil, nil }

// FactsFor returns the facts about the conversation with that native id, by evidence.
func (c *Catalog) FactsFor(source, native string) ([]Fact, error) { return nil, nil }

// FactsAbout returns the facts that name a conversation by that native id of one of its messages.
func (c *Catalog) FactsAbout(source, message string) ([]Fact, error) { return nil, nil }

// FactsOf returns the facts that an evidence says.
func (c *Catalog) FactsOf(evidence int64) ([]Fact, error) { return nil, nil }

// Facts calls f for every fact.
func (c *Catalog) Facts(f func(Fact) error) error { return nil }

// Continuing returns the conversations whose lineage names the given one.
func (c *Catalog) Continuing(id lore.ID) ([]Entry, error) { return nil, nil }

// Children returns the conversations that the given one started.
func (c *Catalog) Children(id lore.ID) ([]Entry, error) { return nil, nil }

// Stamp returns what the last commit was computed from, and the generation, which every commit raises.
func (c *Catalog) Stamp() (Stamp, int64, error) { return Stamp{}, 0, nil }
