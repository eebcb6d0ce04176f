package service

import "fmt"

// ErrorKind sorts errors for a face: it becomes the exit code of a command, the error code of a protocol.
type ErrorKind int

// The kinds, with the exit codes that the command gives them.
const (
	Internal  ErrorKind = iota // 70: a fault in the program
	Usage                      // 2: the request is wrong; the message says what would be right
	NotFound                   // 4: no such id
	Ambiguous                  // 4: several ids begin so
	Busy                       // 5: another import holds the archive
	Damaged                    // 6: the archive is damaged or from a newer version
)

// Failure is an error that a face can sort. Its message is one line: what, which thing, what to do.
type Failure struct {
	Kind       ErrorKind
	Message    string
	Candidates []Candidate // of an ambiguous id
	Err        error       // the cause; may be nil
}

// Candidate is one thing that an ambiguous id may mean.
type Candidate struct {
	ID      string `json:"id"`
	ShortID string `json:"short_id"`
	Kind    string `json:"kind"`  // "conversation" or "message"
	Title   string `json:"title"` // of the conversation
	Source  string `json:"source"`
}

func (f *Failure) Error() string { return f.Message }
func (f *Failure) Unwrap() error { return f.Err }

func failf(kind ErrorKind, cause error, format string, args ...any) *Failure {
	return &Failure{Kind: kind, Message: fmt.Sprintf(format, args...), Err: cause}
}
