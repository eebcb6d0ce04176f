package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"lore/internal/service"
)

func (p *Program) watchCommand() *cobra.Command {
	var req service.WatchRequest
	cmd := &cobra.Command{
		Use:     "watch",
		Short:   "Keep the archive current while agents write",
		GroupID: keep,
		Long: `Imports what is new, and then again whenever an agent writes something, so that a message is found a moment after it was
written. Only what has changed is looked at. It runs until it is interrupted and says on standard error what it does; with
--json it prints each event as one object a line. Where the system gives no notice of changes, files are looked at by the
clock. ` + "`lore service install`" + ` has the system run it.`,
		Example: "  lore watch\n  lore watch --json\n  lore watch --poll 5s",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("poll") && req.Poll <= 0 {
				return usage("--poll takes a time above 0, as in 5s, not %q", cmd.Flag("poll").Value)
			}
			svc, err := p.service()
			if err != nil {
				return err
			}
			req.Tell = p.tellWatch
			err = svc.Watch(cmd.Context(), req)
			if errors.Is(err, context.Canceled) {
				return nil
			}
			return err
		},
	}
	cmd.Flags().DurationVar(&req.Poll, "poll", 0, "look at all files that often instead of waiting for notices, e.g. 5s")
	cmd.Flags().BoolVar(&req.Once, "once", false, "stop after the first import that finds something new")
	return cmd
}

// tellWatch prints an event: an object for a program, else a line for a person.
func (p *Program) tellWatch(e *service.WatchEvent) error {
	if p.flags.json || p.flags.ndjson {
		if err := p.stdout.json(e); err != nil {
			return err
		}
		return p.stdout.flush()
	}
	if p.flags.quiet {
		return nil
	}
	clock := e.At.In(p.Service.Zone).Format(time.TimeOnly)
	for _, line := range watchLines(e) {
		fmt.Fprintln(p.Stderr, oneLine(clock+" "+line))
	}
	return nil
}

// watchLines says what happened.
func watchLines(e *service.WatchEvent) []string {
	var lines []string
	switch e.Event {
	case "watching":
		line := "watching " + count(e.Folders, "folder")
		if len(e.Polled) > 0 {
			line += "; looked at by the clock: " + strings.Join(e.Polled, ", ")
		}
		lines = append(lines, line+" (Ctrl-C ends it)")
	case "imported":
		c := e.Conversations
		if c.New+c.Changed > 0 {
			lines = append(lines, fmt.Sprintf("%s new, %s changed, %s in all; read %s in %s", number(int64(c.New)), number(int64(c.Changed)),
				count(c.Total, "conversation"), size(e.BytesRead), lapse(time.Duration(e.ElapsedMS)*time.Millisecond)))
		}
		for _, f := range e.Failures {
			lines = append(lines, "could not read "+f.File+": "+f.Error)
		}
	case "waiting":
		lines = append(lines, "waiting: "+e.Reason)
	case "stopped":
		lines = append(lines, "stopped; everything that was imported is kept")
	}
	return lines
}
