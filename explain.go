package lore

// The canonical bytes of which an id is the SHA-256 digest, for people and programs that want to see where an id comes
// from or to make it themselves. They are written by the code that makes the ids.

// ContentBytes returns what ContentID digests.
func ContentBytes(source string, role Role, model string, parts []Part) []byte {
	return kept(func(d *digest) { d.content(source, role, model, parts) })
}

// ConversationBytes returns what ConversationID digests.
func ConversationBytes(source, native string) []byte {
	return kept(func(d *digest) { d.conversation(source, native) })
}

// SeededConversationBytes returns what SeededConversationID digests.
func SeededConversationBytes(source, store string, seed ID) []byte {
	return kept(func(d *digest) { d.seeded(source, store, seed) })
}

// PlacedConversationBytes returns what PlacedConversationID digests.
func PlacedConversationBytes(source, store, place string) []byte {
	return kept(func(d *digest) { d.placed(source, store, place) })
}

// MessageBytes returns what MessageID digests.
func MessageBytes(conversation ID, native string) []byte {
	return kept(func(d *digest) { d.message(conversation, native) })
}

// OccurrenceBytes returns what OccurrenceID digests.
func OccurrenceBytes(conversation, content ID, occurrence int) []byte {
	return kept(func(d *digest) { d.occurrence(conversation, content, occurrence) })
}

// ContentHashBytes returns what ContentHash digests.
func ContentHashBytes(members []ID) []byte {
	return kept(func(d *digest) {
		d.raw(contentHashHead)
		h := contentHash{d: d}
		for _, m := range members {
			h.add(m)
		}
		d.raw(contentHashTail)
	})
}

// kept returns what is written to a digest.
func kept(write func(*digest)) []byte {
	d := &digest{keep: true}
	write(d)
	return d.buf
}
