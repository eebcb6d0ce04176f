package index

import "lore"

// ReaderOptions tunes a reader.
type ReaderOptions struct {
	// Raw returns bytes of an evidence's newest content, decoded where the evidence is compressed. It is asked when a
	// snippet or a literal needs text that the index does not hold. Nil: such text is not looked at, and a total that
	// depends on it is not exact.
	Raw func(evidence, offset, length int64) ([]byte, error)
}

// Reader answers from one state of the index: what was committed when it was opened. It may be used from several
// goroutines. Open and close are cheap; a program that runs long opens a new one when Current says no.
type Reader struct {
	Catalog
}

// Open opens the index in dir. ErrNone: there is none. ErrRebuild: of another version, or damaged.
func Open(dir string, o ReaderOptions) (*Reader, error) { return nil, ErrNone }

// Close releases the files.
func (r *Reader) Close() error { return nil }

// Current reports whether nothing was committed since the reader was opened.
func (r *Reader) Current() bool { return true }

// Messages returns the fixed facts of a conversation's messages, in order.
func (r *Reader) Messages(conv lore.ID) ([]Message, error) { return nil, nil }

// Message returns one message by its full id, or ErrNotFound.
func (r *Reader) Message(id lore.ID) (*Message, error) { return nil, ErrNotFound }

// ByNativeHash returns the messages whose native id has that hash (see HashNative). Two ids can share a hash: compare.
func (r *Reader) ByNativeHash(hash uint64) ([]Message, error) { return nil, nil }

// HashNative is the hash under which the native id of a message is found.
func HashNative(native string) uint64 { return 0 }

// Match is what an id stands for.
type Match struct {
	ID           lore.ID
	Conversation lore.ID // of a message; equal to ID for a conversation
	IsMessage    bool
}

// Resolve returns what a full id, or a prefix of four or more characters, stands for: conversations first, at most
// limit of them. None: ErrNotFound. More than one is ambiguous, and it is the caller who says so.
func (r *Reader) Resolve(prefix string, limit int) ([]Match, error) { return nil, ErrNotFound }

// ShortLen returns how many characters of each id are enough to name it alone; at least 12.
func (r *Reader) ShortLen(ids []lore.ID) ([]int, error) { return nil, nil }
