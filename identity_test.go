package lore

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// TestIdentityVectors holds the recipe against the vectors of an independent implementation. A vector that fails means
// that ids already printed would change: the code is wrong, never the vector.
func TestIdentityVectors(t *testing.T) {
	data, err := os.ReadFile("testdata/identity-vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors []struct {
		Call, Note, Result string
		Args               json.RawMessage
	}
	if err := json.Unmarshal(data, &vectors); err != nil {
		t.Fatal(err)
	}
	if len(vectors) < 42 {
		t.Fatalf("%d vectors, there were 42", len(vectors))
	}
	for _, v := range vectors {
		t.Run(v.Call+" "+v.Note, func(t *testing.T) {
			if got := callVector(t, v.Call, readVector(t, v.Args).(map[string]any)); got != v.Result {
				t.Errorf("%s: %s\n got %s\nwant %s", v.Call, v.Args, got, v.Result)
			}
		})
	}
}

// callVector calls the public function that a vector names.
func callVector(t *testing.T, call string, args map[string]any) string {
	t.Helper()
	str := func(name string) string { s, _ := args[name].(string); return s }
	id := func(s string) ID {
		id, err := ParseID(s)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	switch call {
	case "canonical":
		return hex.EncodeToString(slowCanonical(args["value"], func(s string) []byte { return appendQuoted(nil, s, canonical) }))
	case "content_id":
		parts := []Part{}
		for _, p := range args["parts"].([]any) {
			m := p.(map[string]any)
			name, _ := m["name"].(string)
			parts = append(parts, Part{Kind: PartKind(m["kind"].(string)), Name: name, Text: m["text"].(string)})
		}
		return ContentID(str("source"), Role(str("role")), str("model"), parts).String()
	case "conversation_id":
		switch {
		case str("native") != "":
			return ConversationID(str("source"), str("native")).String()
		case str("seed") != "":
			return SeededConversationID(str("source"), str("store"), id(str("seed"))).String()
		}
		return PlacedConversationID(str("source"), str("store"), str("place")).String()
	case "message_id":
		if str("native") != "" {
			return MessageID(id(str("conversation")), str("native")).String()
		}
		return OccurrenceID(id(str("conversation")), id(str("content")), args["occurrence"].(int)).String()
	case "content_hash":
		var members []ID
		for _, m := range args["members"].([]any) {
			members = append(members, id(m.(string)))
		}
		return ContentHash(members).String()
	case "as_uuid":
		return id(str("full_id")).UUID()
	}
	t.Fatalf("no such call: %q", call)
	return ""
}

var (
	escapedSurrogate = regexp.MustCompile(`\\ud[89ab]..\\ud[c-f]..|\\ud[89a-f]..`)
	markedSurrogate  = regexp.MustCompile("\uE000d[89a-f]..")
)

// readVector decodes JSON as records do: a lone surrogate's escape becomes its three bytes, which encoding/json cannot.
func readVector(t *testing.T, raw []byte) any {
	t.Helper()
	marked := escapedSurrogate.ReplaceAllFunc(raw, func(escape []byte) []byte {
		if len(escape) > 6 {
			return escape // a whole pair
		}
		return append([]byte("\uE000"), escape[2:]...)
	})
	var v any
	if err := json.Unmarshal(marked, &v); err != nil {
		t.Fatal(err)
	}
	return unmark(v)
}

func unmark(v any) any {
	switch v := v.(type) {
	case string:
		return markedSurrogate.ReplaceAllStringFunc(v, func(m string) string {
			r, err := strconv.ParseUint(m[len("\uE000"):], 16, 16)
			if err != nil {
				panic(err)
			}
			return surrogate(uint16(r))
		})
	case []any:
		for i := range v {
			v[i] = unmark(v[i])
		}
	case map[string]any:
		for k, x := range v {
			v[k] = unmark(x)
		}
	case float64:
		return int(v)
	}
	return v
}

// surrogate returns the three-byte form of half a pair.
func surrogate(unit uint16) string {
	return string([]byte{0xE0 | byte(unit>>12), 0x80 | byte(unit>>6)&0x3F, 0x80 | byte(unit)&0x3F})
}

// slowCanonical is the recipe's JSON of any value, written for plainness.
func slowCanonical(v any, quote func(string) []byte) []byte {
	switch v := v.(type) {
	case string:
		return quote(v)
	case int:
		return []byte(strconv.Itoa(v))
	case []any:
		var items [][]byte
		for _, x := range v {
			items = append(items, slowCanonical(x, quote))
		}
		return slices.Concat([]byte("["), bytes.Join(items, []byte(",")), []byte("]"))
	case map[string]any:
		var items [][]byte
		for _, k := range slices.Sorted(maps.Keys(v)) {
			items = append(items, slices.Concat(quote(k), []byte(":"), slowCanonical(v[k], quote)))
		}
		return slices.Concat([]byte("{"), bytes.Join(items, []byte(",")), []byte("}"))
	}
	panic(fmt.Sprintf("the recipe holds no %T", v))
}

// slowUnits splits a record's string into UTF-16 code units: an invalid byte is U+FFFD, a three-byte surrogate its unit.
func slowUnits(s string) []uint16 {
	var units []uint16
	for len(s) > 0 {
		if len(s) >= 3 && s[0] == 0xED && s[1] >= 0xA0 && s[1] < 0xC0 && s[2] >= 0x80 && s[2] < 0xC0 {
			units = append(units, uint16(s[0]&0x0F)<<12|uint16(s[1]&0x3F)<<6|uint16(s[2]&0x3F))
			s = s[3:]
			continue
		}
		r, size := utf8.DecodeRuneInString(s)
		units = utf16.AppendRune(units, r)
		s = s[size:]
	}
	return units
}

// slowQuote is a canonical string, made by way of UTF-16.
func slowQuote(s string) []byte {
	out := []byte{'"'}
	units := slowUnits(s)
	for i := 0; i < len(units); i++ {
		u := units[i]
		switch {
		case strings.ContainsRune("\"\\", rune(u)):
			out = append(out, '\\', byte(u))
		case u < 0x20:
			short := map[uint16]string{8: "b", 9: "t", 10: "n", 12: "f", 13: "r"}[u]
			if short == "" {
				short = fmt.Sprintf("u%04x", u)
			}
			out = append(append(out, '\\'), short...)
		case i+1 < len(units) && utf16.IsSurrogate(rune(u)) && utf16.DecodeRune(rune(u), rune(units[i+1])) != utf8.RuneError:
			out = utf8.AppendRune(out, utf16.DecodeRune(rune(u), rune(units[i+1])))
			i++
		case utf16.IsSurrogate(rune(u)):
			out = append(out, surrogate(u)...)
		default:
			out = utf8.AppendRune(out, rune(u))
		}
	}
	return append(out, '"')
}

func slowDigest(v map[string]any) ID { return sha256.Sum256(slowCanonical(v, slowQuote)) }

func slowContentID(source string, role Role, model string, parts []Part) ID {
	list := []any{}
	for _, p := range parts {
		text := strings.ReplaceAll(strings.ReplaceAll(p.Text, "\r\n", "\n"), "\r", "\n")
		item := []any{string(p.Kind), strings.TrimRight(text, " \t\n")}
		if p.Name != "" {
			item = slices.Insert(item, 1, any(p.Name))
		}
		list = append(list, item)
	}
	v := map[string]any{"type": "content", "v": 1, "source": source, "role": string(role), "parts": list}
	if role == Assistant && model != "" {
		v["model"] = model
	}
	return slowDigest(v)
}

// wildString draws what sources really write: every class of byte and rune that the recipe treats on its own, and runs
// that are longer than a window of the digest.
func wildString() *rapid.Generator[string] {
	piece := rapid.OneOf(
		rapid.SampledFrom([]string{"\r", "\n", "\r\n", " ", "\t", "\x00", "\v", "\"", "\\", "/", "<&>", "\x7f", "\u00a0", "\u2028", "\u3000", "\uFFFD", "\uFEFF",
			"\xed\xa0\xbd", "\xed\xb8\x80", "\xed\xa0\xbd\xed\xb8\x80", "\xed\xa0", "\xff", "\xc0\x80", "\xf4\x90\x80\x80", "\xe2\x82", "😀", "解释", "e\u0301"}),
		rapid.StringN(0, 12, -1),
		rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 6), func(b []byte) string { return string(b) }),
		rapid.Map(rapid.IntRange(digestWindow-9, digestWindow+9), func(n int) string { return strings.Repeat("a", n) }),
	)
	return rapid.Map(rapid.SliceOfN(piece, 0, 8), func(pieces []string) string { return strings.Join(pieces, "") })
}

