// Command ownsource shows lore's public packages at work outside of lore: an adapter for a source of one's own, and a
// program that reads a folder with it, makes the same ids that lore would make, and prints each record as JSON.
//
//	go run ./examples/ownsource examples/ownsource/testdata
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"lore"
	"lore/adapter"
)

func main() {
	dir := "."
	if len(os.Args) > 1 {
		dir = os.Args[1]
	}
	if err := run(context.Background(), dir, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "ownsource: "+err.Error())
		os.Exit(1)
	}
}

// run prints every conversation of a folder: its header, then its messages, an object a line.
func run(ctx context.Context, dir string, to io.Writer) error {
	root, err := os.OpenRoot(dir) // no name in it, link or not, leads outside
	if err != nil {
		return err
	}
	defer root.Close()
	out := bufio.NewWriter(to)
	place := adapter.Place{Root: adapter.Root{Source: source}, FS: root.FS(), Name: "~/.talk"}
	var failed error
	for c, err := range adapter.Records(ctx, talk{}, place) {
		if err != nil {
			failed = errors.Join(failed, err) // one evidence: the others go on
			continue
		}
		for i := range c.Messages {
			fmt.Fprintf(out, "%s\n", lore.AppendJSON(nil, &c.Messages[i]))
		}
		if !c.More && !c.Partial {
			fmt.Fprintf(out, "%s\n", lore.AppendJSON(nil, c))
		}
		for _, l := range c.Losses {
			fmt.Fprintf(out, "%s\n", lore.AppendJSON(nil, &l))
		}
	}
	return errors.Join(failed, out.Flush())
}
