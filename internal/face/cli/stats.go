package cli

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"lore"
	"lore/internal/service"
)

func (p *Program) statsCommand() *cobra.Command {
	var only filters
	var ascii, storage bool
	var top int
	cmd := &cobra.Command{
		Use:     "stats [QUERY...]",
		Short:   "Count over time, sources, projects, models, tools and tokens",
		GroupID: know,
		Long: `Counts the messages that were imported, or those that answer a query: over time, by weekday and hour, by source, project,
role, model and tool. Tokens are those of whole conversations, where an agent counts them. Nothing is counted twice, and
what two agents record of one conversation is one.

With --storage it tells what archive and index take on disk, which stores of which agents that comes from, and what was added
in each month.`,
		Example: `  lore stats
  lore stats --since 30d
  lore stats --project lantern role:user
  lore stats 'tool:Bash has:error' --top 0
  lore stats --json
  lore stats --storage`,
		Args: func(*cobra.Command, []string) error {
			if top < 0 {
				return usage("--top is 0 (all) or more, not %d", top)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			svc, err := p.service()
			if err != nil {
				return err
			}
			if storage {
				if only.query(args) != "" {
					return usage("`lore stats --storage` takes no query: it tells of all that is there")
				}
				return p.runStorage(cmd, svc)
			}
			res, err := svc.Stats(cmd.Context(), service.StatsRequest{Query: only.query(args)})
			if err != nil {
				return err
			}
			return p.printStats(res, p.glyphs(ascii), top)
		},
	}
	only.register(cmd)
	cmd.Flags().BoolVar(&storage, "storage", false, "tell what takes the room on disk, and how it grows")
	cmd.Flags().BoolVar(&ascii, "ascii", false, "draw with the signs of ASCII alone; the default where the locale has no others")
	cmd.Flags().IntVar(&top, "top", 8, "print the `number` of sources, projects, models and tools with the most messages; 0 is all")
	return cmd
}

func (p *Program) printStats(res *service.StatsResult, g glyphs, top int) error {
	for _, w := range res.Warnings {
		p.remark(warningLine(w))
	}
	if p.flags.json || p.flags.ndjson {
		if err := p.stdout.json(res); err != nil {
			return err
		}
	} else if res.Conversations > 0 {
		pg := p.newPage()
		pg.stats(res, g, top)
		if pg.err != nil {
			return pg.err
		}
	} else {
		p.remark("nothing to count: `lore import` reads what is there")
	}
	if res.Conversations == 0 {
		return outcome(exitNothing)
	}
	return nil
}

// stats prints the counts as charts.
func (pg *page) stats(res *service.StatsResult, g glyphs, top int) {
	about := ""
	if !res.Exact {
		about = "about "
	}
	facts := []string{about + count(res.Messages, "message"), count(res.Conversations, "conversation")}
	if len(res.Days) > 0 {
		facts = append(facts, count(len(res.Days), "day"))
		facts = append(facts, fromTo(res.Days[0].Value, res.Days[len(res.Days)-1].Value))
	}
	if u := res.Tokens; u != nil {
		facts = append(facts, tokensLine(u))
	}
	pg.facts("", plain, facts)
	pg.overTime(res, g)
	pg.hours(res, g)
	for _, s := range []struct {
		name string
		all  []service.Spent
	}{{"source", res.Sources}, {"project", res.Projects}, {"role", without(res.Roles)}, {"model", without(res.Models)}, {"tool", without(res.Tools)}} {
		pg.shares(s.name, s.all, g, top)
	}
}

func fromTo(first, last string) string {
	if first == last {
		return first
	}
	return first + " to " + last
}

func tokensLine(u *lore.Usage) string {
	return tokens(u.Input+u.CacheRead+u.CacheWrite) + " tokens in, " + tokens(u.Output) + " out"
}

// tokens tells a number of tokens with three digits at most.
func tokens(n int64) string {
	return strings.TrimSuffix(strings.TrimSuffix(size(n), "B"), " ")
}

func without(all []service.FacetShare) (out []service.Spent) {
	for _, s := range all {
		out = append(out, service.Spent{FacetShare: s})
	}
	return out
}

// overTime draws the messages of each day, week or month, as fits.
func (pg *page) overTime(res *service.StatsResult, g glyphs) {
	t := timelineOf(res.Days, min(pg.width-2, 120))
	if len(t.numbers) < 2 {
		return
	}
	greatest := 0
	for _, n := range t.numbers {
		greatest = max(greatest, n)
	}
	pg.blank()
	pg.line(say(bold, "over time"), say(dim, "  a column is a "+t.unit+", the highest "+count(greatest, "message")))
	pg.line(span{"  ", plain}, span{sparkline(g, t.numbers), green})
	first, last := t.first.Format("2006-01-02"), t.last.Format("2006-01-02")
	if gap := len(t.numbers) - len(first) - len(last); gap > 0 {
		pg.line(say(dim, "  "+first+strings.Repeat(" ", gap)+last))
	} else {
		pg.line(say(dim, "  "+fromTo(first, last)))
	}
}

// hours draws a map of weekdays and hours.
func (pg *page) hours(res *service.StatsResult, g glyphs) {
	greatest := 0
	for _, day := range res.Hours {
		for _, n := range day {
			greatest = max(greatest, n)
		}
	}
	if greatest == 0 {
		return
	}
	wide := " "
	if pg.width < 2+4+24*2 {
		wide = ""
	}
	pg.blank()
	pg.line(say(bold, "by weekday and hour"), say(dim, "  most in an hour: "+count(greatest, "message")))
	head := "      "
	for h := 0; h < 24; h += 6 {
		head += padTo(strconv.Itoa(h), 6*(1+len(wide)))
	}
	pg.line(say(dim, head))
	for d, name := range strings.Fields("Mon Tue Wed Thu Fri Sat Sun") {
		line := []span{{"  " + name + " ", dim}}
		for _, n := range res.Hours[d] {
			i := level(n, greatest, len(g.shade))
			line = append(line, span{g.shade[i] + wide, heat[i]})
		}
		pg.line(line...)
	}
}

// shares prints the values of a facet with the most messages, each with a bar.
func (pg *page) shares(name string, all []service.Spent, g glyphs, top int) {
	if len(all) == 0 {
		return
	}
	shown := all
	if top > 0 && len(shown) > top {
		shown = shown[:top]
	}
	pg.blank()
	pg.line(say(bold, "by "+name))
	greatest := all[0].Messages
	for _, s := range all {
		greatest = max(greatest, s.Messages)
	}
	t := table{cut: true}
	length := min(max(pg.width-66, 0), 30) // a narrow page has no room for bars
	for _, s := range shown {
		value := cutTo(oneLine(s.Value), max(pg.width-length-48, 12))
		row := []span{{"  " + value, plain}, {number(int64(s.Messages)), plain}, {padTo(bar(g, s.Messages, greatest, length), length), green},
			{count(s.Conversations, "conversation"), dim}}
		if s.Tokens != nil {
			u := s.Tokens
			row = append(row, span{tokens(u.Input+u.Output+u.CacheRead+u.CacheWrite) + " tokens", dim})
		}
		t.add(row...)
	}
	pg.table(t)
	if n := len(all) - len(shown); n > 0 {
		pg.line(say(dim, "  and "+number(int64(n))+" more: --top 0 prints all"))
	}
}