func TestContentIDAgreesWithThePlainRecipe(t *testing.T) {
	part := rapid.Custom(func(t *rapid.T) Part {
		kinds := []PartKind{Text, Thinking, Call, Result, Image, File, Unknown}
		name := rapid.OneOf(rapid.Just(""), wildString()).Draw(t, "name")
		return Part{Kind: rapid.SampledFrom(kinds).Draw(t, "kind"), Name: name, Text: wildString().Draw(t, "text")}
	})
	rapid.Check(t, func(t *rapid.T) {
		source, model := rapid.SampledFrom([]string{"codex", "é\xff"}).Draw(t, "source"), wildString().Draw(t, "model")
		role := rapid.SampledFrom([]Role{User, Assistant, Tool, System}).Draw(t, "role")
		parts := rapid.SliceOfN(part, 0, 4).Draw(t, "parts")
		if got, want := ContentID(source, role, model, parts), slowContentID(source, role, model, parts); got != want {
			t.Fatalf("got %s, want %s", got, want)
		}
	})
}

func TestOtherIDsAgreeWithThePlainRecipe(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, n := wildString().Draw(t, "a"), wildString().Draw(t, "b"), rapid.IntRange(0, 1000).Draw(t, "n")
		x, y := ID(sha256.Sum256([]byte(a))), ID(sha256.Sum256([]byte(b)))
		members, list := []ID{}, []any{}
		for i := range n {
			members = append(members, []ID{x, y}[i%2])
			list = append(list, members[i].String())
		}
		for what, pair := range map[string][2]ID{
			"native":     {ConversationID(a, b), slowDigest(map[string]any{"type": "conversation", "v": 1, "source": a, "native": b})},
			"seeded":     {SeededConversationID(a, b, x), slowDigest(map[string]any{"type": "conversation", "v": 1, "source": a, "store": b, "seed": x.String()})},
			"placed":     {PlacedConversationID("s", a, b), slowDigest(map[string]any{"type": "conversation", "v": 1, "source": "s", "store": a, "place": b})},
			"message":    {MessageID(x, b), slowDigest(map[string]any{"type": "message", "v": 1, "conversation": x.String(), "native": b})},
			"occurrence": {OccurrenceID(x, y, n), slowDigest(map[string]any{"type": "message", "v": 1, "conversation": x.String(), "content": y.String(), "occurrence": n})},
			"hash":       {ContentHash(members), slowDigest(map[string]any{"type": "conversation-content", "v": 1, "members": list})},
		} {
			if pair[0] != pair[1] {
				t.Errorf("%s: got %s, want %s", what, pair[0], pair[1])
			}
		}
	})
}

func TestTextFormRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := ID(rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "id"))
		back, err := ParseID(id.String())
		if err != nil || back != id {
			t.Fatalf("%s came back as %s, %v", id, back, err)
		}
		if id.Short() != id.String()[:12] {
			t.Fatalf("short form %s of %s", id.Short(), id)
		}
	})
}

func TestParseIDRefusesASecondName(t *testing.T) {
	good := ID{1}.String()
	for _, text := range []string{"", "abcd", good + "0", strings.ToUpper(ID{0xFF}.String()), good[:51] + "1", good[:51] + "w", good[:51] + "\n", "\n" + good[:51]} {
		if id, err := ParseID(text); err == nil {
			t.Errorf("%q was taken for %s", text, id)
		}
	}
}

func TestUUIDNamespace(t *testing.T) {
	urls := []byte("\x6b\xa7\xb8\x11\x9d\xad\x11\xd1\x80\xb4\x00\xc0\x4f\xd4\x30\xc8") // RFC 9562, the namespace of URLs
	sum := sha1.Sum(append(urls, "urn:lore:id:v1"...))
	want := [16]byte(sum[:16])
	want[6], want[8] = want[6]&0x0f|0x50, want[8]&0x3f|0x80
	if uuidSpace != want {
		t.Errorf("got %x, want %x", uuidSpace, want)
	}
}

func TestIDInJSON(t *testing.T) {
	type pair struct{ A, B ID }
	in := pair{A: ID{1, 2, 3}}
	line := AppendJSON(nil, in)
	if want := `{"A":"` + in.A.String() + `","B":null}`; string(line) != want {
		t.Errorf("got %s, want %s", line, want)
	}
	var out pair
	if err := json.Unmarshal(line, &out); err != nil || out != in {
		t.Errorf("%s came back as %v, %v", line, out, err)
	}
}

func BenchmarkContentID(b *testing.B) {
	prose := strings.Repeat("A line of some words that a person might \"quote\",\n\twith a path /proj/lantern/main.go in it.\n", 1<<12)
	for name, text := range map[string]string{"short": prose[:200], "long": prose, "chinese": strings.Repeat("解释这个错误，", 1<<14)} {
		parts := []Part{{Kind: Text, Text: text}}
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				ContentID("claude-code", Assistant, "claude-x", parts)
			}
		})
	}
}
