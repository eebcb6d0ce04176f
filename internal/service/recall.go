package service

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"lore"
	"lore/internal/text"
)

// RecallBudget is how many tokens an answer of Recall takes at most where nothing else is said, MinRecallBudget the
// fewest that hold one passage.
const (
	RecallBudget    = 400
	MinRecallBudget = 100
	MaxRecallBudget = 20000
)

// recallCandidates is how many conversations are looked into for passages of one answer.
const recallCandidates = 15

// RecallRequest asks for the few passages that help with a task.
type RecallRequest struct {
	Task   string // in any words; no syntax of the query language counts in it
	Query  string // filters of the query language that narrow where passages come from; empty: everywhere
	Budget int    // tokens of all passages with what is said about them; 0: RecallBudget
	Cursor string // the Next of the answer before; empty: the first one
	Reveal bool   // leave credentials in the text as they are

	// Except names conversations that are left out, as in a SearchRequest.
	Except []string
}

// RecallResult is those passages, the best first.
type RecallResult struct {
	Schema   string `json:"schema"` // "lore.recall.v1"
	Task     string `json:"task"`
	Relevant bool   `json:"relevant"` // false: even the best passage is unlikely to help; there may be none
	Tokens   int    `json:"tokens"`   // estimate for the passages with what is said about them

	Passages []Passage `json:"passages"`
	Coverage Coverage  `json:"coverage"`
	Next     *string   `json:"next"` // further passages

	share float64 // how much of the task the best passage speaks of, by the weight of the words: 0 to 1
}

// Passage is a piece of one conversation: what was asked and what was answered, around the words that were found.
type Passage struct {
	ID           lore.ID   `json:"id"` // of the message that was found
	ShortID      string    `json:"short_id"`
	Conversation HitOf     `json:"conversation"`
	At           lore.Time `json:"at"`
	Tier         string    `json:"tier"`
	Said         []Said    `json:"said"`
}

// Said is what one message of a passage says, or the pieces of it that count.
type Said struct {
	ID      lore.ID   `json:"id"`
	ShortID string    `json:"short_id"`
	Role    lore.Role `json:"role"`
	Text    string    `json:"text"`
	Cut     bool      `json:"cut"` // some of the message is left out, where … stands in Text
}

// Recall returns the few passages that help most with a task, within a budget of tokens.
func (s *Service) Recall(ctx context.Context, req RecallRequest) (*RecallResult, error) {
	if req.Budget == 0 {
		req.Budget = RecallBudget
	}
	if req.Budget < MinRecallBudget || req.Budget > MaxRecallBudget {
		return nil, failf(Usage, nil, "a budget of %d tokens is out of bounds; give %d to %d", req.Budget, MinRecallBudget, MaxRecallBudget)
	}
	words := plainQuery(req.Task)
	if words == "" {
		return nil, failf(Usage, nil, "the task %q has no word to look for; say in a sentence what is to be done", clip(req.Task))
	}
	bound := append([]string{"recall", req.Task, req.Query, strconv.Itoa(req.Budget)}, req.Except...)
	offset, err := offsetOf(req.Cursor, bound...)
	if err != nil {
		return nil, err
	}
	search := SearchRequest{Query: strings.TrimSpace(words + " " + req.Query), Limit: offset + recallCandidates, Except: req.Except}
	found, err := s.Search(ctx, search)
	if err != nil {
		return nil, err
	}
	res := &RecallResult{Schema: "lore.recall.v1", Task: req.Task, Coverage: found.Coverage, Passages: []Passage{},
		Relevant: len(found.Hits) > 0 && !slices.ContainsFunc(found.Warnings, func(w Warning) bool { return w.Code == "weak" })}
	r := &recalling{ctx: ctx, stems: stemsOf(req.Task), budget: req.Budget, reveal: req.Reveal, weak: !res.Relevant,
		sure: len(found.Hits) > 0 && found.Hits[0].Tier == "exact", skip: offset}
	hits := found.Hits
	if others := otherWords(r.stems); !r.sure && others != "" {
		search.Query, search.Limit = strings.TrimSpace(others+" "+req.Query), 2*recallCandidates
		others, err := s.Search(ctx, search)
		if err != nil {
			return nil, err
		}
		hits = withOthers(hits[:min(len(hits), recallCandidates)], others.Hits)
	}
	if len(hits) == 0 {
		return res, nil
	}
	if r.l, err = s.open(ctx); err != nil {
		return nil, err
	}
	defer r.l.close()
	more, err := r.run(hits)
	if err != nil {
		return nil, s.failure(err)
	}
	if res.judge(r) < unrelated {
		return res, nil
	}
	res.Passages, res.Tokens = r.passages, r.spent
	if more > 0 && (more < len(hits) || r.sure && more < found.Total) {
		next := cursorFor(more, bound...)
		res.Next = &next
	}
	return res, nil
}

// How much of a task the best passage has to speak of, by the weight of its words: below unrelated it is not even shown;
// evident stands against a search that calls its own hits weak.
const (
	unrelated = 0.18
	evident   = 0.5
)

// judge says whether what was found is relevant, and returns how much of the task it speaks of.
func (res *RecallResult) judge(r *recalling) float64 {
	res.share = r.share
	res.Relevant = r.share >= unrelated && (!r.weak || r.share >= evident)
	return r.share
}

// withOthers adds hits of other conversations.
func withOthers(hits, others []Hit) []Hit {
	seen := map[lore.ID]bool{}
	for i := range hits {
		seen[hits[i].Conversation.ID] = true
	}
	for i := range others {
		if h := others[i]; !seen[h.Conversation.ID] {
			seen[h.Conversation.ID] = true
			hits = append(hits, h)
		}
	}
	return hits
}

// plainQuery returns the words of a text as a question of the query language in which nothing counts as syntax. Of a long
// text the first words that are not common ones are taken.
func plainQuery(task string) string {
	const most = 48
	words := strings.Fields(task)
	long := len(words) > most
	var out []string
	for _, w := range words {
		w = plainWord(w)
		if w == "" || long && text.Common(strings.ToLower(strings.TrimRight(w, ".,;:!?"))) {
			continue
		}
		if out = append(out, w); len(out) == most {
			break
		}
	}
	return strings.Join(out, " ")
}

// plainWord takes from a word what would be syntax: quotes, groups, a minus, a field, a wildcard, an operator.
func plainWord(w string) string {
	w = strings.Map(func(r rune) rune {
		switch r {
		case '"', '“', '”', '„':
			return -1
		}
		return r
	}, w)
	if w == "()" || !strings.Contains(w, "()") {
		w = strings.Trim(w, "()")
	}
	w = strings.TrimRight(w, "*")
	if strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "--") {
		w = w[1:]
	}
	if name, value, ok := strings.Cut(w, ":"); ok && value != "" && letters(name) && !strings.ContainsAny(value[:1], `:/\`) {
		return name + " " + plainWord(value)
	}
	switch w {
	case "OR", "AND", "NOT":
		return strings.ToLower(w)
	}
	return w
}

// letters reports whether a word could be the name of a field.
func letters(w string) bool {
	return w != "" && strings.Trim(w, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_") == ""
}

// clip shortens a text for an error message.
func clip(s string) string {
	const most = 80
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
