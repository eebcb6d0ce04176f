package claudecode

import "encoding/hex"

// key is the id of a record: the bytes of a canonical uuid, or the number of an interned string of any other form. The
// zero key is absent. It is 16 bytes where the string takes 36 and a pointer.
type key [16]byte

// names interns strings: session ids, message ids, uuids that are no uuids. Number 0 is the empty string.
type names struct {
	number map[string]int32
	text   []string
}

func newNames() *names { return &names{number: map[string]int32{"": 0}, text: []string{""}} }

func (n *names) intern(s string) int32 {
	if i, ok := n.number[s]; ok {
		return i
	}
	i := int32(len(n.text))
	n.number[s] = i
	n.text = append(n.text, s)
	return i
}

// key makes the key of an id.
func (n *names) key(s string) key {
	if s == "" {
		return key{}
	}
	if k, ok := parseUUID(s); ok && k != (key{}) && !k.interned() {
		return k
	}
	i := n.intern(s)
	k := key{12: byte(i >> 24), 13: byte(i >> 16), 14: byte(i >> 8), 15: byte(i)}
	for j := range 12 {
		k[j] = 0xff
	}
	return k
}

// string gives back what key was made from.
func (n *names) string(k key) string {
	switch {
	case k == key{}:
		return ""
	case k.interned():
		return n.text[int32(k[12])<<24|int32(k[13])<<16|int32(k[14])<<8|int32(k[15])]
	}
	var b [36]byte
	hex.Encode(b[0:8], k[0:4])
	hex.Encode(b[9:13], k[4:6])
	hex.Encode(b[14:18], k[6:8])
	hex.Encode(b[19:23], k[8:10])
	hex.Encode(b[24:36], k[10:16])
	b[8], b[13], b[18], b[23] = '-', '-', '-', '-'
	return string(b[:])
}

func (k key) interned() bool {
	for _, b := range k[:12] {
		if b != 0xff {
			return false
		}
	}
	return true
}

// parseUUID reads a uuid in its one canonical form, lower case; string gives any other form back as it was.
func parseUUID[S string | []byte](s S) (k key, ok bool) {
	if len(s) != 36 || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
		return key{}, false
	}
	j := 0
	for i := 0; i < 36; i += 2 {
		if s[i] == '-' {
			i++
		}
		hi, lo := nibble(s[i]), nibble(s[i+1])
		if hi|lo > 15 {
			return key{}, false
		}
		k[j] = hi<<4 | lo
		j++
	}
	return k, true
}

func nibble(c byte) byte {
	switch {
	case '0' <= c && c <= '9':
		return c - '0'
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10
	}
	return 0xff
}

// table finds a line by a hash: open addressing over line numbers, four bytes a slot. What is equal is the caller's
// business.
type table struct {
	slots []int32 // line number + 1; 0: free
	used  int
}

// find returns the line that equals, or -1 and the slot for it.
func (t *table) find(hash uint64, equal func(i int32) bool) (line int32, slot int) {
	if len(t.slots) == 0 {
		return -1, -1
	}
	mask := uint64(len(t.slots) - 1)
	for at := mix(hash) & mask; ; at = (at + 1) & mask {
		i := t.slots[at] - 1
		if i < 0 {
			return -1, int(at)
		}
		if equal(i) {
			return i, int(at)
		}
	}
}

// add puts a line that find has not found; hash gives the hash of a line that is in the table already.
func (t *table) add(i int32, slot int, h uint64, hash func(i int32) uint64) {
	if slot < 0 || 3*(t.used+1) > 2*len(t.slots) {
		t.grow(hash)
		_, slot = t.find(h, func(int32) bool { return false })
	}
	t.slots[slot] = i + 1
	t.used++
}

func (t *table) grow(hash func(i int32) uint64) {
	old := t.slots
	t.slots = make([]int32, max(64, 2*len(old)))
	for _, s := range old {
		if s != 0 {
			_, slot := t.find(hash(s-1), func(int32) bool { return false })
			t.slots[slot] = s
		}
	}
}

// mix spreads a hash over its low bits.
func mix(h uint64) uint64 {
	h ^= h >> 32
	h *= 0x9e3779b97f4a7c15
	return h ^ h>>29
}

// hash of a key: uuids are random already, interned numbers are made so by mix.
func (k key) hash() uint64 {
	var a, b uint64
	for i := range 8 {
		a = a<<8 | uint64(k[i])
		b = b<<8 | uint64(k[8+i])
	}
	return mix(a) ^ b
}
