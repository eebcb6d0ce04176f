package lore

import (
	"crypto/sha256"
	"strings"
	"testing"
)

// TestBytesAreWhatIsDigested: the bytes that are shown are those of which the id is the digest, also of texts that pass
// the digest in many windows.
func TestBytesAreWhatIsDigested(t *testing.T) {
	long := []Part{{Kind: Text, Text: strings.Repeat("lamp \"lit\"\r\n", 9000)}, {Kind: Call, Name: "Bash", Text: `{"a":1}`}}
	content := ContentID("codex", Assistant, "gpt-5", long)
	conv := ConversationID("codex", "s1")
	for name, tt := range map[string]struct {
		id    ID
		bytes []byte
	}{
		"content":    {content, ContentBytes("codex", Assistant, "gpt-5", long)},
		"native":     {conv, ConversationBytes("codex", "s1")},
		"seeded":     {SeededConversationID("codex", "x", content), SeededConversationBytes("codex", "x", content)},
		"placed":     {PlacedConversationID("codex", "x", "~/p"), PlacedConversationBytes("codex", "x", "~/p")},
		"message":    {MessageID(conv, "m1"), MessageBytes(conv, "m1")},
		"occurrence": {OccurrenceID(conv, content, 12), OccurrenceBytes(conv, content, 12)},
		"hash":       {ContentHash([]ID{content, conv}), ContentHashBytes([]ID{content, conv})},
		"no members": {ContentHash(nil), ContentHashBytes(nil)},
	} {
		if ID(sha256.Sum256(tt.bytes)) != tt.id {
			t.Errorf("%s: %.200s is not what %s is the digest of", name, tt.bytes, tt.id)
		}
	}
}
