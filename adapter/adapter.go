// Package adapter is the contract between the program and a format: what an adapter is told, what it yields, and the
// two errors that keep "not mine" and "mine but broken" apart. It knows no format and no storage.
//
// An adapter is a pure function from bytes to records. It hashes nothing, stores nothing, prints nothing, reads no clock,
// starts no process and touches no network. The same bytes give the same records, on every machine.
package adapter

import (
	"context"
	"errors"
	"io/fs"
	"iter"

	"lore"
)

// Adapter reads the history of one agent product (or of several that write the same format).
type Adapter interface {
	// Info says what the adapter reads. It is constant.
	Info() Info

	// Find yields the evidences below one root: names and stats only, no file is opened but for an index that names
	// others. A folder that cannot be read is yielded as an error and does not end the walk; a thing that is skipped
	// on purpose (a link that leads out, a pipe) is yielded as a lore.Loss in the error's place, with Source.Path set.
	// A root that is not there yields nothing. The order is that of the names.
	Find(ctx context.Context, at Place) iter.Seq2[Source, error]

	// Read yields the conversations that one evidence speaks of, and partial records for facts about others. All that
	// is damaged inside is a loss in a record; an error ends the evidence and means that nothing (more) can be read:
	// ErrNotMine when the bytes are of another format, ErrMalformed when they are of this one and beyond reading.
	// Every unit of the evidence is in the ledger of exactly one yielded record.
	Read(ctx context.Context, in Input) iter.Seq2[*lore.Conversation, error]
}

// ErrNotMine says that the evidence is of another format. Nothing was yielded before it.
var ErrNotMine = errors.New("not a file of this source")

// ErrMalformed says that the evidence is of this format but cannot be read at all.
var ErrMalformed = errors.New("malformed")

// Info describes an adapter.
type Info struct {
	Name    string  // the folder's name
	Title   string  // the product's own name, for people: "Claude Code"
	Version int     // version of the reading rules; raised when the same bytes give other records
	Stores  []Store // at least one; the first one's source is the product that the adapter is named for
	Roots   []Root
	Fidelity

	// Databases says which rows are read of a database that a user names outside of its usual place. No other rows of a
	// database are ever kept.
	Databases []Database

	// Retention says that the product deletes history by itself. Nil: it is not known to.
	Retention *Retention
}

// Database is a kind of database: how it is told, and which of its rows are read.
type Database struct {
	Store  string
	Tables []string // it has all of them
	Ranges []Range
	Split  *Split // nil: it is one evidence
}

// Retention is the schedule on which a product deletes its own history.
type Retention struct {
	Days int    // after the last activity, unless the user has set another number
	File string // JSON file of settings, below the root
	Key  string // of the number of days in it
}

// Store is one of a source's places.
type Store struct {
	Source string // frozen source name that is hashed into ids
	Name   string // frozen store name
	What   string // what it holds, one phrase
	Rank   int    // where two stores speak of one conversation, the lower rank is the richer record and stands

	// Prompts is true for a store that holds only what the person typed. A conversation of which nothing else is left
	// gets the loss prompts_only.
	Prompts bool

	// Resume is the command by which the product takes up a conversation of this store again, in the folder of its
	// project; "{id}" stands for the conversation's native id. Nil: none is known.
	Resume []string

	// PutBack is true where the product finds a file of this store again that was deleted and is put back in its place.
	PutBack bool

	// Fragments says whether a text of a record may be put together of several strings of the source, so that a word of
	// the text need not stand in the bytes.
	Fragments Fragments
}

// Fragments says how long the strings are of which a text is put together.
type Fragments uint8

// A text stands whole in the bytes; it is put together of strings that are mostly sentences or more; or of single words
// and syllables, as a model's answer streams in.
const (
	NoFragments Fragments = iota
	LongFragments
	ShortFragments
)

// Root is a folder in which the product keeps its history.
type Root struct {
	Source string // frozen source name of what is found there
	OS     string // GOOS it applies to; empty: all
	Path   string // relative to the home folder, slashes forward
	Env    string // variable that replaces the home folder and Path with its value; empty: none
	Sub    string // path below the variable's value; empty: the value itself

	// Elsewhere returns the folders that a list in the root names, as the product wrote them: those of projects that keep
	// their own history. Each one that is absolute, there, and no link, is searched as a place of its own, with Listed
	// set, as if it had been declared. Nil: there is no list.
	Elsewhere func(ctx context.Context, at Place) []string

	// Listed is true of no declared root but of a folder that Elsewhere names: Path is then absolute.
	Listed bool

	// Apart are patterns, as of path.Match, of folders below the root that can be looked at alone: an evidence in one has
	// no companion outside of it, and no evidence outside has one in it. None: only the whole root can be.
	Apart []string
}

