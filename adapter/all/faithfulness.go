package all

import (
	"fmt"
	"strings"

	"lore/adapter"
)

// Faithfulness tells, as a page for people, what each adapter keeps of a history, what it does not, and why: the
// adapters' own declarations, in the order of the list. docs/FAITHFULNESS.md is this text.
func Faithfulness(list []adapter.Adapter) string {
	var b strings.Builder
	b.WriteString("# What is kept of each source\n\n" +
		"Every unit that a source wrote (a line, a row) is accounted for, and its bytes stay in the archive, whatever this page\n" +
		"says of the record. `lore inspect FILE` tells what became of each unit of one file.\n\n" +
		"This page is made from what the adapters declare of themselves; a test holds it against them\n" +
		"(`go test ./adapter/all -update` writes it anew).\n")
	for _, a := range list {
		info := a.Info()
		fmt.Fprintf(&b, "\n## %s\n\n", info.Title)
		b.WriteString("| source | store | what it holds |\n|---|---|---|\n")
		for _, s := range info.Stores {
			fmt.Fprintf(&b, "| `%s` | `%s` | %s |\n", s.Source, s.Name, s.What)
		}
		section(&b, "Kept", info.Keeps)
		section(&b, "Not in the record, and why", info.Leaves)
		section(&b, "To know", info.Notes)
	}
	return b.String()
}

func section(b *strings.Builder, title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s:\n\n", title)
	for _, l := range lines {
		fmt.Fprintf(b, "- %s\n", l)
	}
}
