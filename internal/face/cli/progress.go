package cli

import (
	"fmt"
	"io"
	"strings"
	"time"

	"lore/internal/service"
)

// progress is the line of an import that rewrites itself: how far it is, how fast, how long it will take. It is empty
// where standard error is no terminal.
type progress struct {
	w     io.Writer // nil: say nothing
	width int
	now   func() time.Time
	began time.Time
	drawn bool
}

func (p *Program) progress() *progress {
	width, terminal := terminalWidth(p.Stderr)
	if !terminal || p.flags.quiet {
		return &progress{}
	}
	return &progress{w: p.Stderr, width: width, now: p.Service.Now, began: p.Service.Now()}
}

// show draws the line anew.
func (l *progress) show(at service.Progress) {
	if l.w == nil {
		return
	}
	if at.Stage == "done" {
		l.done()
		return
	}
	l.drawn = true
	fmt.Fprint(l.w, "\r"+padTo(progressLine(at, l.now().Sub(l.began)), l.width-1))
}

// done wipes the line.
func (l *progress) done() {
	if l.drawn {
		fmt.Fprint(l.w, "\r"+strings.Repeat(" ", l.width-1)+"\r")
	}
}

func progressLine(at service.Progress, elapsed time.Duration) string {
	parts := []string{at.Stage}
	if at.Stage == "" {
		parts[0] = "reading"
	}
	if at.FilesTotal > 0 {
		parts = append(parts, number(int64(at.Files))+"/"+count(at.FilesTotal, "file"))
	}
	if at.BytesTotal > 0 {
		parts = append(parts, size(at.Bytes)+" of "+size(at.BytesTotal))
	}
	if rate := float64(at.Bytes) / elapsed.Seconds(); elapsed > 500*time.Millisecond && at.Bytes > 0 {
		parts = append(parts, size(int64(rate))+"/s")
		if left := at.BytesTotal - at.Bytes; left > 0 {
			parts = append(parts, lapse(time.Duration(float64(left)/rate*float64(time.Second)).Round(time.Second))+" left")
		}
	}
	return strings.Join(parts, "  ")
}
