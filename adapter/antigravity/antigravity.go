// Package antigravity reads what the editor Antigravity and its program agy leave on a disk: the transcripts of
// conversations as JSON lines, one step of the agent each, and the typed prompts.
//
// A transcript stands in two forms, one of which has its long texts cut. Both are read as one list of steps: a first pass
// (scan.go) finds out which lines are one step, a second (write.go) makes messages of them. The conversations themselves
// are kept in files that cannot be read; where they are is said. The package must not know how records are kept, joined
// or given ids. FORMAT.md says what is read, and how.
package antigravity

import (
	"context"
	"fmt"
	"iter"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// The frozen names of the source and its stores.
const (
	source = "antigravity"

	storeTranscripts = "transcripts"
	storeDB          = "conversations"
	storeHistory     = "history"
)

type antigravity struct{}

// New returns the adapter.
func New() adapter.Adapter { return antigravity{} }

// Info implements adapter.Adapter.
func (antigravity) Info() adapter.Info {
	return adapter.Info{
		Name:    source,
		Title:   "Antigravity",
		Version: 1,
		Stores: []adapter.Store{
			{Source: source, Name: storeTranscripts, What: "conversations, step by step", Rank: 0},
			{Source: source, Name: storeDB, What: "steps of agy in a form that is not known", Rank: 5},
			{Source: source, Name: storeHistory, What: "typed prompts of agy", Rank: 9, Prompts: true},
		},
		Databases: []adapter.Database{
			{Store: storeDB, Tables: []string{tableSteps}, Ranges: ranges()},
		},
		Roots:    []adapter.Root{{Source: source, Path: ".gemini"}},
		Fidelity: fidelity,
	}
}

var fidelity = adapter.Fidelity{
	Keeps: []string{
		"prompts without their frame, answers, thinking, calls with their arguments as written, results",
		"the settings and notes that are sent with a prompt, notices and checkpoints: as system, not as speech",
		"steps that only one of the two transcripts of a conversation has; typed prompts of agy, with their folder",
	},
	Leaves: []string{
		"conversations/*.pb: cannot be read; reported once, with how many of them have no transcript",
		"the payloads of agy's databases: in a form that is not known; their rows are kept and counted",
		"plans and artefacts beside a transcript (*.md): files of the work, not speech",
		"implicit contexts, tokens and settings: never read",
	},
	Notes: []string{
		"the short transcript has long texts cut by Antigravity; where no full one is left, the loss is told",
		"the model is known only where a change of it was noted in a prompt; title, branch and tokens never",
		"a result is that of the call whose turn it is: only some calls have ids",
	},
}

// yielder takes a record or an error; false means that it wants no more.
type yielder = func(*lore.Conversation, error) bool

// Read implements adapter.Adapter.
func (antigravity) Read(ctx context.Context, in adapter.Input) iter.Seq2[*lore.Conversation, error] {
	return func(yield func(*lore.Conversation, error) bool) {
		in.Source.Product = source
		if err := read(ctx, in, yield); err != nil && err != kit.ErrStopped {
			yield(nil, fmt.Errorf("%q: %w", in.Name(in.Source.Path), err))
		}
	}
}

func read(ctx context.Context, in adapter.Input, yield yielder) error {
	if in.Source.Store == storeDB {
		return readDatabase(ctx, in, yield)
	}
	if in.Source.Store == "" {
		store, err := shapeOf(in)
		if err != nil {
			return err
		}
		in.Source.Store = store
	}
	if in.Source.Store == storeHistory {
		return readHistory(ctx, in, yield)
	}
	return readTranscript(ctx, in, yield)
}

// shapeOf tells what a file is that a user has named, by its first records.
func shapeOf(in adapter.Input) (store string, err error) {
	const most = 16
	lines, err := kit.OpenLines(in, in.Source.Path, kit.Options{})
	if err != nil {
		return "", err
	}
	defer lines.Close()
	n := 0
	for r := range lines.All() {
		switch v := r.Value; {
		case isStep(v):
			return storeTranscripts, nil
		case isPrompt(v):
			return storeHistory, nil
		}
		if n++; n == most {
			break
		}
	}
	if err := lines.Err(); err != nil {
		return "", err
	}
	return "", adapter.ErrNotMine
}

// isStep reports whether a record is a step of a transcript.
func isStep(v kit.Value) bool {
	return v.Get("step_index").IsNumber() && v.Get("type").IsString() && v.Get("source").IsString()
}

// isPrompt reports whether a record is one of the typed prompts.
func isPrompt(v kit.Value) bool {
	return v.Get("display").IsString() && (v.Get("conversationId").IsString() || v.Get("workspace").IsString()) &&
		!v.Get("sessionId").Exists() && !v.Get("project").Exists()
}
