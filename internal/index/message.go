package index

import "lore"

// holdsText reports whether the units of a message can hold all of its text: what stands in a side file, or in a row of a
// database, is not found again by reading them.
func holdsText(m *lore.Message) bool {
	text, units := int64(0), int64(0)
	for i := range m.Parts {
		text += int64(len(m.Parts[i].Text))
	}
	for _, o := range m.Origins {
		if o.File != m.Origins[0].File {
			continue
		}
		if o.Length <= 0 {
			return false
		}
		units += o.Length
	}
	return text <= units
}

// maxUnits bounds how many further units of a message are remembered.
const maxUnits = 64

// otherUnits returns where the rest of a message that was cut can be read, besides its first unit.
func otherUnits(m *lore.Message, file string, cut bool) (out []span) {
	if !cut || len(m.Origins) < 2 {
		return nil
	}
	for _, o := range m.Origins[1:] {
		if o.File == file && o.Length > 0 && o.Offset >= 0 && len(out) < maxUnits {
			out = append(out, span{o.Offset, o.Length})
		}
	}
	return out
}

// fieldOf says what sort of words a part has.
func fieldOf(role lore.Role, kind lore.PartKind) field {
	switch kind {
	case lore.Thinking:
		return fieldThinking
	case lore.Call, lore.File, lore.Image:
		return fieldCall
	case lore.Result, lore.Unknown:
		return fieldOutput
	}
	switch role {
	case lore.User:
		return fieldUser
	case lore.Assistant:
		return fieldAnswer
	case lore.Tool:
		return fieldOutput
	}
	return fieldSystem
}

// countChars counts characters up to a limit.
func countChars(s string, limit int) int {
	n := 0
	for i := 0; i < len(s) && n < limit; i++ {
		if s[i]&0xc0 != 0x80 {
			n++
		}
	}
	return n
}
