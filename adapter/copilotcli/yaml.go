package copilotcli

import (
	"strconv"
	"strings"
)

// flatYAML reads the members of a YAML document that is one map of plain values, as the tool writes it: plain, quoted,
// block and continued scalars. Nested values are passed by. What it does not understand it leaves out.
func flatYAML(text string) map[string]string {
	m := map[string]string{}
	lines := strings.Split(strings.TrimPrefix(text, "\ufeff"), "\n")
	for i := 0; i < len(lines); {
		line := strings.TrimRight(lines[i], "\r")
		i++
		key, value, ok := strings.Cut(line, ":")
		if !ok || line == "" || strings.ContainsAny(line[:1], " \t#-") || value != "" && value[0] != ' ' {
			continue
		}
		var more []string // the indented lines that follow
		for i < len(lines) && isContinued(lines[i]) {
			more = append(more, strings.TrimRight(lines[i], "\r"))
			i++
		}
		if s, ok := scalar(strings.TrimSpace(value), more); ok {
			m[strings.Trim(strings.TrimSpace(key), `"'`)] = s
		}
	}
	return m
}

func isContinued(line string) bool {
	return line == "" || line == "\r" || line[0] == ' ' || line[0] == '\t'
}

// scalar reads a value and the lines that belong to it; false for a list or a map.
func scalar(value string, more []string) (string, bool) {
	if value == "" {
		return "", false
	}
	switch value[0] {
	case '|', '>':
		return block(value, more), true
	case '"', '\'':
		return quoted(fold(value, more)), true
	case '[', '{', '&', '*', '!':
		return "", false
	case '#':
		return "", false
	}
	value = fold(value, more)
	if at := strings.Index(value, " #"); at >= 0 {
		value = strings.TrimSpace(value[:at])
	}
	if value == "null" || value == "~" {
		return "", false
	}
	return value, true
}

// fold joins the lines of a scalar that goes on: a blank line is a line end, any other end a space.
func fold(value string, more []string) string {
	var b strings.Builder
	b.WriteString(value)
	blank := 0
	for _, line := range more {
		line = strings.TrimSpace(line)
		if line == "" {
			blank++
			continue
		}
		if blank > 0 {
			b.WriteString(strings.Repeat("\n", blank))
		} else {
			b.WriteByte(' ')
		}
		blank = 0
		b.WriteString(line)
	}
	return b.String()
}

// quoted takes the quotes off, and in double quotes the escapes.
func quoted(s string) string {
	quote := s[0]
	end := len(s) - 1
	if end == 0 || s[end] != quote {
		return s[1:]
	}
	s = s[1:end]
	if quote == '\'' {
		return strings.ReplaceAll(s, "''", "'")
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		i += escape(&b, s[i:])
	}
	return b.String()
}

// escape writes the character whose escape begins in s, behind the backslash, and returns how many more bytes it took.
func escape(b *strings.Builder, s string) int {
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[s[0]]
	if digits > 0 && len(s) > digits {
		if n, err := strconv.ParseUint(s[1:1+digits], 16, 32); err == nil {
			b.WriteRune(rune(n))
			return digits
		}
	}
	switch c := s[0]; c {
	case 'n':
		b.WriteByte('\n')
	case 't':
		b.WriteByte('\t')
	case 'r':
		b.WriteByte('\r')
	case '0':
		b.WriteByte(0)
	case 'e':
		b.WriteByte(0x1b)
	default:
		b.WriteByte(c)
	}
	return 0
}

// block reads a block scalar: "|" keeps line ends, ">" folds them; the end is trimmed.
func block(mark string, more []string) string {
	indent := -1
	var lines []string
	for _, line := range more {
		plain := strings.TrimLeft(line, " ")
		if indent < 0 && plain != "" {
			indent = len(line) - len(plain)
		}
		if plain == "" {
			lines = append(lines, "")
			continue
		}
		lines = append(lines, line[min(max(indent, 0), len(line)):])
	}
	text := strings.TrimRight(strings.Join(lines, "\n"), "\n")
	if mark[0] == '|' {
		return text
	}
	paragraphs := strings.Split(text, "\n\n")
	for i, p := range paragraphs {
		paragraphs[i] = strings.ReplaceAll(p, "\n", " ")
	}
	return strings.Join(paragraphs, "\n")
}
