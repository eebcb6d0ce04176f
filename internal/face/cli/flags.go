package cli

import (
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lore/internal/service"
)

// shared are the flags of every command.
type shared struct {
	dir    string
	home   string
	json   bool
	ndjson bool
	color  string
	quiet  bool
}

func (f *shared) register(set *pflag.FlagSet) {
	set.StringVar(&f.dir, "dir", "", "lore's own `folder` (also LORE_DIR)")
	set.StringVar(&f.home, "home", "", "look for agents below this home `folder`; their own variables are then ignored")
	set.BoolVar(&f.json, "json", false, "print one JSON object")
	set.BoolVar(&f.ndjson, "ndjson", false, "print one JSON object a line, where a list is printed")
	set.StringVar(&f.color, "color", "auto", "`when` to use colours: auto, always or never")
	set.BoolVar(&f.quiet, "quiet", false, "print no progress and no remarks")
}

// check refuses what a flag's type does not.
func (f *shared) check() error {
	switch f.color {
	case "auto", "always", "never":
	default:
		return usage("--color is auto, always or never, not %q", f.color)
	}
	if f.json && f.ndjson {
		return usage("--json and --ndjson exclude each other: take one")
	}
	return nil
}

// paging are the flags of a command that prints a list.
type paging struct {
	limit  int
	cursor string
	all    bool
}

func (f *paging) register(set *pflag.FlagSet, limit int, all string) {
	set.IntVarP(&f.limit, "limit", "n", limit, "print at most this `number`; 0 is all")
	set.StringVar(&f.cursor, "cursor", "", "go on after a page: the `cursor` that its JSON gives as next")
	set.BoolVar(&f.all, "all", false, all)
}

func (f *paging) check() error {
	if f.limit < 0 {
		return usage("--limit is 0 (all) or more, not %d", f.limit)
	}
	return nil
}

// filters are flags that stand for fields of the query language, for those who like flags better.
type filters struct {
	source, project, role, since, until []string
}

func (f *filters) register(cmd *cobra.Command) {
	set := cmd.Flags()
	set.StringArrayVarP(&f.source, "source", "s", nil, "only this `agent`, e.g. claude-code or codex")
	set.StringArrayVarP(&f.project, "project", "p", nil, "only this project: its `name`, or a directory with all below it")
	set.StringArrayVarP(&f.role, "role", "r", nil, "only messages of this `role`: user, assistant, tool or system")
	set.StringArrayVar(&f.since, "since", nil, "only from this `date` on: 2026-03-01, 2026-03, 7d, yesterday")
	set.StringArrayVar(&f.until, "until", nil, "only up to this `date`, the day itself included")
	complete(cmd, "role", "user", "assistant", "tool", "system")
}

// complete gives the shell the values of a flag.
func complete(cmd *cobra.Command, flag string, values ...string) {
	// The error is that of a flag that does not exist or has values already: TestCompletion sees either.
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// query puts the words of a command and its filters into one query. A flag that is given twice means either value.
func (f *filters) query(words []string) string {
	parts := words
	for _, field := range []struct {
		name   string
		values []string
	}{{"source", f.source}, {"project", f.project}, {"role", f.role}, {"since", f.since}, {"until", f.until}} {
		var terms []string
		for _, v := range field.values {
			terms = append(terms, field.name+":"+quoteTerm(v))
		}
		switch {
		case len(terms) == 1:
			parts = append(parts[:len(parts):len(parts)], terms[0])
		case len(terms) > 1:
			parts = append(parts[:len(parts):len(parts)], "("+strings.Join(terms, " OR ")+")")
		}
	}
	if len(parts) > len(words) && strings.Contains(strings.Join(words, " "), " OR ") {
		parts = append([]string{"(" + strings.Join(words, " ") + ")"}, parts[len(words):]...)
	}
	return strings.Join(parts, " ")
}

// quoteTerm quotes a value that would be more than one word.
func quoteTerm(v string) string {
	if v != "" && !strings.ContainsFunc(v, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("\"“”()", r) }) {
		return v
	}
	return service.Quoted(v)
}
