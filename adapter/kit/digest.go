package kit

import (
	"crypto/sha256"
	"encoding/hex"
)

// PathDigest returns the hex SHA-256 of a path as it is written: the name that some tools give the folder of a project,
// so that a candidate for the project's path can be checked. It is no identity.
func PathDigest(path string) string {
	sum := sha256.Sum256([]byte(path))
	return hex.EncodeToString(sum[:])
}
