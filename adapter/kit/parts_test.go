package kit

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lore"
)

func TestPartsOfValues(t *testing.T) {
	var d Doc
	v, err := d.Parse([]byte(`{"text":"a\nb","args":{"x": [1, "\ud800"]},"null":null,"data":"data:image/png;base64,aGk=",` +
		`"bare":"aGk=","path":"/tmp/a.png","broken":"data:image/png;base64,<gone>","bytes":{"x":"` + "\xff\xfe" + `"}}`))
	if err != nil {
		t.Fatal(err)
	}
	const hi = "sha256:8f434346648f6b96df89dda901c5176b10a6d83961dd3c1ac88b59b2dc327aa4"
	got := []lore.Part{
		TextPart(lore.Text, v.Get("text")),
		RawPart(lore.Call, v.Get("args")),
		RawPart(lore.Call, v.Get("text")),
		RawPart(lore.Call, v.Get("null")),
		RawPart(lore.Call, v.Get("bytes")),
		MediaPart(lore.Image, v.Get("data"), "", false),
		MediaPart(lore.Image, v.Get("bare"), "image/gif", true),
		MediaPart(lore.Image, v.Get("bare"), "", false),
		MediaPart(lore.File, v.Get("path"), "image/png", true),
		MediaPart(lore.Image, v.Get("broken"), "", false),
		UnknownPart(strings.Repeat("n", 200), v.Get("args")),
	}
	want := []lore.Part{
		{Kind: lore.Text, Text: "a\nb"},
		{Kind: lore.Call, Text: `{"x": [1, "\ud800"]}`},
		{Kind: lore.Call, Text: "a\nb"},
		{Kind: lore.Call},
		{Kind: lore.Call, Text: `{"x":"` + "\ufffd\ufffd" + `"}`},
		{Kind: lore.Image, Text: hi, MediaType: "image/png", Bytes: 2},
		{Kind: lore.Image, Text: hi, MediaType: "image/gif", Bytes: 2},
		{Kind: lore.Image, Text: "aGk="},
		{Kind: lore.File, Text: "/tmp/a.png", MediaType: "image/png"},
		{Kind: lore.Image, Text: "data:image/png;base64,<gone>"},
		{Kind: lore.Unknown, Text: `{"x": [1, "\ud800"]}`, Name: strings.Repeat("n", 80)},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("parts (-want +got):\n%s", diff)
	}
}

func TestPartsOfCutValues(t *testing.T) {
	line := `{"text":"` + strings.Repeat("a", 9000) + `","data":"data:image/png;base64,` + strings.Repeat("QUFB", 3000) + `"}` + "\n"
	lines := openText(t, line, Options{MaxRecord: 4096})
	for r := range lines.All() {
		text, image := TextPart(lore.Text, r.Value.Get("text")), MediaPart(lore.Image, r.Value.Get("data"), "", false)
		if !text.Cut || text.Bytes != 9002 || !strings.HasPrefix(text.Text, "aaa") {
			t.Errorf("text: cut %v, %d bytes", text.Cut, text.Bytes)
		}
		if !image.Cut || image.Text != "" || image.Bytes < 12000 {
			t.Errorf("image: %+v", image)
		}
	}
}

func TestPathMD5(t *testing.T) {
	if got := PathMD5("/proj/lantern"); got != "95451883475801ced6af128c82f830bb" {
		t.Errorf("got %s", got)
	}
}
