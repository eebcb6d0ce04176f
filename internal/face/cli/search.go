package cli

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"lore"
	"lore/internal/service"
)

func (p *Program) searchCommand() *cobra.Command {
	var page paging
	var only filters
	var fresh, explain bool
	var sort string
	var facets []string
	var interactive bool
	cmd := &cobra.Command{
		Use:     "search QUERY...",
		Short:   "Find messages, best first",
		GroupID: find,
		Long: `Finds messages by their words, best first, one for each conversation. Words are all asked for; "a phrase", OR, -not,
prefix* and field:value narrow it. docs/QUERY.md tells the whole language.`,
		Example: `  lore search connection pool
  lore search '"no such file" role:tool since:7d'
  lore search --source codex --project lantern debounce
  lore search --facets source,project,day panic
  lore search -i
  lore search --json --all -- --no-verify`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && !interactive {
				return usage("say what to search for: `lore search WORDS...`; `lore list` shows every conversation")
			}
			return page.check()
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			svc, err := p.service()
			if err != nil {
				return err
			}
			if fresh {
				if err := p.refresh(cmd, svc); err != nil {
					return err
				}
			}
			if interactive {
				return p.pick(cmd.Context(), svc, strings.Join(args, " "), &only)
			}
			res, err := svc.Search(cmd.Context(), service.SearchRequest{
				Query: only.query(args), Limit: page.limit, Cursor: page.cursor, All: page.all, Sort: sort, Facets: facets, Explain: explain})
			if err != nil {
				return err
			}
			return p.printSearch(res)
		},
	}
	page.register(cmd.Flags(), 20, "every hit of a conversation, not only the best")
	only.register(cmd)
	cmd.Flags().BoolVarP(&interactive, "interactive", "i", false, "search while you type, and show what you pick")
	cmd.Flags().BoolVar(&fresh, "fresh", false, "import what is new first")
	cmd.Flags().BoolVar(&explain, "explain", false, "say of every hit what its score is made of")
	cmd.Flags().StringVar(&sort, "sort", "relevance", "`order` of the hits: relevance, newest or oldest")
	complete(cmd, "sort", "relevance", "newest", "oldest")
	cmd.Flags().StringSliceVar(&facets, "facets", nil, "count all messages that answer by these `names`: source,project,role,day,model,tool")
	complete(cmd, "facets", service.FacetNames()...)
	return cmd
}

func (p *Program) printSearch(res *service.SearchResult) error {
	for _, w := range res.Warnings {
		p.remark(warningLine(w))
	}
	switch {
	case res.Stale && res.Coverage.AsOf.IsZero():
		p.remark("no history of this machine was imported yet: `lore import` reads what is here")
	case res.Stale:
		p.remark("the last import was " + p.newPage().ago(res.Coverage.AsOf) + ": `lore import` reads what is new, --fresh does so before a search")
	}
	switch {
	case p.flags.json:
		if err := p.stdout.json(res); err != nil {
			return err
		}
	case p.flags.ndjson:
		for i := range res.Hits {
			if err := p.stdout.json(&res.Hits[i]); err != nil {
				return err
			}
		}
	default:
		pg := p.newPage()
		pg.hits(res)
		pg.facetCounts(res.Facets)
		if pg.err != nil {
			return pg.err
		}
		p.remark(searchSummary(res))
	}
	if len(res.Hits) == 0 {
		return outcome(exitNothing)
	}
	return nil
}

// hits prints the answer to a search.
func (pg *page) hits(res *service.SearchResult) {
	tier := ""
	for i := range res.Hits {
		h := &res.Hits[i]
		if h.Tier != tier && h.Tier != "exact" {
			pg.line(say(dim, tierLine(h.Tier)))
			pg.blank()
		}
		tier = h.Tier
		pg.hit(h)
	}
}

// tierLine says what the hits below it are worth.
func tierLine(tier string) string {
	switch tier {
	case "forms":
		return "With other forms of the words:"
	case "spelling":
		return "With words that are spelled alike:"
	case "any":
		return "With some of the words only:"
	}
	return "Less exact (" + tier + "):"
}

