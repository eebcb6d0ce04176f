package archive

import "time"

// File is one evidence that the archive follows: a file of a source, or the row set of a database. Source, Store and
// Path together are its key.
type File struct {
	ID       int64
	Source   string // frozen source name
	Store    string // frozen store name; empty when it is not known
	Path     string // home-collapsed, slashes forward
	Place    string // the folder that Path was found below, home-collapsed; Path begins with it. Kept with the file, not part of its key
	Of       int64  // id of the first evidence that this file is a companion of, see Mains; 0: it is none
	Stat     Stat   // as of the last import that read it, or found it touched
	Snapshot int64  // newest snapshot; 0: none was kept
	InSource bool   // false once an import found it gone
	Reader   int    // version of the reading rules that last read it; 0: never
}

// Stat is what the file system says of a file. A field that it does not say is 0.
type Stat struct {
	Size  int64  // bytes
	MTime int64  // nanoseconds since 1970
	CTime int64  // nanoseconds since 1970; 0 on systems that have none
	Inode uint64 // 0 on systems that have none
}

// Same reports whether s and t leave no reason to read the file again. Facts that one side lacks do not count.
func (s Stat) Same(t Stat) bool {
	return s.Size == t.Size && s.MTime == t.MTime &&
		(s.CTime == t.CTime || s.CTime == 0 || t.CTime == 0) &&
		(s.Inode == t.Inode || s.Inode == 0 || t.Inode == 0)
}

// Snapshot is a file as it was at one moment.
type Snapshot struct {
	ID      int64
	File    int64
	Size    int64     // bytes, as the source wrote them
	At      time.Time // when it was kept
	ModTime time.Time // the file's own time then; zero when the source says none
	Lines   bool      // kept as lines
	Sum     uint32    // CRC-32C of all its bytes

	// Extends is the snapshot before, when its bytes are the beginning of this one's; 0 otherwise.
	Extends int64

	// Plain says whether the decoded content of a compressed file is kept too, and whether all of it could be decoded.
	// PlainSize is its size; Size for a file that is not compressed.
	Plain     Plain
	PlainSize int64

	chain, plainChain int64
}

// Plain says what is known of the decoded content of a compressed file.
type Plain uint8

// A file that is not compressed; one that is, decoded to its end; one that ends early or is damaged, decoded up to
// there; one that expands beyond the bound, decoded up to it.
const (
	PlainNone Plain = iota
	PlainWhole
	PlainCut
	PlainLimited
)
