package lore

import (
	"encoding/json"
	"strconv"
	"unicode/utf8"
)

// AppendJSON appends the text form as a string; null for the zero id.
func (id ID) AppendJSON(dst []byte) []byte {
	if id.IsZero() {
		return append(dst, "null"...)
	}
	dst = append(dst, '"')
	dst = base32hex.AppendEncode(dst, id[:])
	return append(dst, '"')
}

// AppendJSON appends the time as a string; null when it is absent.
func (t Time) AppendJSON(dst []byte) []byte {
	if t.IsZero() {
		return append(dst, "null"...)
	}
	return append(t.append(append(dst, '"')), '"')
}

// AppendJSON appends the conversation as it stands in a list: the header, and the number of its losses.
func (c *Conversation) AppendJSON(dst []byte) []byte {
	dst = append(dst, `{"id":`...)
	dst = c.ID.AppendJSON(dst)
	dst = append(dst, `,"short_id":"`...)
	dst = append(dst, c.ID.Short()...)
	dst = append(dst, `","content_hash":`...)
	dst = c.ContentHash.AppendJSON(dst)
	dst = appendMember(dst, "source", c.Source)
	dst = appendMember(dst, "store", c.Store)
	dst = appendFact(dst, "native_id", c.Native)
	dst = appendFact(dst, "title", c.Title)
	dst = appendMember(dst, "title_from", string(c.TitleFrom))
	dst = append(dst, `,"project":`...)
	dst = c.Project.AppendJSON(dst)
	dst = append(dst, `,"started_at":`...)
	dst = c.StartedAt.AppendJSON(dst)
	dst = append(dst, `,"ended_at":`...)
	dst = c.EndedAt.AppendJSON(dst)
	dst = append(dst, `,"messages":`...)
	dst = strconv.AppendInt(dst, int64(c.MessageCount), 10)
	dst = append(dst, `,"user_messages":`...)
	dst = strconv.AppendInt(dst, int64(c.UserMessages), 10)
	dst = append(dst, `,"models":`...)
	dst = AppendJSON(dst, c.Models)
	dst = appendMember(dst, "kind", string(c.Kind))
	dst = append(dst, `,"parent":`...)
	dst = AppendJSON(dst, c.Parent)
	dst = append(dst, `,"lineage":`...)
	dst = AppendJSON(dst, c.Lineage)
	dst = append(dst, `,"usage":`...)
	dst = AppendJSON(dst, c.Usage)
	dst = append(dst, `,"archived":`...)
	dst = strconv.AppendBool(dst, c.Archived)
	dst = append(dst, `,"losses":`...)
	dst = strconv.AppendInt(dst, int64(len(c.Losses)), 10)
	return append(dst, '}')
}

// AppendJSON appends the project, absent facts as null.
func (p *Project) AppendJSON(dst []byte) []byte {
	dst = append(dst, `{"dir":`...)
	dst = appendOrNull(dst, p.Dir)
	dst = appendFact(dst, "name", p.Name)
	dst = appendFact(dst, "branch", p.Branch)
	dst = appendFact(dst, "remote", p.Remote)
	return append(dst, '}')
}

// AppendJSON appends the message as `show` gives it, absent facts as null.
func (m *Message) AppendJSON(dst []byte) []byte {
	dst = append(dst, `{"id":`...)
	dst = m.ID.AppendJSON(dst)
	dst = append(dst, `,"short_id":"`...)
	dst = append(dst, m.ShortID()...)
	dst = append(dst, `","content_id":`...)
	dst = m.ContentID.AppendJSON(dst)
	dst = appendFact(dst, "native_id", m.Native)
	dst = append(dst, `,"parent":`...)
	dst = m.Parent.AppendJSON(dst)
	dst = appendMember(dst, "role", string(m.Role))
	dst = append(dst, `,"at":`...)
	dst = m.At.AppendJSON(dst)
	dst = appendMember(dst, "at_from", string(m.AtFrom))
	dst = appendFact(dst, "model", m.Model)
	dst = append(dst, `,"active":`...)
	dst = strconv.AppendBool(dst, m.Active)
	dst = appendFact(dst, "subtype", m.Subtype)
	dst = append(dst, `,"parts":[`...)
	for i := range m.Parts {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = m.Parts[i].AppendJSON(dst)
	}
	dst = append(dst, `],"usage":`...)
	dst = AppendJSON(dst, m.Usage)
	dst = append(dst, `,"origin":`...)
	if len(m.Origins) > 0 {
		dst = m.Origins[0].AppendJSON(dst)
	} else {
		dst = append(dst, "null"...)
	}
	dst = append(dst, `,"origins":[`...)
	for i := range m.Origins {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = m.Origins[i].AppendJSON(dst)
	}
	return append(dst, ']', '}')
}

