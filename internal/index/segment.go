package index

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sort"

	"lore"
)

// segment is an open segment together with what the catalogue says of it.
type segment struct {
	seq     int64
	name    string
	size    int64
	docs    uint32
	deleted bitset
	gone    int // how many are deleted
	*segmentFile
	dictionary
}

// segmentRow is one row of the segments table.
type segmentRow struct {
	seq       int64
	name      string
	docs      uint32
	deleted   int
	bytes     int64
	deletions []byte
}

// segmentRows returns the manifest.
func (c *Catalog) segmentRows() (out []segmentRow, err error) {
	err = c.rows("SELECT seq, name, docs, deleted, bytes, deletions FROM segments ORDER BY seq", nil,
		func(scan func(...any) error) error {
			var r segmentRow
			err := scan(&r.seq, &r.name, &r.docs, &r.deleted, &r.bytes, &r.deletions)
			out = append(out, r)
			return err
		})
	return out, err
}

// openSegment opens the file of a row. A file that is not there is fs.ErrNotExist: the manifest may have moved on.
func openSegment(dir string, r segmentRow) (*segment, error) {
	f, err := openSegmentFile(filepath.Join(dir, r.name))
	if err != nil {
		if errors.Is(err, os.ErrNotExist) || errors.Is(err, ErrRebuild) {
			return nil, fmt.Errorf("segment %q: %w", r.name, err)
		}
		return nil, err
	}
	s := &segment{seq: r.seq, name: r.name, size: r.bytes, docs: f.dir.docs, gone: r.deleted, segmentFile: f, dictionary: dictionary{f}}
	if f.dir.docs != r.docs {
		err = damaged("%d documents, the catalogue says %d", f.dir.docs, r.docs)
	} else {
		s.deleted, err = bitsetOf(r.docs, r.deletions)
	}
	if err != nil {
		f.close()
		return nil, fmt.Errorf("segment %q: %w", r.name, err)
	}
	return s, nil
}

// runsOf returns where the documents of a conversation are.
func (f *segmentFile) runsOf(conv uint32) ([]run, error) {
	all, err := f.whole(secRuns)
	if err != nil {
		return nil, err
	}
	n := len(all) / runSize
	at := sort.Search(n, func(i int) bool { return decodeRun(all[i*runSize:]).conv >= conv })
	var out []run
	for ; at < n; at++ {
		r := decodeRun(all[at*runSize:])
		if r.conv != conv {
			break
		}
		if uint64(r.first)+uint64(r.count) > uint64(f.dir.docs) {
			return nil, damaged("run %d+%d", r.first, r.count)
		}
		out = append(out, r)
	}
	return out, nil
}

// facts are the columns of one document.
type facts struct {
	conv    uint32
	flags   flags
	kinds   Kinds
	nanos   int64
	id      lore.ID
	content lore.ID
	native  uint64
	place   place
}

// factsOf reads all columns of one document.
func (f *segmentFile) factsOf(doc uint32) (facts, error) {
	var out facts
	le := binary.LittleEndian
	var err error
	read := func(s section) []byte {
		var b []byte
		if err == nil {
			b, err = f.row(s, doc)
		}
		if err != nil {
			return make([]byte, columnWidth[s])
		}
		return b
	}
	out.conv = le.Uint32(read(secConv))
	out.flags = flags(le.Uint16(read(secFlags)))
	out.kinds = Kinds(read(secKinds)[0])
	out.nanos = int64(le.Uint64(read(secTime)))
	out.id = lore.ID(read(secMessage))
	copy(out.content[:], read(secContentKey))
	copy(out.content[contentKey:], read(secContentRest))
	out.native = le.Uint64(read(secNative))
	out.place = decodePlace(read(secPlace))
	return out, err
}

