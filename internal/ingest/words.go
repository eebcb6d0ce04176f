package ingest

import (
	"crypto/sha256"
	"hash"
	"strings"

	"lore"
)

// wordsKey is what two messages share when they say the same: the role and the words, white space folded; for a message
// without words its parts. Of much it is a digest: a text may be as long as a record, and is not copied for it.
func wordsKey(m *lore.Message) string {
	var k wordKey
	k.add(string(m.Role))
	words := false
	for i := range m.Parts {
		if p := &m.Parts[i]; p.Kind == lore.Text && p.Text != "" {
			words = true
			k.add("\x00")
			k.fold(p.Text)
		}
	}
	if words {
		return k.String()
	}
	for i := range m.Parts {
		p := &m.Parts[i]
		for _, s := range [...]string{"\x01", string(p.Kind), "\x00", p.Name, "\x00", p.CallID, "\x00", p.Text} {
			k.add(s)
		}
	}
	return k.String()
}

// wordKey gathers a key: as it is up to keyBytes, beyond that as a digest.
type wordKey struct {
	b   []byte
	sum hash.Hash
}

const keyBytes = 4 << 10

func (k *wordKey) add(s string) {
	for len(s) > 0 {
		n := min(len(s), keyBytes+1-len(k.b))
		k.b, s = append(k.b, s[:n]...), s[n:]
		if len(k.b) <= keyBytes {
			return
		}
		if k.sum == nil {
			k.sum = sha256.New()
		}
		k.sum.Write(k.b)
		k.b = k.b[:0]
	}
}

// fold adds a text with one blank for each run of white space within it, and none around it.
func (k *wordKey) fold(s string) {
	first := true
	for w := range strings.FieldsSeq(s) {
		if !first {
			k.add(" ")
		}
		first = false
		k.add(w)
	}
}

func (k *wordKey) String() string {
	if k.sum == nil {
		return string(k.b)
	}
	k.sum.Write(k.b)
	return "\x04" + string(k.sum.Sum(nil))
}
