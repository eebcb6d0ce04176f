package cursor

import (
	"strings"

	"lore"
)

// fold pairs the messages of poorer renderings with those of the richest. What a poorer one says again is one more origin
// of a message; what only it says is put in behind its last predecessor.
type fold struct {
	main    int                    // how many of the keys are of the richest rendering
	keys    []messageKeys          // of its messages, and behind them of extras
	origins map[int][]lore.Locator // of the pairs of its messages
	extras  []twinMessage          // what only a poorer rendering has
	after   map[int][]int          // extras to be put in, by the message before; -1: at the start
}

// messageKeys are what two renderings of a message share: the words, and, because text does not say where thinking ends,
// words and thinking in one.
type messageKeys struct{ words, all uint64 }

// twinMessage is a message that only a poorer rendering has.
type twinMessage struct {
	message lore.Message
	at      lore.Time
	model   string
	behind  int // the message of the richest rendering before it
}

func (f *fold) addMain(u *turn) {
	for i := range u.runs {
		f.keys = append(f.keys, keysOf(&u.runs[i]))
		f.main++
	}
}

// keysOf returns what a message shares with its twins. The input of calls and the output of tools are written otherwise
// in each rendering; the names of the tools are not.
func keysOf(m *lore.Message) messageKeys {
	var words, all, tools strings.Builder
	for i := range m.Parts {
		switch p := &m.Parts[i]; p.Kind {
		case lore.Text:
			words.WriteString(" " + p.Text)
			all.WriteString(" " + p.Text)
		case lore.Thinking:
			all.WriteString(" " + p.Text)
		default:
			tools.WriteString("\x00" + string(p.Kind) + "\x00" + p.Name)
		}
	}
	head := string(m.Role) + "\x01"
	k := messageKeys{words: wordHash(head + words.String()), all: wordHash(head + all.String())}
	if strings.TrimSpace(words.String()) == "" {
		k.words = wordHash(head + tools.String())
	}
	if strings.TrimSpace(all.String()) == "" {
		k.all = k.words
	}
	return k
}

// pair pairs the turns of one poorer rendering, each message once: by the words first, then by words and thinking.
func (f *fold) pair(turns []turn, ledger *lore.Ledger) {
	if f.origins == nil {
		f.origins, f.after = map[int][]lore.Locator{}, map[int][]int{}
	}
	pairs := f.match(turns)
	at := -1
	for i := range turns {
		u, kept := &turns[i], false
		for j := range u.runs {
			n := pairs[i][j]
			if n >= 0 {
				at = max(at, f.note(n, u.where))
				continue
			}
			m := u.runs[j]
			if saysNothing(&m) {
				continue
			}
			m.Origins = []lore.Locator{u.where}
			if !kept {
				m.Units, kept = 1, true
			}
			f.after[at] = append(f.after[at], len(f.extras))
			f.extras = append(f.extras, twinMessage{m, u.at, u.model, at})
		}
		if kept {
			ledger.Keep(1)
		} else {
			ledger.Merge(1)
		}
	}
	for i := len(f.keys) - f.main; i < len(f.extras); i++ {
		f.keys = append(f.keys, keysOf(&f.extras[i].message))
	}
}

// note adds an origin to a message and returns where in the richest rendering it stands.
func (f *fold) note(n int, where lore.Locator) int {
	if n < f.main {
		f.origins[n] = append(f.origins[n], where)
		return n
	}
	x := &f.extras[n-f.main]
	x.message.Origins = append(x.message.Origins, where)
	return x.behind
}

// match returns for each message of each turn the one of keys that is its twin, or -1.
func (f *fold) match(turns []turn) [][]int {
	pairs := make([][]int, len(turns))
	for i := range turns {
		pairs[i] = make([]int, len(turns[i].runs))
		for j := range pairs[i] {
			pairs[i][j] = -1
		}
	}
	taken := make([]bool, len(f.keys))
	for _, key := range []func(messageKeys) uint64{
		func(k messageKeys) uint64 { return k.words },
		func(k messageKeys) uint64 { return k.all },
	} {
		free := map[uint64][]int{}
		for n, k := range f.keys {
			if !taken[n] {
				free[key(k)] = append(free[key(k)], n)
			}
		}
		for i := range turns {
			for j := range turns[i].runs {
				k := key(keysOf(&turns[i].runs[j]))
				if list := free[k]; len(list) > 0 && pairs[i][j] < 0 {
					pairs[i][j], free[k] = list[0], list[1:]
					taken[list[0]] = true
				}
			}
		}
	}
	return pairs
}

// saysNothing reports whether a message is only the name of a tool that came back, which a richer rendering leaves out.
func saysNothing(m *lore.Message) bool {
	for i := range m.Parts {
		if m.Role != lore.Tool || strings.TrimSpace(m.Parts[i].Text) != "" {
			return false
		}
	}
	return true
}
