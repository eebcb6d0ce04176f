package main

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The identity recipe, written a second time from docs/IDENTITY.md, plainly, without a line of lore's own. The ids that
// commands print are held against it.

// refDigest is the text form of the SHA-256 digest of the canonical JSON of a value.
func refDigest(v map[string]any) string {
	sum := sha256.Sum256([]byte(refJSON(v)))
	return strings.ToLower(base32.HexEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:]))
}

// refJSON writes canonical JSON: sorted keys, no blanks, the fewest escapes, absent members left out.
func refJSON(v any) string {
	switch v := v.(type) {
	case string:
		return refQuote(v)
	case int:
		return strconv.Itoa(v)
	case []any:
		var items []string
		for _, x := range v {
			items = append(items, refJSON(x))
		}
		return "[" + strings.Join(items, ",") + "]"
	case map[string]any:
		var members []string
		for _, k := range slices.Sorted(maps.Keys(v)) {
			if v[k] != nil {
				members = append(members, refQuote(k)+":"+refJSON(v[k]))
			}
		}
		return "{" + strings.Join(members, ",") + "}"
	}
	panic(fmt.Sprintf("the recipe holds no %T", v))
}

func refQuote(s string) string {
	short := map[byte]string{'\b': `\b`, '\t': `\t`, '\n': `\n`, '\f': `\f`, '\r': `\r`, '"': `\"`, '\\': `\\`}
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(s) {
		switch c := s[i]; {
		case short[c] != "":
			b.WriteString(short[c])
		case c < 0x20:
			fmt.Fprintf(&b, `\u%04x`, c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String() + `"`
}

func refNormal(text string) string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	return strings.TrimRight(text, " \t\n")
}

// printed is a conversation as lore show --json prints it, as far as identity goes.
type printed struct {
	ID, Source, Store, Title string
	ShortID                  string  `json:"short_id"`
	ContentHash              string  `json:"content_hash"`
	NativeID                 *string `json:"native_id"`
	Messages                 []printedMessage
}

type printedMessage struct {
	ID, Role    string
	ShortID     string `json:"short_id"`
	ContentID   string `json:"content_id"`
	NativeID    *string
	Native      *string `json:"native_id"`
	Model       *string
	Subtype     *string
	Parent      *string
	Parts       []struct{ Kind, Name, Text string }
	Origin      struct{ File string }
	description string
}

// wantIDs makes the ids of a conversation anew.
func (c *printed) wantIDs() (conversation, hash string, messages, contents []string) {
	for i := range c.Messages {
		contents = append(contents, c.content(&c.Messages[i]))
	}
	anchor := map[string]any{"type": "conversation", "v": 1, "source": c.Source}
	switch {
	case c.NativeID != nil && *c.NativeID != "":
		anchor["native"] = *c.NativeID
	case c.Store == "history": // a flat list, anchored by its place
		place := c.Messages[0].Origin.File
		if strings.HasPrefix(place, "@") { // another machine's: the place as that one wrote it
			_, place, _ = strings.Cut(place, ":")
		}
		anchor["store"], anchor["place"] = c.Store, place
	default:
		anchor["store"], anchor["seed"] = c.Store, contents[0]
	}
	conversation = refDigest(anchor)
	carried, said := map[string]bool{}, map[string]int{}
	members := []any{}
	for i := range c.Messages {
		m := &c.Messages[i]
		id := map[string]any{"type": "message", "v": 1, "conversation": conversation}
		if m.Native != nil && !carried[*m.Native] {
			carried[*m.Native] = true
			id["native"] = *m.Native
		} else {
			id["content"], id["occurrence"] = contents[i], said[contents[i]]
		}
		said[contents[i]]++
		messages = append(messages, refDigest(id))
		if m.Subtype == nil || *m.Subtype != "removed" {
			members = append(members, contents[i])
		}
	}
	hash = refDigest(map[string]any{"type": "conversation-content", "v": 1, "members": members})
	return conversation, hash, messages, contents
}

func (c *printed) content(m *printedMessage) string {
	var parts []any
	for _, p := range m.Parts {
		part := []any{p.Kind}
		if p.Name != "" {
			part = append(part, p.Name)
		}
		parts = append(parts, append(part, refNormal(p.Text)))
	}
	if parts == nil {
		parts = []any{}
	}
	id := map[string]any{"type": "content", "v": 1, "source": c.Source, "role": m.Role, "parts": parts}
	if m.Role == "assistant" && m.Model != nil {
		id["model"] = *m.Model
	}
	return refDigest(id)
}

// checkReference holds all ids of a conversation against the recipe.
func (c *printed) checkReference(t *testing.T) {
	t.Helper()
	conversation, hash, messages, contents := c.wantIDs()
	if c.ID != conversation || c.ContentHash != hash {
		t.Errorf("conversation %q: id %s and hash %s, by the recipe %s and %s", c.Title, c.ID, c.ContentHash, conversation, hash)
	}
	for i, m := range c.Messages {
		if m.ID != messages[i] || m.ContentID != contents[i] {
			t.Errorf("conversation %q, message %d: id %s, content %s, by the recipe %s, %s", c.Title, i, m.ID, m.ContentID, messages[i], contents[i])
		}
	}
}

// conversations are all conversations of a machine, as show prints them.
func (m *machine) conversations(t *testing.T) []*printed {
	t.Helper()
	_, stdout, stderr := m.run("list", "--json", "--all")
	var list struct{ Conversations []struct{ ID string } }
	if err := json.Unmarshal([]byte(stdout), &list); err != nil || len(list.Conversations) == 0 {
		t.Fatalf("list: %v: %s%s", err, stdout, stderr)
	}
	var all []*printed
	for _, x := range list.Conversations {
		_, stdout, stderr := m.run("show", x.ID, "--json")
		c := new(printed)
		if err := json.Unmarshal([]byte(stdout), c); err != nil {
			t.Fatalf("show %s: %v: %s", x.ID, err, stderr)
		}
		all = append(all, c)
	}
	return all
}