// message returns the facts as the package gives them out.
func (x *facts) message() Message {
	return Message{
		ID: x.id, ContentID: x.content, Conversation: int64(x.conv), NativeHash: x.native, Role: x.flags.role(),
		Active: x.flags&flagActive != 0, Kinds: x.kinds, At: x.flags.at(x.nanos), Ordinal: x.place.ordinal,
		Evidence: int64(x.place.evidence), Offset: int64(x.place.offset), Length: int64(x.place.length), Line: int(x.place.line),
	}
}

// isTitle reports whether the document stands for a title and is no message.
func (x *facts) isTitle() bool { return x.kinds&titleBit != 0 }

// withPrefix calls f for the documents, deleted or not, whose message id begins with the bits of prefix, in the order of
// their ids, until f returns false.
func (f *segmentFile) withPrefix(prefix idPrefix, call func(doc uint32, id lore.ID) bool) error {
	at, n, err := f.firstFrom(prefix.low)
	for ; err == nil && at < n; at++ {
		var doc uint32
		var id []byte
		if doc, id, err = f.byMessage(at); err != nil {
			break
		}
		if bytes.Compare(id, prefix.high[:]) > 0 || !call(doc, lore.ID(id)) {
			return nil
		}
	}
	return err
}

// byMessage returns a document by its place in the order of message ids.
func (f *segmentFile) byMessage(at int) (doc uint32, id []byte, err error) {
	b, err := f.bytes(secByMessage, 4*int64(at), 4)
	if err != nil {
		return 0, nil, err
	}
	doc = binary.LittleEndian.Uint32(b)
	id, err = f.row(secMessage, doc)
	return doc, id, err
}

// guesses is how often the place of an id is guessed before the rest is halved: ids are digests, so that three or four are
// enough, each of which touches a chunk.
const guesses = 8

// firstFrom returns the first place in the order of message ids that is not before an id, and how many there are.
func (f *segmentFile) firstFrom(id lore.ID) (at, n int, err error) {
	n = int(f.dir.sections[secByMessage].len / 4)
	want := binary.BigEndian.Uint64(id[:])
	lo, hi, low, high := 0, n, uint64(0), uint64(math.MaxUint64)
	for try := 0; lo < hi; try++ {
		mid := lo + (hi-lo)/2
		if try < guesses && low <= want && want <= high && low < high {
			mid = min(lo+int(float64(want-low)/float64(high-low)*float64(hi-lo)), hi-1)
		}
		_, other, err := f.byMessage(mid)
		if err != nil {
			return 0, 0, err
		}
		if bytes.Compare(other, id[:]) < 0 {
			lo, low = mid+1, binary.BigEndian.Uint64(other)
		} else {
			hi, high = mid, binary.BigEndian.Uint64(other)
		}
	}
	return lo, n, nil
}

// withNative calls f for the documents whose native id has that hash.
func (f *segmentFile) withNative(hash uint64, call func(doc uint32)) error {
	order, err := f.whole(secByNative)
	if err != nil {
		return err
	}
	value := func(doc uint32) (uint64, error) {
		b, err := f.row(secNative, doc)
		if err != nil {
			return 0, err
		}
		return binary.LittleEndian.Uint64(b), nil
	}
	at, err := f.searchOrder(order, func(doc uint32) (int, error) {
		v, err := value(doc)
		if v < hash {
			return -1, err
		}
		return 0, err
	})
	for ; err == nil && at < len(order)/4; at++ {
		doc := binary.LittleEndian.Uint32(order[4*at:])
		v, verr := value(doc)
		if verr != nil || v != hash {
			return verr
		}
		call(doc)
	}
	return err
}

// searchOrder returns the first place in an order whose document compares at least equal.
func (f *segmentFile) searchOrder(order []byte, compare func(doc uint32) (int, error)) (int, error) {
	var err error
	at := sort.Search(len(order)/4, func(i int) bool {
		if err != nil {
			return true
		}
		var c int
		c, err = compare(binary.LittleEndian.Uint32(order[4*i:]))
		return c >= 0
	})
	return at, err
}
