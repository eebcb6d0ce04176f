package kit

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strings"
	"testing"
)

func TestEmbedded(t *testing.T) {
	data := []byte{0xfb, 0xff, 0xbf, 0, 1, 2, 3}
	sum := sha256.Sum256(data)
	want := Blob{"sha256:" + hex.EncodeToString(sum[:]), "image/png", int64(len(data))}
	std := base64.StdEncoding.EncodeToString(data)
	tests := []struct {
		name, in string
		ok       bool
	}{
		{"standard", std, true},
		{"without padding", strings.TrimRight(std, "="), true},
		{"URL alphabet", base64.URLEncoding.EncodeToString(data), true},
		{"line breaks", std[:3] + `\n` + std[3:5] + `\r\n ` + std[5:], true},
		{"escaped slashes", strings.ReplaceAll(std, "/", `\/`), true},
		{"padding in the middle", "=" + std, false},
		{"other letters", "!!!!", false},
		{"one letter too few", "abcde", false},
		{"empty", "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, read := range []func() (Blob, bool){
				func() (Blob, bool) { return Base64(mustParse(t, `"`+tt.in+`"`), "image/png") },
				func() (Blob, bool) { return DataURL(mustParse(t, `"data:image/png;base64,`+tt.in+`"`)) },
				func() (Blob, bool) { return DataURL(mustParse(t, `"DATA:image/png;name=a.png;base64,`+tt.in+`"`)) },
			} {
				got, ok := read()
				if ok != tt.ok || ok && got != want {
					t.Errorf("got %+v, %v", got, ok)
				}
			}
		})
	}
	for _, in := range []string{`"https://example.test/a.png"`, `"data:text/plain,abc"`, `"data:"`, `7`, `null`} {
		if _, ok := DataURL(mustParse(t, in)); ok {
			t.Errorf("%s is taken for an embedded image", in)
		}
	}
	if _, ok := Base64(Value{}, ""); ok {
		t.Error("an absent value is taken for base64")
	}
}
