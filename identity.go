package lore

import (
	"crypto/sha1"
	"encoding/base32"
	"fmt"
	"strconv"
)

// ID is a full identity: the SHA-256 digest of canonical bytes. The zero ID is absent.
type ID [32]byte

// Version 1 of the recipe. A change is a new version beside this one and a mapping, never an edit: ids are printed,
// stored and linked to for ever. All functions below stream the canonical JSON of one object into the digest, keys in
// byte order: see quote.go for how a string is written.

// ContentID is the identity of what a message says: the same words by the same role to the same product have the same
// content id on every machine. The model counts for an assistant alone; line ends and trailing blanks do not count.
func ContentID(source string, role Role, model string, parts []Part) ID {
	d := newDigest()
	d.content(source, role, model, parts)
	return d.id()
}

func (d *digest) content(source string, role Role, model string, parts []Part) {
	d.raw(`{`)
	if role == Assistant && model != "" {
		d.raw(`"model":`)
		d.str(model)
		d.raw(`,`)
	}
	d.raw(`"parts":[`)
	for i := range parts {
		p := &parts[i]
		if i > 0 {
			d.raw(`,`)
		}
		d.raw(`[`)
		d.str(string(p.Kind))
		d.raw(`,`)
		if p.Name != "" {
			d.str(p.Name)
			d.raw(`,`)
		}
		d.text(p.Text)
		d.raw(`]`)
	}
	d.raw(`],"role":`)
	d.str(string(role))
	d.raw(`,"source":`)
	d.str(source)
	d.raw(`,"type":"content","v":1}`)
}

// ConversationID is the identity of a conversation to which its source gives a stable id.
func ConversationID(source, native string) ID {
	d := newDigest()
	d.conversation(source, native)
	return d.id()
}

func (d *digest) conversation(source, native string) {
	d.raw(`{"native":`)
	d.str(native)
	d.raw(`,"source":`)
	d.str(source)
	d.raw(`,"type":"conversation","v":1}`)
}

// SeededConversationID is the identity of a conversation without a native id: seed is the content id of its first
// message.
func SeededConversationID(source, store string, seed ID) ID {
	d := newDigest()
	d.seeded(source, store, seed)
	return d.id()
}

func (d *digest) seeded(source, store string, seed ID) {
	d.raw(`{"seed":`)
	d.member(seed)
	d.raw(`,"source":`)
	d.str(source)
	d.raw(`,"store":`)
	d.str(store)
	d.raw(`,"type":"conversation","v":1}`)
}

// PlacedConversationID is the identity of a flat list, anchored by its home-collapsed path: the lists of two machines
// are one conversation.
func PlacedConversationID(source, store, place string) ID {
	d := newDigest()
	d.placed(source, store, place)
	return d.id()
}

func (d *digest) placed(source, store, place string) {
	d.raw(`{"place":`)
	d.str(place)
	d.raw(`,"source":`)
	d.str(source)
	d.raw(`,"store":`)
	d.str(store)
	d.raw(`,"type":"conversation","v":1}`)
}

// MessageID is the handle of the first message in record order that carries the native id.
func MessageID(conversation ID, native string) ID {
	d := newDigest()
	d.message(conversation, native)
	return d.id()
}

func (d *digest) message(conversation ID, native string) {
	d.raw(`{"conversation":`)
	d.member(conversation)
	d.raw(`,"native":`)
	d.str(native)
	d.raw(`,"type":"message","v":1}`)
}

// OccurrenceID is the handle of a message without a native id, or of a later carrier of one: occurrence counts from 0
// the messages of that content in the conversation, with and without native id, so that an append moves no old id.
func OccurrenceID(conversation, content ID, occurrence int) ID {
	d := newDigest()
	d.occurrence(conversation, content, occurrence)
	return d.id()
}

func (d *digest) occurrence(conversation, content ID, occurrence int) {
	d.raw(`{"content":`)
	d.member(content)
	d.raw(`,"conversation":`)
	d.member(conversation)
	d.raw(`,"occurrence":`)
	d.buf = strconv.AppendInt(d.buf, int64(occurrence), 10)
	d.raw(`,"type":"message","v":1}`)
}

