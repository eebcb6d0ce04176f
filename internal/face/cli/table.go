package cli

import "strings"

// table is rows of cells; the last column takes what width is left.
type table struct {
	head bool // the first row names the columns
	rows [][]span
}

func (t *table) add(cells ...span) { t.rows = append(t.rows, cells) }

// table prints the rows with two blanks between columns. A column that is empty in every row is left out.
func (pg *page) table(t table) {
	var widths []int
	var numbers []bool // columns of numbers, which stand to the right
	for n, row := range t.rows {
		for i, c := range row {
			if i == len(widths) {
				widths, numbers = append(widths, 0), append(numbers, true)
			}
			widths[i] = max(widths[i], columns(c.text))
			numbers[i] = numbers[i] && (isNumber(c.text) || n == 0 && t.head)
		}
	}
	for _, row := range t.rows {
		var line []span
		used := 0
		for i, c := range row {
			if widths[i] == 0 {
				continue
			}
			if used > 0 {
				line = append(line, span{"  ", plain})
				used += 2
			}
			switch {
			case i == len(row)-1:
				c.text = cutTo(c.text, max(pg.width-used, 8))
			case numbers[i]:
				c.text = strings.Repeat(" ", widths[i]-columns(c.text)) + c.text
			default:
				c.text = padTo(c.text, widths[i])
			}
			used += columns(c.text)
			line = append(line, c)
		}
		pg.line(line...)
	}
}

func isNumber(s string) bool {
	return strings.Trim(s, " 0123456789,") == ""
}
