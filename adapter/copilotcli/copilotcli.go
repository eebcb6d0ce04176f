// Package copilotcli reads what GitHub Copilot CLI leaves on a disk: the event logs of sessions in both layouts, the
// documents of its first versions, the list of typed commands, and the database that repeats some of the sessions.
//
// An event log is read twice. The first pass (scan.go) notes what each event is, which conversation it belongs to (the
// session's own, or that of a sub-agent whose events stand in the same file), and which events say the same; it keeps no
// words. The second pass (emit.go) decodes the events of one conversation after the other and yields them in pieces, so
// memory follows the number of events and the largest one, never the file.
//
// It must not know how records are kept, joined with other evidences, or given ids. FORMAT.md says what is read, and how.
package copilotcli

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"lore"
	"lore/adapter"
)

// The frozen names: they are hashed into ids.
const (
	source        = "copilot-cli"
	storeSessions = "session-state"
	storeHistory  = "history"
	storeDatabase = "session-db"
)

type copilot struct{}

// New returns the adapter.
func New() adapter.Adapter { return copilot{} }

// Info implements adapter.Adapter.
func (copilot) Info() adapter.Info {
	return adapter.Info{
		Name:    "copilotcli",
		Title:   "GitHub Copilot CLI",
		Version: 1,
		Stores: []adapter.Store{
			{Source: source, Name: storeSessions, What: "sessions and their sub-agents", Rank: 0,
				Resume: []string{"copilot", "--resume={id}"}},
			{Source: source, Name: storeDatabase, What: "turns of some sessions, titles and folders", Rank: 5},
			{Source: source, Name: storeHistory, What: "typed commands and prompts, without sessions", Rank: 9, Prompts: true},
		},
		Databases: []adapter.Database{
			{Store: storeDatabase, Tables: []string{tableSessions, tableTurns}, Ranges: databaseRanges},
		},
		Roots: []adapter.Root{
			{Source: source, Path: ".copilot", Env: "COPILOT_HOME"},
			{Source: source, Path: ".copilot", Env: "XDG_CONFIG_HOME", Sub: ".copilot"},
		},
		Fidelity: adapter.Fidelity{
			Keeps: []string{
				"prompts as they were typed, with what was attached to them",
				"answers, readable reasoning, calls with their input as written, results in both forms, errors",
				"sub-agents as conversations of their own, with the call that started them",
				"system prompts, skills, notices, compaction summaries and output of hooks, as system",
				"titles, folder, branch, repository, model, tokens",
			},
			Leaves: []string{
				"the prompt as the tool rewrote it for the model, with dates and reminders: nobody typed it",
				"permission requests, turns, modes, telemetry, input of hooks: no conversation, or said by the call",
				"to-do lists and messages between agents in session.db, files of a session's folder: no conversation",
				"encrypted reasoning: nobody but the vendor can read it",
				"credentials and settings beside the sessions: never opened",
			},
			Notes: []string{
				"many sessions leave only workspace.yaml behind: title and folder without a word (missing_body)",
				"the database repeats a few turns of few sessions; it makes a conversation only where no event log does",
				"the totals of a session are those that the tool writes when it shuts down, sub-agents included",
				"the list of typed commands has no times and no sessions, and the tool bounds its length",
			},
		},
	}
}

// errStopped ends a reading whose caller wants no more. It never leaves the package.
var errStopped = errors.New("stopped")

// yielder takes a record or an error; false means that it wants no more.
type yielder = func(*lore.Conversation, error) bool

// Read implements adapter.Adapter.
func (copilot) Read(ctx context.Context, in adapter.Input) iter.Seq2[*lore.Conversation, error] {
	return func(yield func(*lore.Conversation, error) bool) {
		err := read(ctx, in, yield)
		if err != nil && err != errStopped {
			yield(nil, fmt.Errorf("%q: %w", in.Name(in.Source.Path), err))
		}
	}
}

// read tells what the file is and reads it.
func read(ctx context.Context, in adapter.Input, yield yielder) error {
	trusted := in.Source.Store != ""
	s := shapeOf(in)
	in = settle(in, s)
	switch s {
	case shapeWorkspace:
		return readWorkspace(in, yield)
	case shapeDatabase:
		return readDatabase(ctx, in, trusted, yield)
	case shapeDocument:
		return readDocument(ctx, in, trusted, yield)
	}
	return readEvents(ctx, in, trusted, yield)
}