// AppendJSON appends the part; facts that it does not have are left out. A call whose text is JSON has it decoded as
// "input" too.
func (p *Part) AppendJSON(dst []byte) []byte {
	dst = append(dst, `{"kind":`...)
	dst = appendQuoted(dst, string(p.Kind), spoken)
	dst = appendMember(dst, "text", p.Text)
	if p.Name != "" {
		dst = appendMember(dst, "name", p.Name)
	}
	if p.CallID != "" {
		dst = appendMember(dst, "call_id", p.CallID)
	}
	if p.Kind == Call && !p.Cut && decodable(p.Text) {
		dst = append(dst, `,"input":`...)
		dst = appendRepaired(dst, p.Text)
	}
	if p.IsError {
		dst = append(dst, `,"is_error":true`...)
	}
	if p.MediaType != "" {
		dst = appendMember(dst, "media_type", p.MediaType)
	}
	if p.Bytes != 0 {
		dst = append(dst, `,"bytes":`...)
		dst = strconv.AppendInt(dst, p.Bytes, 10)
	}
	if p.Unreadable {
		dst = append(dst, `,"unreadable":true`...)
	}
	if p.Cut {
		dst = append(dst, `,"cut":true`...)
	}
	return append(dst, '}')
}

// AppendJSON appends the place of a unit; line and row are null where the evidence has none.
func (l *Locator) AppendJSON(dst []byte) []byte {
	dst = append(dst, `{"file":`...)
	dst = appendQuoted(dst, l.File, spoken)
	dst = appendLine(dst, l.Line)
	dst = append(dst, `,"offset":`...)
	dst = strconv.AppendInt(dst, l.Offset, 10)
	dst = append(dst, `,"length":`...)
	dst = strconv.AppendInt(dst, l.Length, 10)
	dst = appendFact(dst, "row", l.Row)
	return append(dst, '}')
}

// AppendJSON appends the loss; line and row are null where it has none, count is at least 1.
func (l *Loss) AppendJSON(dst []byte) []byte {
	dst = append(dst, `{"code":`...)
	dst = appendQuoted(dst, string(l.Code), spoken)
	dst = appendMember(dst, "severity", string(l.Severity))
	dst = appendMember(dst, "source", l.Source)
	dst = appendMember(dst, "file", l.File)
	dst = appendLine(dst, l.Line)
	dst = appendFact(dst, "row", l.Row)
	dst = appendMember(dst, "what", l.What)
	dst = append(dst, `,"count":`...)
	dst = strconv.AppendInt(dst, int64(max(l.Count, 1)), 10)
	return append(dst, '}')
}

// appendMember appends a further member with a string; name needs no escape.
func appendMember(dst []byte, name, value string) []byte {
	dst = append(dst, ',', '"')
	dst = append(dst, name...)
	dst = append(dst, '"', ':')
	return appendQuoted(dst, value, spoken)
}

// appendFact is appendMember with null for an absent fact.
func appendFact(dst []byte, name, value string) []byte {
	dst = append(dst, ',', '"')
	dst = append(dst, name...)
	dst = append(dst, '"', ':')
	return appendOrNull(dst, value)
}

func appendOrNull(dst []byte, value string) []byte {
	if value == "" {
		return append(dst, "null"...)
	}
	return appendQuoted(dst, value, spoken)
}

func appendLine(dst []byte, line int) []byte {
	if line == 0 {
		return append(dst, `,"line":null`...)
	}
	dst = append(dst, `,"line":`...)
	return strconv.AppendInt(dst, int64(line), 10)
}

// maxInputDepth bounds how deep a call's input may be nested to be given decoded: readers of JSON have their bounds too.
const maxInputDepth = 128

// decodable reports whether s is JSON that any reader takes.
func decodable(s string) bool {
	depth, quoted := 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > maxInputDepth {
				return false
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return json.Valid([]byte(s))
}

// appendRepaired appends valid JSON with what is not UTF-8 in its strings written as an escape or as U+FFFD, and white
// space between its tokens as it is, but for line ends, which would break an object a line.
func appendRepaired(dst []byte, s string) []byte {
	run := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c == '\n' || c == '\r' { // outside of strings: valid JSON has none inside
			dst = append(append(dst, s[run:i]...), ' ')
			i++
			run = i
			continue
		}
		if c < 0x80 {
			i++
			continue
		}
		if _, size := utf8.DecodeRuneInString(s[i:]); size > 1 {
			i += size
			continue
		}
		dst = append(dst, s[run:i]...)
		dst, i = appendBroken(dst, s, i, spoken)
		run = i
	}
	return append(dst, s[run:]...)
}
