package cli

import "fmt"

// remark prints a line beside the data: for a person, on standard error, and not under --quiet.
func (p *Program) remark(line string) {
	if p.flags.quiet || line == "" {
		return
	}
	// What has been printed so far comes first, also where both go to one terminal.
	if p.stdout.flush() != nil {
		return
	}
	fmt.Fprintln(p.Stderr, oneLine(line))
}