// hit prints one message: what it belongs to, the sentence with the match lit, and how to see more.
func (pg *page) hit(h *service.Hit) {
	title := h.Conversation.Title
	if title == "" {
		title = "(no title)"
	}
	pg.wrapped("", say(quiet, signs(h.Marks)), say(bold, title))
	facts := []string{h.Conversation.Source}
	if name := projectName(h.Conversation.Project); name != "" {
		facts = append(facts, name)
	}
	if age := pg.ago(h.At); age != "" {
		facts = append(facts, age)
	}
	facts = append(facts, speaker(h.Role, h.Kind))
	if !h.Active {
		facts = append(facts, "not active")
	}
	pg.facts("  ", dim, facts)
	if len(h.Snippet) > 0 {
		pg.wrapped("  ", snippetSpans(h.Snippet, h.Ranges)...)
	}
	pg.why(h)
	more := ""
	if h.MoreInConversation > 0 {
		more += "   " + strconv.Itoa(h.MoreInConversation) + " more in it"
	}
	if n := len(h.AlsoIn); n > 0 {
		more += "   also in " + count(n, "conversation")
	}
	pg.line(span{"  ", plain}, say(quiet, "lore show "+h.ShortID), say(dim, more))
	pg.blank()
}

// why prints what a score is made of.
func (pg *page) why(h *service.Hit) {
	if h.Why == nil {
		return
	}
	number := func(x float64) string { return strconv.FormatFloat(x, 'f', 2, 64) }
	var parts, words []string
	for _, p := range h.Why.Parts {
		parts = append(parts, p.Part+" "+number(p.Score))
	}
	for _, w := range h.Why.Words {
		s := w.Word + " "
		switch {
		case !w.Found:
			s += "not there"
		case w.Score > 0:
			s += number(w.Score)
		default:
			s += "found"
		}
		words = append(words, s+" (weight "+number(w.Weight)+")")
	}
	pg.wrapped("    ", say(dim, "score "+number(h.Score)+": "+strings.Join(parts, ", ")))
	if len(words) > 0 {
		pg.wrapped("    ", say(dim, "words: "+strings.Join(words, ", ")))
	}
}

// speaker says whose words a part is.
func speaker(role lore.Role, kind lore.PartKind) string {
	if kind == "" || kind == lore.Text || role == lore.Tool && kind == lore.Result {
		return string(role)
	}
	return string(role) + " " + string(kind)
}

func projectName(p lore.Project) string {
	for _, s := range []string{p.Name, p.Dir, p.Remote} {
		if s != "" {
			return s
		}
	}
	return ""
}

// snippetSpans lights the ranges of a snippet.
func snippetSpans(snippet string, ranges [][2]int) []span {
	var spans []span
	at := 0
	for _, r := range ranges {
		from, to := max(r[0], at), min(r[1], len(snippet))
		if from >= to {
			continue
		}
		spans = append(spans, say(plain, snippet[at:from]), say(lit, snippet[from:to]))
		at = to
	}
	return append(spans, say(plain, snippet[at:]))
}

func searchSummary(res *service.SearchResult) string {
	if len(res.Hits) == 0 {
		return "nothing found in " + count(res.Coverage.Searched, "conversation")
	}
	about := ""
	if !res.TotalIsExact {
		about = "about "
	}
	s := about + count(res.Total, "hit") + " in " + count(res.Coverage.Searched, "conversation") + ", " + strconv.FormatInt(res.ElapsedMS, 10) + " ms"
	if res.Next != nil {
		s += "; --limit shows more"
	}
	return s
}

func warningLine(w service.Warning) string {
	s := w.Message
	if w.DidYouMean != "" && !strings.Contains(s, w.DidYouMean) {
		s += ": did you mean " + strconv.Quote(w.DidYouMean) + "?"
	}
	return s
}
