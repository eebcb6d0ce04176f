// Package query is the search language: it reads what a person or an agent asks into a tree, and prints a tree as the
// canonical text of the question. It does no I/O, reads no clock, and knows neither how words are cut nor what an index
// is. The language is told in docs/QUERY.md, whose examples are tests of this package.
package query

import "time"

// Node is a part of a question: And, Or, Not, Word, Literal, Phrase, Prefix, Match, Exists or When.
type Node interface {
	// Where is where the node stands in the text of the question.
	Where() Span
}

// Span is a piece of the question's text, from byte From up to, not including, To.
type Span struct{ From, To int }

// Where returns the span itself: every node embeds one.
func (s Span) Where() Span { return s }

// And asks for all of its nodes, at least two, none of them an And.
type And struct {
	Span
	Of []Node
}

// Or asks for any of its nodes, at least two, none of them an Or.
type Or struct {
	Span
	Of []Node
}

// Not asks for what its node, which is no Not, does not ask for.
type Not struct {
	Span
	Of Node
}

// Word is a word of letters and digits, as it was typed. It asks for the word, or for an identifier that has it as a
// piece; looser tiers may take its forms.
type Word struct {
	Span
	Text string
}

// Literal is a word with more in it than letters and digits. It must stand so in the text, in any case of letters.
type Literal struct {
	Span
	Text string
}

// Phrase is a quoted text: its words in this order, any separators where it has white space, all else as it stands.
type Phrase struct {
	Span
	Text string
}

// Prefix asks for words that begin with the text, or literals that do when it has more than letters and digits in it.
type Prefix struct {
	Span
	Text string
}

// Match asks for a value of a field. For an enumerated field the value is one of its valid ones.
type Match struct {
	Span
	Field Field
	Value string
	Glob  bool // an unquoted * in Value stands for anything
}

// Exists asks that a field has any value.
type Exists struct {
	Span
	Field Field
}

// When asks for messages of a time: From <= time < To. A zero bound is open. Both are in the zone of the question.
type When struct {
	Span
	From, To time.Time
}

// Field is the canonical name of a field.
type Field string

// The fields.
const (
	Source  Field = "source"  // frozen name of a source; enumerated
	Store   Field = "store"   // frozen name of a store
	Project Field = "project" // name of a project, or a directory with all below it
	Repo    Field = "repo"    // repository address, or the end of one
	Branch  Field = "branch"
	Role    Field = "role" // user, assistant, tool, system
	Kind    Field = "kind" // of a part: text, thinking, call, result, image, file, unknown
	Type    Field = "type" // of a conversation: main, subagent, automation
	Model   Field = "model"
	Title   Field = "title" // words of the conversation's title
	File    Field = "file"  // a file that the conversation touched
	Tool    Field = "tool"  // name of a tool that was called
	Tag     Field = "tag"   // a user's tag
	Has     Field = "has"   // see HasValues
	Is      Field = "is"    // see IsValues
	ID      Field = "id"    // prefix of the id of a conversation or message
	Path    Field = "path"  // of the evidence
)

// Query is a question.
type Query struct {
	Text string // as it was given
	Root Node   // nil when nothing is asked for, which means everything
}

// Env is what a question is read with.
type Env struct {
	Now     time.Time      // what relative dates count from
	Zone    *time.Location // the user's zone; nil is UTC
	Sources []string       // the valid values of source:; empty: any
	Home    string         // the user's home folder, for ~ in project:, file: and path:; may be empty
	Dir     string         // the current folder, for "." there; may be empty
}

// Warning says that the question was read in another way than its writer may have meant.
type Warning struct {
	Code       string `json:"code"`
	Message    string `json:"message"`
	DidYouMean string `json:"did_you_mean,omitempty"`
	Span       Span   `json:"-"`
}