// Fidelity declares, for people and for docs/FAITHFULNESS.md, what the adapter keeps and what it does not.
type Fidelity struct {
	Keeps  []string // "typed prompts, also queued ones"
	Leaves []string // "file-history snapshots: no conversation" — what is not in the record, and why
	Notes  []string // what the vendor does to the history, e.g. that it is deleted after 30 days
}

// Place is one root on this machine, ready to be searched.
type Place struct {
	Root Root
	FS   fs.FS  // the folder; a name in it never leads outside
	Name string // the folder's path with the home as "~", slashes forward; prefix of every locator

	// Followed says that the folders which Root.Elsewhere names are looked at too. So it is with the folders of
	// this machine, and not with a copy of them or in an export, whose list speaks of another time or machine.
	Followed bool
}

// Source is one evidence that Find has found: a file with its companions, or a database with its key ranges.
type Source struct {
	Product string // frozen source name
	Store   string // frozen store name; empty when a user named the file and Read has to tell
	Path    string // slash path below the place
	Info    fs.FileInfo

	// Companions are further files, below the same place, that Read opens while it reads this one (full tool results,
	// metadata). They are kept with it, and a change to one is a change to the evidence.
	Companions []string

	// Ranges are the rows that belong to conversations, when the evidence is a database. Nothing else in it is read.
	// Read opens Path with kit.OpenRows, which reads the live database and what the archive keeps of it alike.
	Ranges []Range

	// Split says that the rows of a database fall into parts that are kept, compared and read each for itself, so that a
	// new message in one conversation does not make the others be read again. Nil: the rows are one evidence.
	Split *Split

	// Part is the one part that Read is given; empty for the whole evidence. Path then names the part's rows.
	Part string
}

// Split divides the rows of a database, most often by conversation.
type Split struct {
	// Of returns the part that a row of one of the Ranges belongs to; "" leaves the row out.
	Of func(table, key string) string

	// Ranges returns the rows of a part.
	Ranges func(part string) []Range

	// Members are columns that name a part in each row: a conversation whose own row is gone is known by the messages
	// that name it, and by nothing else. Each should have an index.
	Members []Column
}

// Column is a column of a table of a database.
type Column struct {
	Table string
	Name  string
}

// Range is a range of keys in a table of a database: From <= key < To. An empty To means the exact key From.
type Range struct {
	Table string
	From  string
	To    string

	// Column is the column that From speaks of, where that is not the table's own key: the conversation that a message
	// belongs to, say. Then only an exact From can be asked for, and the column should have an index. No other range of
	// the same part is of the same table.
	Column string
}

// Input is one evidence, ready to be read: live, archived, out of an export, or a test's own.
type Input struct {
	Source Source

	// FS holds Source.Path and the companions, and may hold nothing else. Every file in it implements io.ReaderAt.
	FS fs.FS

	// Place is the home-collapsed path of the root: locators and losses name Place + "/" + path.
	Place string

	// Bound is how many bytes of text one piece of a conversation may hold before it is yielded. 0: DefaultBound.
	Bound int64

	// Save, where it is set, is called by a Resumer between two pieces of the only conversation of an evidence, before
	// the first one too: what it is given makes the state to which Resume can go back. It is called or not at all
	// before the reading ends; the places after it may be better ones. Nil: no state is asked for.
	Save func(state func() []byte)

	// Step is how many bytes of the evidence lie, roughly, between two such places; they are offered from four times as
	// far before its end on. 0: DefaultStep.
	Step int64
}

// DefaultBound is the size of a piece, in bytes of text.
const DefaultBound = 8 << 20

// DefaultStep is how far two places lie apart at which a state can be saved, in bytes.
const DefaultStep = 256 << 10

// SaveStep returns Step or its default, and from how far before the end on a state should be offered.
func (in Input) SaveStep() (step, within int64) {
	step = DefaultStep
	if in.Step > 0 {
		step = in.Step
	}
	return step, 4 * step
}

// Name returns how locators and losses name a file of the evidence.
func (in Input) Name(path string) string {
	if in.Place == "" {
		return path
	}
	return in.Place + "/" + path
}

// PieceBound returns Bound or its default.
func (in Input) PieceBound() int64 {
	if in.Bound > 0 {
		return in.Bound
	}
	return DefaultBound
}

// Resumer is an adapter that can go on with an evidence that has only grown, so that a line at the end of a long session
// costs what the line costs.
type Resumer interface {
	Adapter

	// Resume yields what Read would yield behind the place at which a state was saved: exactly that, with the ledger,
	// the losses and the facts of the whole evidence in the records that Read puts them in. The bytes up to the end that
	// the earlier reading saw are as they were. ErrStale, before anything is yielded, says that what was appended changes
	// what came before the place, or that the state is of no use; the evidence then has to be read as a whole.
	Resume(ctx context.Context, in Input, state []byte) iter.Seq2[*lore.Conversation, error]
}

// ErrStale says that an evidence cannot be read on from a state.
var ErrStale = errors.New("the state does not fit what was appended")
