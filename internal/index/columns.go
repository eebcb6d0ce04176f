package index

import (
	"encoding/binary"
	"hash/fnv"
	"math"

	"lore"
)

// flags are the small facts of a document, 16 bits:
//
//	0-1 role   2 active   3 has a time   4 the time has no zone   5-8 digits of its fraction
//	9 its texts are long enough to be folded with equal ones   10 a text was indexed only in part
//	11-13 the field that most of its words are in (see postings)
type flags uint16

const (
	flagActive flags = 1 << 2
	flagTimed  flags = 1 << 3
	flagNaive  flags = 1 << 4
	flagLong   flags = 1 << 9
	flagBulk   flags = 1 << 10
)

// roleNumbers is the order of the roles, part of the format.
var roleNumbers = [...]lore.Role{lore.User, lore.Assistant, lore.Tool, lore.System}

func roleNumber(r lore.Role) flags {
	for i, x := range roleNumbers {
		if x == r {
			return flags(i)
		}
	}
	return 3
}

func (f flags) role() lore.Role { return roleNumbers[f&3] }

func (f flags) main() field { return field(f >> 11 & 7) }

func (f flags) at(nanos int64) lore.Time {
	if f&flagTimed == 0 {
		return lore.Time{}
	}
	return lore.NewTime(nanos, int(f>>5&15), f&flagNaive != 0)
}

func flagsOf(m *lore.Message) flags {
	f := roleNumber(m.Role)
	if m.Active {
		f |= flagActive
	}
	if !m.At.IsZero() {
		f |= flagTimed | flags(m.At.Digits())<<5
		if m.At.Naive() {
			f |= flagNaive
		}
	}
	return f
}

// sameFlags is what two versions of one message must share to be the same; the rest follows from the content.
const sameFlags = 1<<9 - 1

// place is where a document's evidence and its stored text are.
type place struct {
	evidence uint32 // the archive's file id
	offset   uint64 // of the first unit in the evidence
	length   uint32
	line     uint32
	ordinal  uint32 // orders the documents of a conversation
	block    uint32 // in the document store
	at       uint32 // in the block
	subtype  uint16 // hash of the subtype; 0: none
}

const placeSize = 34

func (p place) append(b []byte) []byte {
	le := binary.LittleEndian
	b = le.AppendUint32(b, p.evidence)
	b = le.AppendUint64(b, p.offset)
	b = le.AppendUint32(b, p.length)
	b = le.AppendUint32(b, p.line)
	b = le.AppendUint32(b, p.ordinal)
	b = le.AppendUint32(b, p.block)
	b = le.AppendUint32(b, p.at)
	return le.AppendUint16(b, p.subtype)
}

func decodePlace(b []byte) place {
	le := binary.LittleEndian
	return place{le.Uint32(b), le.Uint64(b[4:]), le.Uint32(b[12:]), le.Uint32(b[16:]), le.Uint32(b[20:]),
		le.Uint32(b[24:]), le.Uint32(b[28:]), le.Uint16(b[32:])}
}

func saturate(n int64) uint32 { return uint32(min(max(n, 0), math.MaxUint32)) }

// samePlace reports whether a message's first unit is where a document says.
func (p place) samePlace(at *lore.Locator, evidence int64) bool {
	return p.evidence == saturate(evidence) && p.offset == uint64(max(at.Offset, 0)) &&
		p.length == saturate(at.Length) && p.line == saturate(int64(at.Line))
}

// hashSubtype is small: it only has to tell that a message changed from one subtype to another.
func hashSubtype(s string) uint16 {
	if s == "" {
		return 0
	}
	h := fnv.New32a()
	h.Write([]byte(s))
	return uint16(h.Sum32())&0xfffe | 1
}

// HashNative is the hash under which the native id of a message is found; 0 for an empty one.
func HashNative(native string) uint64 {
	if native == "" {
		return 0
	}
	h := fnv.New64a()
	h.Write([]byte(native))
	return h.Sum64() | 1
}

// Lengths are kept on a logarithmic scale, sixteen steps to a doubling: a byte reaches 60,000 words.
func quantise(words int) byte {
	return byte(min(math.Round(16*math.Log2(float64(words)+1)), 255))
}

var wordsOf = func() (t [256]float32) {
	for i := range t {
		t[i] = float32(math.Exp2(float64(i)/16) - 1)
	}
	return t
}()

// run says that documents first to first+count are of one conversation. The runs of a segment are sorted by
// conversation, and then by first.
type run struct{ conv, first, count uint32 }

const runSize = 12

func (r run) append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint32(b, r.conv)
	b = binary.LittleEndian.AppendUint32(b, r.first)
	return binary.LittleEndian.AppendUint32(b, r.count)
}

func decodeRun(b []byte) run {
	le := binary.LittleEndian
	return run{le.Uint32(b), le.Uint32(b[4:]), le.Uint32(b[8:])}
}
