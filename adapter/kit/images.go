package kit

// Blob is an embedded image or file, by digest.
type Blob struct {
	Ref       string // "sha256:" and the hex digest of the decoded bytes: the Text of an image or file part
	MediaType string // as the source wrote it; empty when unknown
	Bytes     int64  // decoded size
}

// Base64 digests bytes that a string value holds in base64 (standard or URL alphabet, padding and white space
// optional), without keeping them. False when it is no base64, or empty.
func Base64(v Value, mediaType string) (Blob, bool) { return Blob{}, false }

// DataURL digests a string value of the form "data:image/png;base64,...". False when it is none.
func DataURL(v Value) (Blob, bool) { return Blob{}, false }
