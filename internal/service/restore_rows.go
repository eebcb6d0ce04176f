package service

import (
	"bufio"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"math"
	"strconv"
	"unicode/utf8"

	"lore"
	"lore/adapter/kit"
)

// writeRows writes the kept rows of a database as JSON lines: table, key, and the columns in the order of the table. A
// number is a number, a text a string, NULL is null; a blob, or a text that is not UTF-8, is {"base64": ...}; a value that
// was too long to be kept is {"left_out_bytes": ...}.
func writeRows(w io.Writer, r io.ReaderAt, size int64) error {
	set, err := kit.OpenRowSet(r, size)
	if err != nil {
		return fmt.Errorf("%w: %w", errRows, err)
	}
	out := bufio.NewWriterSize(w, 64<<10)
	var line []byte
	for _, table := range set.Tables() {
		for row, err := range set.Rows(context.Background(), kit.Query{Table: table, MaxValue: math.MaxInt64}) {
			if err != nil {
				return fmt.Errorf("%w: %w", errRows, err)
			}
			line = lore.AppendJSON(append(line[:0], `{"table":`...), row.Table)
			line = lore.AppendJSON(append(line, `,"key":{`...), row.Key.Column)
			line = appendCell(append(line, ':'), row.Key)
			line = append(line, `},"columns":{`...)
			for i, c := range row.Cells {
				if i > 0 {
					line = append(line, ',')
				}
				line = lore.AppendJSON(line, c.Column)
				line = appendCell(append(line, ':'), c)
			}
			if _, err := out.Write(append(line, "}}\n"...)); err != nil {
				return err
			}
		}
	}
	return out.Flush()
}

func appendCell(dst []byte, c kit.Cell) []byte {
	switch {
	case c.Left:
		return append(strconv.AppendInt(append(dst, `{"left_out_bytes":`...), c.Size, 10), '}')
	case c.Kind == kit.IntegerCell:
		return strconv.AppendInt(dst, c.Int, 10)
	case c.Kind == kit.RealCell:
		return lore.AppendJSON(dst, c.Real)
	case c.Kind == kit.TextCell && utf8.Valid(c.Bytes):
		return lore.AppendJSON(dst, string(c.Bytes))
	case c.Kind == kit.TextCell || c.Kind == kit.BlobCell:
		dst = base64.StdEncoding.AppendEncode(append(dst, `{"base64":"`...), c.Bytes)
		return append(dst, `"}`...)
	}
	return append(dst, "null"...)
}
