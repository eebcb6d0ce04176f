// Package aider reads the chat histories of aider: one Markdown file for each project, to which all chats are appended.
//
// The file is a log for people: headings begin chats, headings of the fourth rank are what the person typed, quotes are
// what aider says itself, and all else is the model's. What is what can be told where the lines end as aider writes them;
// the package does so line by line (lines.go, blocks.go). It must not know how records are kept, joined or given ids.
// FORMAT.md says what is read, and how.
package aider

import (
	"context"
	"fmt"
	"iter"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// The frozen names of the source and its store.
const (
	source = "aider"
	store  = "markdown"
)

type aider struct{}

// New returns the adapter.
func New() adapter.Adapter { return aider{} }

// Info implements adapter.Adapter.
func (aider) Info() adapter.Info {
	return adapter.Info{
		Name:    source,
		Title:   "aider",
		Version: 1,
		Stores:  []adapter.Store{{Source: source, Name: store, What: "the log of all chats in a project, as Markdown"}},
		Roots:   []adapter.Root{{Source: source, Path: ".aider"}},
		Fidelity: adapter.Fidelity{
			Keeps: []string{
				"prompts and commands that were typed, answers with their Markdown as written",
				"what aider itself says (edits that it applied, questions with their answers, tokens): as notices",
				"the model, where aider has told it",
			},
			Leaves: []string{
				"chats in which nothing was said; prompts that were left blank",
				".aider.input.history: repeats the prompts and does not say of which chat they are",
				".aider.llm.history and the caches: what was sent to a model, no speech of their own",
			},
			Notes: []string{
				"each project has its own file: name the folder of a project, or the one above, and it is found two folders deep",
				"only the start of a chat has a time, without a zone; all its messages inherit it",
				"where the blanks that aider writes at the ends of lines are lost, a heading in an answer is told from a prompt by what stands before it",
			},
		},
	}
}

// Read implements adapter.Adapter.
func (aider) Read(ctx context.Context, in adapter.Input) iter.Seq2[*lore.Conversation, error] {
	return func(yield func(*lore.Conversation, error) bool) {
		trusted := in.Source.Store != ""
		in.Source.Product, in.Source.Store = source, store
		if err := read(ctx, in, trusted, yield); err != nil && err != kit.ErrStopped {
			yield(nil, fmt.Errorf("%q: %w", in.Name(in.Source.Path), err))
		}
	}
}
