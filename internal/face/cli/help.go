package cli

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"
)

// widestHelp is how wide a help text becomes on a wider terminal: longer lines are hard to read.
const widestHelp = 100

// fitHelp makes the help of every command fit the width of the terminal, when it is asked for.
func (p *Program) fitHelp(root *cobra.Command) {
	print := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		width := min(p.columns(), widestHelp)
		wrapped := ".FlagUsagesWrapped " + strconv.Itoa(width)
		root.SetUsageTemplate(strings.NewReplacer(".LocalFlags.FlagUsages", "(.LocalFlags"+wrapped+")",
			".InheritedFlags.FlagUsages", "(.InheritedFlags"+wrapped+")").Replace(root.UsageTemplate()))
		reflow(cmd, width)
		print(cmd, args)
	})
}

// reflow breaks the paragraphs of a long help. A line that begins with a blank stays as it is.
func reflow(cmd *cobra.Command, width int) {
	var out []string
	paragraph := ""
	flush := func() {
		if paragraph == "" {
			return
		}
		for _, line := range wrap([]span{{paragraph, plain}}, width) {
			text := ""
			for _, s := range line {
				text += s.text
			}
			out = append(out, text)
		}
		paragraph = ""
	}
	for line := range strings.SplitSeq(cmd.Long, "\n") {
		if line == "" || line[0] == ' ' {
			flush()
			out = append(out, line)
			continue
		}
		paragraph = strings.TrimPrefix(paragraph+" "+line, " ")
	}
	flush()
	cmd.Long = strings.Join(out, "\n")
}
