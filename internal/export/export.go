// Package export writes one conversation, message by message, in a format that is read elsewhere: Markdown, HTML, JSON and
// JSON lines. It knows the record and nothing else: what is written where, and what has to be left out, is decided by
// whoever calls it. The same record gives the same bytes, on every machine and on every day.
package export

import (
	"io"
	"slices"

	"lore"
)

// Head is what a format says of a conversation before its first message.
type Head struct {
	Record   *lore.Conversation // its header facts; the messages come one by one
	ShortID  string
	InSource bool // false: only the archive has it
	Tags     []string
	Notes    []string // that its reader has put on it
	Links    []Link   // conversations that this one comes from
	JSON     any      // the header as surfaces print it, for the formats of programs
}

// Link names another conversation.
type Link struct {
	Kind    string // "parent", "fork" or "continuation"
	ID      lore.ID
	ShortID string
	Title   string // empty when the archive does not hold it
	File    string // name of its own file without folder and ending, where links to files are asked for; empty: none
}

// Tail is what is known only when all has been read.
type Tail struct {
	Losses []lore.Loss
	Ledger lore.Ledger
}

// Writer writes one conversation: Begin, each message in order, End. The first error is the last.
type Writer interface {
	Begin(*Head) error
	Message(*lore.Message) error
	End(*Tail) error
}

// Format is one that a conversation can be written in.
type Format struct {
	Name   string
	Ending string // of a file's name, with the dot
	Many   bool   // several conversations one after the other are still of this format
	New    func(io.Writer) Writer
}

// Formats are all of them, in the order in which help lists them.
var Formats = []Format{
	{Name: "markdown", Ending: ".md", New: func(w io.Writer) Writer { return &markdown{out: out{w: w}} }},
	{Name: "html", Ending: ".html", New: func(w io.Writer) Writer { return &page{out: out{w: w}} }},
	{Name: "json", Ending: ".json", New: func(w io.Writer) Writer { return &object{out: out{w: w}} }},
	{Name: "jsonl", Ending: ".jsonl", Many: true, New: func(w io.Writer) Writer { return &lines{out: out{w: w}} }},
}

// FormatOf returns the format of a name; false when there is none.
func FormatOf(name string) (Format, bool) {
	i := slices.IndexFunc(Formats, func(f Format) bool { return f.Name == name })
	if i < 0 {
		return Format{}, false
	}
	return Formats[i], true
}

// out writes until the first error.
type out struct {
	w   io.Writer
	err error
}

func (o *out) write(pieces ...string) {
	for _, s := range pieces {
		if o.err == nil {
			_, o.err = io.WriteString(o.w, s)
		}
	}
}
