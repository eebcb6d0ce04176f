package kit

import (
	"fmt"

	"lore"
)

// maxSame is how many losses of one code a file may list one by one. A file of a million bad lines is told in a
// thousand losses and one that counts the rest.
const maxSame = 1000

// losses collects the losses of one file.
type losses struct {
	source, file string
	list         []lore.Loss
	counts       map[lore.Code]int
	rest         map[lore.Code]int // index in list of the loss that counts the rest
}

func (c *losses) make(code lore.Code, severity lore.Severity, line int, what string) lore.Loss {
	return lore.Loss{Code: code, Severity: severity, Source: c.source, File: c.file, Line: line, What: what, Count: 1}
}

// add lists a loss and returns its index; -1 when it was only counted.
func (c *losses) add(code lore.Code, severity lore.Severity, line int, what string) int {
	if c.counts == nil {
		c.counts, c.rest = map[lore.Code]int{}, map[lore.Code]int{}
	}
	c.counts[code]++
	if c.counts[code] <= maxSame {
		c.list = append(c.list, c.make(code, severity, line, what))
		return len(c.list) - 1
	}
	at, ok := c.rest[code]
	if !ok {
		at = len(c.list)
		c.rest[code] = at
		c.list = append(c.list, c.make(code, severity, 0, fmt.Sprintf("further ones, from line %d on", line)))
		return -1
	}
	c.list[at].Count++
	return -1
}

// plural returns "1 byte", "2 bytes".
func plural(n int64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