// ContentHash is the digest of a conversation's state: the content ids of the messages of its newest evidence, in the
// order of the record.
func ContentHash(members []ID) ID {
	h := newContentHash()
	for _, m := range members {
		h.add(m)
	}
	return h.id()
}

// What stands before and behind the members of a content hash.
const (
	contentHashHead = `{"members":[`
	contentHashTail = `],"type":"conversation-content","v":1}`
)

// contentHash makes a ContentHash member by member.
type contentHash struct {
	d    *digest
	some bool
}

func newContentHash() contentHash {
	d := newDigest()
	d.raw(contentHashHead)
	return contentHash{d: d}
}

func (h *contentHash) add(m ID) {
	if h.some {
		h.d.raw(`,`)
	}
	h.some = true
	h.d.member(m)
}

func (h *contentHash) id() ID {
	h.d.raw(contentHashTail)
	return h.d.id()
}

var base32hex = base32.NewEncoding("0123456789abcdefghijklmnopqrstuv").WithPadding(base32.NoPadding)

// idLen is the length of an id's text form.
const idLen = 52

// IsZero reports whether the id is absent.
func (id ID) IsZero() bool { return id == ID{} }

// String returns the text form, 52 characters of lower-case base32hex, also for the zero id.
func (id ID) String() string { return base32hex.EncodeToString(id[:]) }

// Short returns the first 12 characters of the text form. Whoever prints it widens it where two share it.
func (id ID) Short() string { return base32hex.EncodeToString(id[:8])[:12] }

// ShortID returns what is shown of the message's id.
func (m *Message) ShortID() string {
	if m.Short != "" {
		return m.Short
	}
	return m.ID.Short()
}

// UUID returns the projection of the id for tools that want a UUID: version 5 under lore's namespace.
func (id ID) UUID() string {
	h := sha1.New()
	h.Write(uuidSpace[:])
	h.Write([]byte(id.String()))
	b := h.Sum(nil)[:16]
	b[6] = b[6]&0x0f | 0x50
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// uuidSpace is the UUID of "urn:lore:id:v1" under the namespace of URLs; a test derives it.
var uuidSpace = [16]byte{0x7d, 0xee, 0x27, 0xf2, 0x01, 0x3f, 0x5d, 0xff, 0x80, 0xd0, 0x91, 0xb6, 0x31, 0x22, 0x87, 0xc3}

// ParseID reads the 52 characters of a text form.
func ParseID(text string) (ID, error) {
	var id ID
	if err := id.UnmarshalText([]byte(text)); err != nil {
		return ID{}, err
	}
	if len(text) == 0 {
		return ID{}, fmt.Errorf("an empty text is not an id: give its %d characters", idLen)
	}
	return id, nil
}

// AppendText appends the text form; nothing for the zero id. It never fails.
func (id ID) AppendText(dst []byte) ([]byte, error) {
	if id.IsZero() {
		return dst, nil
	}
	return base32hex.AppendEncode(dst, id[:]), nil
}

// MarshalText returns the text form; an empty text for the zero id. It never fails.
func (id ID) MarshalText() ([]byte, error) { return id.AppendText(nil) }

// UnmarshalText reads a text form; an empty text is the zero id.
func (id *ID) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*id = ID{}
		return nil
	}
	if len(text) != idLen {
		return fmt.Errorf("%q is not an id: it has %d characters, an id has %d", text, len(text), idLen)
	}
	for _, c := range text {
		if (c < '0' || c > '9') && (c < 'a' || c > 'v') {
			return fmt.Errorf("%q is not an id: only 0 to 9 and a to v stand in one", text)
		}
	}
	// The last character carries one bit; another one there would be a second name for the same id.
	if last := text[idLen-1]; last != '0' && last != 'g' {
		return fmt.Errorf("%q is not an id: its last character is 0 or g", text)
	}
	_, err := base32hex.Decode(id[:], text)
	return err
}
