package kit

import (
	"lore"
	"lore/adapter"
)

// Tally gathers what is not in a record as it was, while one evidence is read. Things of one sort are one loss with
// their count, at the first line where they were met.
type Tally struct {
	loss  losses
	sorts map[lossSort]int // index in the list
}

type lossSort struct {
	file string
	code lore.Code
	what string
}

// NewTally makes a Tally of losses in a file of the input.
func NewTally(in adapter.Input, path string) *Tally {
	return &Tally{loss: losses{source: in.Source.Product, file: in.Name(path)}, sorts: map[lossSort]int{}}
}

// One adds a loss that stands for itself. Line 0: of the file as a whole.
func (t *Tally) One(code lore.Code, severity lore.Severity, line int, what string) {
	t.loss.add(code, severity, line, what)
}

// More counts one more of a sort of loss: of this code and these words.
func (t *Tally) More(code lore.Code, severity lore.Severity, line int, what string) {
	t.Many(code, severity, line, 1, what)
}

// Many counts n more of a sort of loss; none when n is 0.
func (t *Tally) Many(code lore.Code, severity lore.Severity, line, n int, what string) {
	if n <= 0 {
		return
	}
	key := lossSort{t.loss.file, code, what}
	at, ok := t.sorts[key]
	if !ok {
		if at = t.loss.add(code, severity, line, what); at < 0 {
			return
		}
		t.sorts[key] = at
		n--
	}
	t.loss.list[at].Count += n
}

// Unknown counts a unit, or a block in one, of a type that the reader does not know.
func (t *Tally) Unknown(line int, typ string) {
	t.More(lore.UnknownRecord, lore.Info, line, "type "+Clip(typ))
}

// In says in which file of the evidence the losses to come are.
func (t *Tally) In(name string) { t.loss.file = name }

// List returns the losses in the order in which their first was met.
func (t *Tally) List() []lore.Loss { return t.loss.list }
