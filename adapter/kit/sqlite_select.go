package kit

import (
	"database/sql/driver"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// selectValues selects the rowid, the key and the columns, the last two each as two values: see cellSQL.
func (s *selection) selectValues() string {
	var b strings.Builder
	if b.WriteString("SELECT " + s.t.rowid); s.t.rowid == "" {
		b.WriteString("0")
	}
	b.WriteString(cellSQL(quote(s.t.key)))
	for i, c := range s.columns {
		if s.known[i] {
			b.WriteString(boundedSQL(quote(c.Name), "?1"))
		}
	}
	b.WriteString(" FROM " + quote(s.t.name))
	return b.String()
}

// cellSQL selects a key.
func cellSQL(c string) string { return boundedSQL(c, strconv.Itoa(longestKey)) }

// boundedSQL selects a column as its size, which SQLite knows without reading the value, and as the value when it is not
// longer than the bound. The size of a text is at least 0, of a blob -1 minus its size, of anything else NULL. A text is
// handed out as the bytes that are stored, without a conversion and whatever type the column was declared with.
func boundedSQL(column, bound string) string {
	return ", CASE typeof(" + column + ") WHEN 'text' THEN octet_length(" + column + ")" +
		" WHEN 'blob' THEN -1 - octet_length(" + column + ") END" +
		", CASE WHEN octet_length(" + column + ") > " + bound + " AND typeof(" + column + ") IN ('text', 'blob') THEN NULL" +
		" WHEN typeof(" + column + ") = 'text' THEN CAST(" + column + " AS BLOB) ELSE " + column + " END"
}

// cell makes a cell out of the two values of boundedSQL.
func (s *selection) cell(column string, size, value driver.Value) Cell {
	c := Cell{Column: column, Kind: NullCell}
	switch v := value.(type) {
	case int64:
		c.Kind, c.Int = IntegerCell, v
	case float64:
		c.Kind, c.Real = RealCell, v
	}
	n, ok := size.(int64)
	if !ok {
		return c
	}
	if c.Kind, c.Size = TextCell, n; n < 0 {
		c.Kind, c.Size = BlobCell, -1-n
	}
	if c.Left = value == nil; c.Left {
		return c
	}
	c.Bytes = bytesOf(value)
	if c.Kind == TextCell && s.db.encoding != "UTF-8" {
		c.Bytes = decodeUTF16(c.Bytes, s.db.encoding == "UTF-16be")
		c.Size = int64(len(c.Bytes))
	}
	if c.Bytes == nil {
		c.Bytes = []byte{}
	}
	return c
}

// decodeUTF16 makes UTF-8 out of UTF-16; a lone surrogate becomes its three bytes, half a unit at the end U+FFFD.
func decodeUTF16(b []byte, big bool) []byte {
	unit := func(i int) rune {
		if big {
			return rune(b[i])<<8 | rune(b[i+1])
		}
		return rune(b[i+1])<<8 | rune(b[i])
	}
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); i += 2 {
		if i+1 == len(b) {
			return utf8.AppendRune(out, utf8.RuneError)
		}
		r := unit(i)
		if utf16.IsSurrogate(r) {
			if i+3 < len(b) {
				if pair := utf16.DecodeRune(r, unit(i+2)); pair != utf8.RuneError {
					out = utf8.AppendRune(out, pair)
					i += 2
					continue
				}
			}
			out = append(out, 0xE0|byte(r>>12), 0x80|byte(r>>6)&0x3F, 0x80|byte(r)&0x3F)
			continue
		}
		out = utf8.AppendRune(out, r)
	}
	return out
}

// where is the condition of the query, which keeps secret rows out, and its values. ?1 is the longest value to read.
func (s *selection) where() (string, []driver.Value) {
	c := s.compared(s.filter)
	args := []driver.Value{s.q.MaxValue}
	var conditions []string
	bind := func(condition, key string) {
		args = append(args, s.bound(key))
		conditions = append(conditions, c+condition+"?"+strconv.Itoa(len(args)))
	}
	if from, to := s.q.From, s.q.To; to == "" && from != "" {
		bind(" = ", from)
	} else if to != "" && s.cuts(s.filter) {
		if from != "" {
			bind(" >= ", from)
		}
		bind(" < ", to)
	}
	if s.t.settings != "" {
		conditions = append(conditions, secretFunction+"("+quote(s.t.settings)+") = 0")
	}
	if len(conditions) == 0 {
		return "", args
	}
	return " WHERE " + strings.Join(conditions, " AND "), args
}

// compared is a column in a comparison: by bytes, whatever order the source likes better.
func (s *selection) compared(column string) string {
	if column == s.t.key && s.t.keyIsInt {
		return quote(column)
	}
	return quote(column) + " COLLATE BINARY"
}

// bound is a key in the type that the filter's column holds.
func (s *selection) bound(key string) driver.Value {
	own := s.filter == s.t.key
	if n, err := strconv.ParseInt(key, 10, 64); err == nil && own && s.t.keyIsInt {
		return n
	}
	if own && strings.Contains(strings.ToUpper(s.t.keyType), "BLOB") {
		return []byte(key)
	}
	return key
}

// cuts reports whether SQLite compares a column as we do, so that it can cut a range out. Texts are compared as they are
// stored, which in UTF-16 is another order.
func (s *selection) cuts(column string) bool {
	return s.db.encoding == "UTF-8" || column == s.t.key && s.t.keyIsInt
}
