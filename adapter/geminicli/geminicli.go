// Package geminicli reads what Gemini CLI leaves on a disk: the chats of sessions and sub-agents (one document each, in
// newer versions a log of records that is replayed), the log of typed prompts, and chats that a person saved under a tag.
//
// A file is read twice. The first pass (load.go, replay.go) finds where each message stands, replays rewinds and
// rewritten histories, and keeps no words. The second pass (emit.go) decodes the messages in record order and yields them
// in pieces, so memory follows the number of messages and the largest one, never the file.
//
// It must not know how records are kept, joined with other evidences, or given ids. FORMAT.md says what is read, and how.
package geminicli

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
	source           = "gemini-cli"
	storeChats       = "chats"
	storeLogs        = "logs"
	storeCheckpoints = "checkpoints"
)

type gemini struct{}

// New returns the adapter.
func New() adapter.Adapter { return gemini{} }

// Info implements adapter.Adapter.
func (gemini) Info() adapter.Info {
	return adapter.Info{
		Name:    "geminicli",
		Title:   "Gemini CLI",
		Version: 1,
		Stores: []adapter.Store{
			{Source: source, Name: storeChats, What: "sessions and their sub-agents", Rank: 0, Fragments: adapter.LongFragments,
				Resume: []string{"gemini", "--resume", "{id}"}},
			{Source: source, Name: storeCheckpoints, What: "chats that a person saved under a tag", Rank: 5, Fragments: adapter.LongFragments},
			{Source: source, Name: storeLogs, What: "typed prompts of all sessions of a project", Rank: 9, Prompts: true},
		},
		Roots: []adapter.Root{
			{Source: source, Path: ".gemini", Env: "GEMINI_CLI_HOME", Sub: ".gemini"},
		},
		Fidelity: adapter.Fidelity{
			Keeps: []string{
				"what people typed, also prompts whose session is gone or was never recorded",
				"answers, thoughts with their subjects, calls with their input as written, results, images by digest",
				"long outputs of tools in full, from the files that the tool puts them into",
				"rewound messages, and what a compressed or masked history replaced, as inactive",
				"sub-agents as conversations of their own, with the call that started them where the session names it",
				"injected context, hook output, compression summaries and notices, as system",
			},
			Leaves: []string{
				"how a result was shown on the screen, where the result itself is there",
				"sessions in which nobody spoke: their notices are counted and make no conversation",
				"restore points of single calls (checkpoints/), shell history, plans, memory notes: no conversation, or copies of one",
				"tool outputs whose session is gone: nothing says what they answered",
				"credentials and settings beside the sessions: never opened",
			},
			Notes: []string{
				"a session that is resumed by a newer version is copied from its .json into a .jsonl; both are read as one",
				"tokens are as the tool counts them: input holds the whole context, thoughts are counted by it apart and are not in output",
				"older checkpoints have no times and no session: each is a conversation of its own",
				"the tool deletes old sessions where its settings say so",
			},
		},
	}
}

// errStopped ends a reading whose caller wants no more. It never leaves the package.
var errStopped = errors.New("stopped")

// yielder takes a record or an error; false means that it wants no more.
type yielder = func(*lore.Conversation, error) bool

// Read implements adapter.Adapter.
func (gemini) Read(ctx context.Context, in adapter.Input) iter.Seq2[*lore.Conversation, error] {
	return func(yield func(*lore.Conversation, error) bool) {
		err := read(ctx, in, yield)
		if err != nil && err != errStopped {
			yield(nil, fmt.Errorf("%q: %w", in.Name(in.Source.Path), err))
		}
	}
}

// read tells what the file is and reads it. errStopped says that the caller wants no more.
func read(ctx context.Context, in adapter.Input, yield yielder) error {
	trusted := in.Source.Store != ""
	f, err := openFile(in, in.Source.Path)
	if err != nil {
		return err
	}
	defer f.close()
	shape, err := shapeOf(in, f)
	if err != nil {
		return err
	}
	in = settle(in, shape)
	f.source = in.Source.Product
	if shape == shapeLogs {
		return readLogs(ctx, in, f, yield)
	}
	return readChat(ctx, in, f, shape, trusted, yield)
}

// settle fills in the source and store of an evidence that a user named.
func settle(in adapter.Input, s shape) adapter.Input {
	if in.Source.Product == "" {
		in.Source.Product = source
	}
	if in.Source.Store == "" {
		switch s {
		case shapeLogs:
			in.Source.Store = storeLogs
		case shapeCheckpoint:
			in.Source.Store = storeCheckpoints
		default:
			in.Source.Store = storeChats
		}
	}
	return in
}
