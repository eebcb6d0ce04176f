package service

import (
	"encoding/base32"
	"encoding/binary"
	"hash/crc32"
	"regexp"
	"strings"
	"sync"

	"lore"
)

// A ref points at a conversation, a message, a part of one or some bytes of a part's text. It is opaque: a word to copy,
// not to take apart. The number in its beginning is the version of its form. It holds as much of the id as names it alone
// for ever, and a sum that sees a character that was lost.
const refMark = "lore1:"

// refForm is what a ref of any version looks like.
var refForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^lore[0-9]+:`) })

// refBytes is how much of an id a ref holds: 24 characters.
const refBytes = 15

// The kinds of thing that a ref points at.
const (
	refConversation = 1
	refMessage      = 2
	refPart         = 3
	refRange        = 4
)

var refText = base32.HexEncoding.WithPadding(base32.NoPadding)

// Ref is a ref that was taken apart.
type Ref struct {
	IsMessage  bool
	Part       int // index in the message's parts; -1: the ref is to the whole
	Start, End int // bytes of the part's text; End -1: all of it
	prefix     string
}

// ConversationRef returns the ref of a conversation.
func ConversationRef(id lore.ID) string { return makeRef(refConversation, id) }

// MessageRef returns the ref of a message.
func MessageRef(id lore.ID) string { return makeRef(refMessage, id) }

// PartRef returns the ref of a part of a message, by its index.
func PartRef(message lore.ID, part int) string { return makeRef(refPart, message, part) }

// RangeRef returns the ref of the bytes from start to end of a part's text.
func RangeRef(message lore.ID, part, start, end int) string {
	return makeRef(refRange, message, part, start, end)
}

func makeRef(kind byte, id lore.ID, numbers ...int) string {
	b := append([]byte{kind}, id[:refBytes]...)
	for _, n := range numbers {
		b = binary.AppendUvarint(b, uint64(max(n, 0)))
	}
	b = binary.BigEndian.AppendUint16(b, refSum(b))
	return refMark + strings.ToLower(refText.EncodeToString(b))
}

func refSum(b []byte) uint16 { return uint16(crc32.ChecksumIEEE(b)) }

// ParseRef takes a ref apart. A text that is no ref gives nil; one of another version, or with a character that is wrong,
// is an error.
func ParseRef(text string) (*Ref, error) {
	if text = strings.TrimSpace(text); !refForm().MatchString(text) {
		return nil, nil
	}
	rest, ok := strings.CutPrefix(text, refMark)
	if !ok {
		return nil, failf(Usage, nil, "the ref %q is of another version than %q, which this lore reads; ask the lore that made it", short40(text), refMark)
	}
	damaged := failf(Usage, nil, "the ref %q is not whole: a character is wrong or missing; copy it again", short40(text))
	b, err := refText.DecodeString(strings.ToUpper(rest))
	if err != nil || rest != strings.ToLower(rest) || len(b) < 1+refBytes+2 {
		return nil, damaged
	}
	body, sum := b[:len(b)-2], binary.BigEndian.Uint16(b[len(b)-2:])
	if refSum(body) != sum || strings.ToLower(refText.EncodeToString(b)) != rest {
		return nil, damaged
	}
	r := &Ref{IsMessage: body[0] != refConversation, Part: -1, End: -1, prefix: strings.ToLower(refText.EncodeToString(body[1 : 1+refBytes]))}
	numbers := []*int{}
	switch body[0] {
	case refConversation, refMessage:
	case refPart:
		numbers = append(numbers, &r.Part)
	case refRange:
		numbers = append(numbers, &r.Part, &r.Start, &r.End)
	default:
		return nil, failf(Usage, nil, "the ref %q points at something that this lore does not know; a newer one made it", short40(text))
	}
	body = body[1+refBytes:]
	for _, to := range numbers {
		n, size := binary.Uvarint(body)
		if size <= 0 || n > 1<<40 {
			return nil, damaged
		}
		*to, body = int(n), body[size:]
	}
	if len(body) != 0 || r.End >= 0 && r.Start > r.End {
		return nil, damaged
	}
	return r, nil
}

// short40 is as much of a text as an error needs to name it.
func short40(text string) string {
	if len(text) <= 40 {
		return text
	}
	return text[:40] + "..."
}

// asked returns what a ref points at in a message; nil for all that points at the whole.
func asked(text string, m *lore.Message) (*Asked, error) {
	ref, err := ParseRef(text)
	if err != nil || ref == nil || ref.Part < 0 {
		return nil, err
	}
	if ref.Part >= len(m.Parts) {
		return nil, failf(NotFound, nil, "the ref %q points at part %d of a message that has %d; it was made when the message was another", short40(text), ref.Part, len(m.Parts))
	}
	said := m.Parts[ref.Part].Text
	a := &Asked{Part: ref.Part, Start: ref.Start, End: ref.End}
	if a.End < 0 {
		a.End = len(said)
	}
	if a.End > len(said) {
		return nil, failf(NotFound, nil, "the ref %q points at bytes %d to %d of a text that has %d; it was made when the message was another", short40(text), a.Start, a.End, len(said))
	}
	a.Text = said[a.Start:a.End]
	return a, nil
}
