package index

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"lore/internal/query"
	"lore/internal/text"
)

// The loosest tier answers with what has any of the words, best first. How it ranks was measured on questions with known
// answers: a message is read with its neighbours, its conversation counts as well, rare words count more, words close
// together count more, and a time in the question prefers what was said then.

// asked is one word of a question in the loosest tier.
type asked struct {
	word   string   // as the question has it, folded
	terms  []string // it and its forms
	weight float32  // for what the question itself makes of it
	idf    float32  // by which it is ranked: of messages and conversations
	proof  float32  // what its standing in a hit proves, see weakShare
	name   bool     // a name, an identifier, a number: there is no other word for it
	part   bool     // a part of what another term asks for as a whole
}

// any answers with the loosest tier.
func (s *searching) any(words, rest []query.Node) (*Result, error) {
	s.plan = newPlan(joined(rest))
	a := &anySearch{searching: s}
	if err := a.ask(words); err != nil || len(a.words) == 0 || len(a.words) == 1 && len(words) == 1 {
		return nil, err // one word has no parts
	}
	if err := a.collect(); err != nil {
		return nil, err
	}
	best, err := a.windows(a.choose())
	if err != nil || len(best) == 0 {
		return nil, err
	}
	return a.result(best)
}

func joined(of []query.Node) query.Node {
	switch len(of) {
	case 0:
		return nil
	case 1:
		return of[0]
	}
	return query.And{Of: of}
}

// anySearch is the loosest tier at work.
type anySearch struct {
	*searching
	words   []asked
	grams   *gramTable
	single  bool     // the question is one identifier or path
	allowed []bitset // of each segment: what the filters leave
	columns []columns
	n       int     // documents
	average float32 // length of one

	scores   [][]float32 // of each segment's documents
	convTF   [][]float32 // of each word, by conversation: occurrences in it
	convLen  []float32   // by conversation: words in it
	convs    int         // conversations with words
	when     timeAsked
	notAlone []bool // words that choose no conversation alone
}

// ask turns the words of the question into terms. A time is taken out of them; words that say nothing are, unless
// nothing is left.
func (a *anySearch) ask(words []query.Node) error {
	tokens := a.tokens(words)
	a.when, tokens = findTime(tokens, a.o.Now, a.o.Zone)
	meaning := slices.DeleteFunc(slices.Clone(tokens), func(t token) bool { return text.Common(t.term) })
	if len(meaning) == 0 {
		meaning = tokens
	}
	a.grams, a.single = gramsOf(tokens), len(words) == 1 && len(tokens) > 0 && tokens[0].term[0] < utf8.RuneSelf
	seen := map[string]bool{}
	for _, t := range meaning {
		if seen[t.term] || len(a.words) == 32 {
			continue
		}
		seen[t.term] = true
		terms := []string{t.term}
		if plainWord(t.term) {
			forms, err := a.r.forms(t.term)
			if err != nil {
				return err
			}
			if len(forms) > 0 {
				terms = forms
			}
		}
		w := asked{word: t.term, terms: terms, weight: 1, name: t.name || isName(t.term), part: t.part}
		if t.capital {
			w.weight = nameWeight
		}
		a.words = append(a.words, w)
	}
	return nil
}

// isName reports whether a term is no word of a language: it has digits or underscores. Of scripts without spaces a pair
// of characters is often none either, but for want of a border.
func isName(term string) bool { return term[0] < utf8.RuneSelf && !plainWord(term) }

// token is one term of a question, with how it was written.
type token struct {
	term    string
	raw     string
	capital bool // a capital inside of the question, which makes a name likely
	name    bool // that, or capitals inside of the word
	part    bool // one character of a run that pairs of characters ask for as well
}

func (a *anySearch) tokens(words []query.Node) (out []token) {
	for i, n := range words {
		raw, m := "", (*text.Matcher)(nil)
		switch n := n.(type) {
		case query.Word:
			raw, m = n.Text, text.Word(n.Text)
		case query.Literal:
			raw, m = n.Text, text.Literal(n.Text)
		case query.Phrase:
			raw, m = n.Text, text.Phrase(n.Text)
		case query.Prefix:
			raw, m = n.Text, text.Prefix(n.Text)
		}
		raw = strings.TrimSuffix(strings.TrimSuffix(raw, "'s"), "’s")
		first, size := utf8.DecodeRuneInString(raw)
		capital := i > 0 && unicode.IsUpper(first)
		name := capital || strings.IndexFunc(raw[size:], unicode.IsUpper) >= 0
		terms := m.Separate()
		pairs := slices.ContainsFunc(terms, func(t string) bool { return utf8.RuneCountInString(t) == 2 && t[0] >= utf8.RuneSelf })
		for _, t := range terms {
			if t == "s" && raw != "s" {
				continue
			}
			out = append(out, token{term: t, raw: strings.Trim(raw, ".,;:!?()\"'"), capital: capital, name: name,
				part: pairs && t[0] >= utf8.RuneSelf && utf8.RuneCountInString(t) == 1})
		}
	}
	return out
}

