package cli

import "strings"

// table is rows of cells; the last column takes what width is left, and goes on below where that is too little.
type table struct {
	head bool // the first row names the columns
	cut  bool // cells may be cut so that a row fits the page
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
	if t.cut {
		pg.narrow(widths, numbers)
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
			case i == len(row)-1 && t.cut:
				c.text = cutTo(c.text, max(pg.width-used, 8))
			case i == len(row)-1:
			case numbers[i]:
				c.text = strings.Repeat(" ", max(widths[i]-columns(c.text), 0)) + c.text
			default:
				c.text = padTo(c.text, widths[i])
			}
			used += columns(c.text)
			line = append(line, c)
		}
		pg.line(line...)
	}
}

// What a table keeps of the last column, and of any other that is no number, before it is wider than the page.
const (
	leastLast   = 16
	leastColumn = 8
)

// narrow takes columns from the widest ones until the table fits the page, or none has any to give.
func (pg *page) narrow(widths []int, numbers []bool) {
	last := len(widths) - 1
	for {
		used, widest := 0, -1
		for i, w := range widths {
			if w == 0 {
				continue
			}
			if i == last {
				w = min(w, leastLast)
			}
			if used += w; i < last {
				used += 2
			}
			if i > 0 && i < last && !numbers[i] && w > leastColumn && (widest < 0 || w > widths[widest]) {
				widest = i
			}
		}
		if used <= pg.width || widest < 0 {
			return
		}
		widths[widest]--
	}
}

func isNumber(s string) bool {
	return strings.Trim(s, " 0123456789,") == ""
}
