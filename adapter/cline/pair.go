package cline

import (
	"strings"

	"lore"
)

// turn is a stretch of one role in a request, by its structure.
type turn struct {
	elem, run int
	role      lore.Role
	parts     []part
	twins     []int // rows that say it again
	typed     int   // the row that has the person's own words; -1: none
	spent     []int // rows that tell the tokens of the request that it answers
}

// part is what a part of a turn is known by.
type part struct {
	kind  lore.PartKind
	words words
	key   string
	id    string // of the call
	taken bool
}

// shown is a row of the screen that no request says.
type shown struct {
	row, after int
	role       lore.Role
	spent      []int
}

// maxWords is how much of the first prompt is compared.
const maxWords = 4096

// pairing finds the turn that says what each row says.
type pairing struct {
	turns  []turn
	queues map[lore.Role]map[words][]place
	calls  []place
	next   int    // in calls: those before are taken
	at     int    // the last turn that a row said
	called int    // the last call that a row showed, in calls; -1
	first  string // head of the first prompt
	begin  int    // its turn; -1: there is none

	alone   []shown
	waiting []int // rows with tokens whose answer is still to come
	idle    []int // rows with tokens that no turn answers
}

type place struct{ turn, part int }

func newPairing(turns []turn) *pairing {
	p := &pairing{turns: turns, queues: map[lore.Role]map[words][]place{}, at: -1, called: -1, begin: -1}
	for i := range turns {
		for j, x := range turns[i].parts {
			switch {
			case x.kind == lore.Call:
				p.calls = append(p.calls, place{i, j})
			case x.words != 0:
				q := p.queues[turns[i].role]
				if q == nil {
					q = map[words][]place{}
					p.queues[turns[i].role] = q
				}
				q[x.words] = append(q[x.words], place{i, j})
			}
		}
	}
	return p
}

// row takes in the next row of the screen.
func (p *pairing) row(n int, r *row) {
	if r.spent != nil {
		p.settle()
		p.waiting = append(p.waiting, n)
	}
	if r.parts == nil {
		return
	}
	found := p.find(n, r)
	if found < 0 {
		x := shown{row: n, after: p.at, role: r.role}
		if len(p.turns) == 0 && r.role == lore.Assistant {
			x.spent, p.waiting = p.waiting, nil
		}
		p.alone = append(p.alone, x)
		return
	}
	p.turns[found].twins = append(p.turns[found].twins, n)
	p.at = max(p.at, found)
	if p.turns[found].role == lore.Assistant {
		p.turns[found].spent = append(p.turns[found].spent, p.waiting...)
		p.waiting = nil
	}
}

// settle gives tokens that no row has claimed to the next answer.
func (p *pairing) settle() {
	if len(p.waiting) == 0 {
		return
	}
	for i := p.at + 1; i < len(p.turns); i++ {
		if p.turns[i].role == lore.Assistant {
			p.turns[i].spent = append(p.turns[i].spent, p.waiting...)
			p.waiting = nil
			return
		}
	}
	p.idle = append(p.idle, p.waiting...)
	p.waiting = nil
}

func (p *pairing) find(n int, r *row) int {
	said := r.parts[0]
	switch said.Kind {
	case lore.Call:
		return p.call(r)
	case lore.Result:
		return p.result()
	}
	w := wordsOf(said.Text)
	queue := p.queues[r.role]
	for list := queue[w]; len(list) > 0; list = queue[w] {
		x := list[0]
		queue[w] = list[1:]
		if t := &p.turns[x.turn].parts[x.part]; !t.taken {
			t.taken = true
			return x.turn
		}
	}
	if r.role != lore.User || p.begin < 0 {
		return -1
	}
	t := &p.turns[p.begin]
	if len(t.twins) > 0 || !p.alike(said.Text) {
		return -1
	}
	t.typed = n
	for i := range t.parts {
		t.parts[i].taken = true
	}
	return p.begin
}

// alike reports whether the first prompt begins like a text. What is mentioned in it ("@/file") the tool puts in quotes for
// the model.
func (p *pairing) alike(text string) bool {
	const same = 16
	a, b := strings.Join(strings.Fields(text), " "), strings.Join(strings.Fields(p.first), " ")
	if a, _, mentions := strings.Cut(a, "@"); mentions && len(a) < same {
		return strings.HasPrefix(b, a+"'")
	}
	n := min(len(a), len(b), same)
	return n > 0 && a[:n] == b[:n]
}

// ahead is how many calls are looked at to find the one that a row shows.
const ahead = 32

func (p *pairing) call(r *row) int {
	taken := func(i int) *bool { return &p.turns[p.calls[i].turn].parts[p.calls[i].part].taken }
	for p.next < len(p.calls) && *taken(p.next) {
		p.next++
	}
	fallback := -1
	for i := p.next; i < min(len(p.calls), p.next+ahead); i++ {
		key := p.turns[p.calls[i].turn].parts[p.calls[i].part].key
		switch {
		case *taken(i):
		case r.key != "" && strings.TrimSpace(key) == strings.TrimSpace(r.key):
			*taken(i) = true
			p.called = i
			return p.calls[i].turn
		case fallback < 0 && (key == "" || r.key == "") && p.calls[i].turn <= p.at+2:
			fallback = i
		}
	}
	if p.called >= 0 && r.key != "" && p.turns[p.calls[p.called].turn].parts[p.calls[p.called].part].key == r.key {
		return p.calls[p.called].turn // asked, then told
	}
	if fallback >= 0 {
		*taken(fallback) = true
		p.called = fallback
		return p.calls[fallback].turn
	}
	return -1
}

// result returns the turn with what the last call gave: a row may show a piece of it.
func (p *pairing) result() int {
	if p.called < 0 {
		return -1
	}
	from := p.calls[p.called]
	id := p.turns[from.turn].parts[from.part].id
	for i := from.turn + 1; i < min(len(p.turns), from.turn+ahead); i++ {
		for _, x := range p.turns[i].parts {
			if x.kind == lore.Result && x.id == id {
				return i
			}
		}
		if id == "" && p.turns[i].role == lore.Assistant {
			break
		}
	}
	return -1
}
