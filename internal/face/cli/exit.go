package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"

	"github.com/spf13/pflag"

	"lore/internal/service"
	"lore/internal/text"
)

// The exit codes of the command. They are an interface: scripts and agents build on them.
const (
	exitDone        = 0
	exitNothing     = 1 // nothing found
	exitUsage       = 2
	exitPartial     = 3 // done, but part of the input could not be read
	exitNotFound    = 4 // or ambiguous
	exitBusy        = 5
	exitDamaged     = 6
	exitInternal    = 70
	exitInterrupted = 130 // as a shell says it of a program that was interrupted
)

// outcome is the end of a command that has said all it has to say.
type outcome int

func (o outcome) Error() string { return fmt.Sprintf("exit code %d", int(o)) }

// errClosed says that the reader of the output has gone: there is nobody to tell.
var errClosed = errors.New("the output is closed")

// usage makes an error of a request that cannot be right.
func usage(format string, args ...any) error {
	return &service.Failure{Kind: service.Usage, Message: fmt.Sprintf(format, args...)}
}

// exitCode is the one place where errors become codes.
func exitCode(err error) int {
	var o outcome
	var f *service.Failure
	switch {
	case err == nil, errors.Is(err, errClosed), errors.Is(err, pflag.ErrHelp):
		return exitDone
	case errors.As(err, &o):
		return int(o)
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case !errors.As(err, &f):
		return exitInternal
	}
	switch f.Kind {
	case service.Usage:
		return exitUsage
	case service.NotFound, service.Ambiguous:
		return exitNotFound
	case service.Busy:
		return exitBusy
	case service.Damaged:
		return exitDamaged
	}
	return exitInternal
}

// errorLine tells an error in one line; empty when there is nothing to tell.
func errorLine(err error) string {
	var o outcome
	var f *service.Failure
	switch {
	case exitCode(err) == exitDone, errors.As(err, &o):
		return ""
	case errors.Is(err, context.Canceled):
		return "interrupted: what was finished is kept, run the command again to go on"
	case errors.Is(err, syscall.ENOSPC):
		return oneLine(err.Error()) + ": the disk is full, make room and run the command again"
	case errors.As(err, &f) && len(f.Candidates) > 0:
		return oneLine(f.Message) + candidates(f.Candidates)
	}
	return oneLine(err.Error())
}

// candidates lists what an ambiguous id may mean.
func candidates(list []service.Candidate) string {
	const most = 8
	var b strings.Builder
	for i, c := range list {
		if i == most {
			fmt.Fprintf(&b, "; and %d more", len(list)-most)
			break
		}
		b.WriteString([]string{": ", "; "}[min(i, 1)])
		fmt.Fprintf(&b, "%s (%s", c.ShortID, c.Kind)
		if c.Title != "" {
			b.WriteString(" " + cutTo(oneLine(c.Title), 40))
		}
		b.WriteString(")")
	}
	return b.String()
}

// oneLine folds white space and shows control bytes, which a path or a title may carry.
func oneLine(s string) string { return text.Visible(strings.Join(strings.Fields(s), " ")) }
