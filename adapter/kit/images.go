package kit

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"io"
)

// Blob is an embedded image or file, by digest.
type Blob struct {
	Ref       string // "sha256:" and the hex digest of the decoded bytes: the Text of an image or file part
	MediaType string // as the source wrote it; empty when unknown
	Bytes     int64  // decoded size
}

// Base64 digests bytes that a string value holds in base64 (standard or URL alphabet, padding and white space
// optional), without keeping them. False when it is no base64, is empty, or was cut.
func Base64(v Value, mediaType string) (Blob, bool) {
	if v.Kind() != String || v.Cut() {
		return Blob{}, false
	}
	return digest(v.text(), mediaType)
}

// DataURL digests a string value of the form "data:image/png;base64,...". False when it is none, or was cut.
func DataURL(v Value) (Blob, bool) {
	if v.Kind() != String || v.Cut() {
		return Blob{}, false
	}
	text := v.text()
	if len(text) < 5 || !bytes.EqualFold(text[:5], []byte("data:")) {
		return Blob{}, false
	}
	head, data, ok := bytes.Cut(text[5:], []byte(","))
	mediaType, parameters, _ := bytes.Cut(head, []byte(";"))
	if !ok || !bytes.HasSuffix(bytes.ToLower(parameters), []byte("base64")) {
		return Blob{}, false
	}
	return digest(data, string(mediaType))
}

// text returns the decoded bytes of a string value; they are the source's own where nothing is escaped.
func (v Value) text() []byte {
	n := v.node()
	raw := v.doc.src[n.start+1 : n.end-1]
	if n.info&escaped == 0 {
		return raw
	}
	return appendText(nil, raw)
}

func digest(text []byte, mediaType string) (Blob, bool) {
	hash := sha256.New()
	n, err := io.Copy(hash, base64.NewDecoder(base64.RawStdEncoding, &letters{text: text}))
	if err != nil || n == 0 {
		return Blob{}, false
	}
	return Blob{"sha256:" + hex.EncodeToString(hash.Sum(nil)), mediaType, n}, true
}

// letters reads base64 in the standard alphabet without padding and white space, whatever the text uses.
type letters struct{ text []byte }

func (l *letters) Read(p []byte) (int, error) {
	n := 0
	for ; n < len(p) && len(l.text) > 0; l.text = l.text[1:] {
		switch c := l.text[0]; c {
		case ' ', '\t', '\r', '\n':
		case '=':
			if len(bytes.Trim(l.text, "= \t\r\n")) > 0 {
				p[n] = c // padding in the middle: the decoder refuses it
				n++
				continue
			}
			l.text = l.text[len(l.text)-1:]
		case '-':
			p[n] = '+'
			n++
		case '_':
			p[n] = '/'
			n++
		default:
			p[n] = c
			n++
		}
	}
	if n == 0 && len(l.text) == 0 {
		return 0, io.EOF
	}
	return n, nil
}
