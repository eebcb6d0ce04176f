package chatexport

// state says how far a walk over the bytes of an element has come.
type state int

const (
	inside state = iota // more bytes may come
	done                // the element is complete
	broken              // a bracket closes what it did not open
)

// walk follows the brackets of one element without decoding it. The zero walk stands before the element.
type walk struct {
	open     []byte // brackets that are open
	quoted   bool   // inside of a string
	escaped  bool   // behind a backslash
	closed   int    // end of the last whole value that stands two levels down: a message, or a node
	holder   byte   // bracket of what holds that value
	complete int    // how many of them there are
}

// take walks over b from i on and returns where it stopped: behind the element when it is done.
func (w *walk) take(b []byte, i int) (int, state) {
	for ; i < len(b); i++ {
		c := b[i]
		switch {
		case w.escaped:
			w.escaped = false
		case w.quoted:
			w.escaped, w.quoted = c == '\\', c != '"'
		case c == '"':
			w.quoted = true
		case c == '{' || c == '[':
			w.open = append(w.open, c)
		case c == '}' || c == ']':
			if !w.close(c, i+1) {
				return i, broken
			}
			if len(w.open) == 0 {
				return i + 1, done
			}
		}
	}
	return i, inside
}

func (w *walk) close(c byte, end int) bool {
	top := len(w.open) - 1
	if top < 0 || w.open[top] != c-2 { // ] and } stand two above their openers
		return false
	}
	w.open = w.open[:top]
	if top == 2 {
		w.closed, w.holder = end, w.open[1]
		w.complete++
	}
	return true
}

// head makes a whole element of the first bytes of one: up to its last whole message. Nil when there is none.
func head(b []byte) []byte {
	var w walk
	w.take(b, 0)
	return w.head(b)
}

func (w *walk) head(b []byte) []byte {
	if w.closed == 0 {
		return nil
	}
	return append(append([]byte(nil), b[:w.closed]...), w.holder+2, '}')
}