// collect scores every message and every conversation by the words.
func (a *anySearch) collect() error {
	a.exactTotal = true
	a.n, a.average = a.r.documents()
	answers, err := a.evaluate()
	if err != nil {
		return err
	}
	for i, seg := range a.r.segments {
		answers[i].sure.or(answers[i].maybe)
		a.allowed = append(a.allowed, answers[i].sure)
		c, err := seg.columns()
		if err != nil {
			return err
		}
		a.columns = append(a.columns, c)
		a.scores = append(a.scores, make([]float32, seg.docs))
		for doc := range seg.docs {
			if seg.deleted.has(doc) {
				continue
			}
			conv := int(c.convOf(doc))
			if conv >= len(a.convLen) {
				a.convLen = append(a.convLen, make([]float32, conv+1-len(a.convLen))...)
			}
			a.convLen[conv] += wordsOf[c.lengths[doc]]
		}
	}
	a.convs = positive(a.convLen)
	tf := make([]occurrences, len(a.r.segments))
	for i, seg := range a.r.segments {
		tf[i].of = make([]float32, seg.docs)
	}
	for w := range a.words {
		if err := a.collectWord(&a.words[w], tf); err != nil {
			return err
		}
	}
	return a.ctx.Err()
}

// positive is how many of the numbers are above 0.
func positive(all []float32) (n int) {
	for _, x := range all {
		if x > 0 {
			n++
		}
	}
	return n
}

// occurrences is how often a word stands in each document of a segment, and in which it stands at all.
type occurrences struct {
	of   []float32
	docs []uint32
}

func (o *occurrences) add(doc uint32, n float32) {
	if o.of[doc] == 0 {
		o.docs = append(o.docs, doc)
	}
	o.of[doc] += n
}

func (o *occurrences) reset() {
	for _, doc := range o.docs {
		o.of[doc] = 0
	}
	o.docs = o.docs[:0]
}

// collectWord counts one word; tf is for its occurrences in each segment.
func (a *anySearch) collectWord(w *asked, tf []occurrences) error {
	convs := make([]float32, len(a.convLen))
	df := 0
	for i := range a.r.segments {
		tf[i].reset()
		err := a.eachPosting(w, i, func(p *posting) {
			n := oftenValue[p.often]
			convs[a.columns[i].convOf(p.doc)] += n
			if p.in(matchable) {
				tf[i].add(p.doc, n)
			}
		})
		if err != nil {
			return err
		}
		df += len(tf[i].docs)
	}
	w.idf = float32(math.Sqrt(float64(idf(a.n, df) * idf(max(a.convs, 1), positive(convs)))))
	switch w.proof = idf(a.n, df); {
	case w.part:
		w.proof = 0
	case w.name && df == 0:
		w.proof *= unknownName
	}
	a.convTF = append(a.convTF, convs)
	common := float32(df) > commonShare*float32(a.n)
	a.notAlone = append(a.notAlone, common)
	for i := range tf {
		if common {
			break
		}
		for _, doc := range tf[i].docs {
			a.scores[i][doc] += w.idf * w.weight * saturated(tf[i].of[doc], a.columns[i].lengths[doc], a.average)
		}
	}
	return nil
}

// eachPosting calls f for the occurrences of a word in what the filters leave of a segment.
func (a *anySearch) eachPosting(w *asked, i int, f func(p *posting)) error {
	lists, _, err := needTerm{terms: w.terms}.lists(a.r.segments[i])
	if err != nil {
		return err
	}
	for k := range lists {
		p := &lists[k]
		for p.next() {
			if a.allowed[i].has(p.doc) {
				f(&p.posting)
			}
		}
		if p.bad {
			return damaged("posting list")
		}
	}
	return nil
}

// scoredConv is a conversation with its score.
type scoredConv struct {
	conv  uint32
	score float32
	whole float32 // the part of the conversation as a whole
}

// choose returns the conversations that are worth a closer look.
func (a *anySearch) choose() []scoredConv {
	best := make([]float32, len(a.convLen))
	for i := range a.scores {
		for doc, score := range a.scores[i] {
			if score > 0 {
				c := a.columns[i].convOf(uint32(doc))
				best[c] = max(best[c], score)
			}
		}
	}
	total := float32(0)
	for _, n := range a.convLen {
		total += n
	}
	average := max(total/float32(max(a.convs, 1)), 1)
	var out []scoredConv
	for c := range best {
		whole, in := float32(0), false
		for w := range a.words {
			if tf := a.convTF[w][c]; tf > 0 {
				in = true
				whole += a.words[w].idf * a.words[w].weight * tf * (convK + 1) / (tf + convK*(1-convB+convB*a.convLen[c]/average))
			}
		}
		if in {
			out = append(out, scoredConv{uint32(c), best[c] + conversationPart*whole, whole})
		}
	}
	slices.SortFunc(out, func(x, y scoredConv) int { return cmp.Or(cmp.Compare(y.score, x.score), cmp.Compare(x.conv, y.conv)) })
	if len(out) > anyConversations {
		a.exactTotal = false
		out = out[:anyConversations]
	}
	return out
}
