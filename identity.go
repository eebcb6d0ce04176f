package lore

// ID is a full identity: the SHA-256 digest of canonical bytes. The zero ID is absent.
type ID [32]byte

// IsZero reports whether the id is absent.
func (id ID) IsZero() bool { return id == ID{} }
