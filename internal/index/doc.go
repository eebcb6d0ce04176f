// Package index is the disposable half of what lore stores: a full-text index of every message and a catalogue of every
// conversation, both computed from the archive and thrown away without regret. A wrong version or a damaged byte is
// ErrRebuild, never a wrong answer.
//
// Messages live in immutable segment files: a sorted term dictionary, posting lists, columns of fixed width and the
// words that snippets are made of. Conversations, evidences and the list of the segments that count are rows of
// catalog.db, so that one SQLite transaction makes everything of a commit visible at once.
//
// The package must not know how a source is written, how the archive stores bytes, or what a surface looks like. Where
// it needs bytes that it does not hold, it asks through a function.
package index

import "errors"

// Version is the version of everything the package writes. An index of another version is rebuilt.
//
//	1  first layout
//	2  conversations without messages are not counted or listed
//	3  smaller chunks and blocks, content ids in two columns
//	5  what else a reading rests on, and whether its import came to its end; 4 had it under another name
const Version = 5

// ErrNone says that the folder holds no index.
var ErrNone = errors.New("no index")

// ErrRebuild says that the index is of another version or damaged: build a new one in a folder beside it and swap. It
// is wrapped with what was found.
var ErrRebuild = errors.New("the index has to be rebuilt")

// ErrBusy says that another writer has committed since this one was opened, or holds the catalogue.
var ErrBusy = errors.New("another import is writing the index")

// ErrNotFound says that no conversation or message has that id.
var ErrNotFound = errors.New("not in the index")
