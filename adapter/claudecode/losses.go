package claudecode

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"lore"
)

// maxLosses is how many losses of one code a file reports one by one; the rest is counted in one more.
const maxLosses = 100

// losses collects what is lost in one file. Each loss is said once.
type losses struct {
	file  string
	list  []lore.Loss
	seen  map[lossKey]int      // index in list
	count map[lore.Code]int    // how many of a code stand in list
	rest  map[lore.Code]int    // index in list of the loss that counts the rest
	once  map[lore.Code]onceOf // losses that are one for the file, with a count
}

type lossKey struct {
	code lore.Code
	line int
	what string
}

type onceOf struct{ line, n int }

// add reports a loss at a line; 0: of the file as a whole.
func (l *losses) add(code lore.Code, severity lore.Severity, line int, what string) {
	k := lossKey{code, line, what}
	if _, ok := l.seen[k]; ok {
		return
	}
	if l.seen == nil {
		l.seen, l.count, l.rest = map[lossKey]int{}, map[lore.Code]int{}, map[lore.Code]int{}
	}
	if l.count[code] >= maxLosses {
		l.more(code, severity, line)
		return
	}
	l.seen[k] = len(l.list)
	l.count[code]++
	l.list = append(l.list, l.make(code, severity, line, what))
}

// more counts a loss that is one too many to be said for itself.
func (l *losses) more(code lore.Code, severity lore.Severity, line int) {
	at, ok := l.rest[code]
	if !ok {
		at = len(l.list)
		l.rest[code] = at
		loss := l.make(code, severity, line, "")
		loss.Count = 0
		l.list = append(l.list, loss)
	}
	l.list[at].Count++
	l.list[at].What = strconv.Itoa(l.list[at].Count) + " more from here on"
}

// tally counts a loss that is said once for the file, at the line where it is met first.
func (l *losses) tally(code lore.Code, line int) {
	if l.once == nil {
		l.once = map[lore.Code]onceOf{}
	}
	o := l.once[code]
	if o.n == 0 {
		o.line = line
	}
	o.n++
	l.once[code] = o
}

// clone returns a copy that does not change with l.
func (l *losses) clone() losses {
	return losses{l.file, slices.Clone(l.list), maps.Clone(l.seen), maps.Clone(l.count), maps.Clone(l.rest), maps.Clone(l.once)}
}

// close says what was tallied.
func (l *losses) close(code lore.Code, severity lore.Severity, what func(n int) string) {
	if o := l.once[code]; o.n > 0 {
		loss := l.make(code, severity, o.line, what(o.n))
		loss.Count = o.n
		l.list = append(l.list, loss)
		delete(l.once, code)
	}
}

func (l *losses) make(code lore.Code, severity lore.Severity, line int, what string) lore.Loss {
	return lore.Loss{Code: code, Severity: severity, Source: source, File: l.file, Line: line, What: what, Count: 1}
}

// plural says a number with what is counted.
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
