// Package crush reads the databases that Crush leaves in the folders of projects.
//
// The package must not know how records are kept, joined with other evidences, or given ids. FORMAT.md says what is
// read, and how.
package crush

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// The frozen names of the source and its store.
const (
	source = "crush"
	store  = "db"
)

type crush struct{}

// New returns the adapter.
func New() adapter.Adapter { return crush{} }

// Info implements adapter.Adapter.
func (crush) Info() adapter.Info {
	return adapter.Info{
		Name:    source,
		Title:   "Crush",
		Version: 2,
		Stores:  []adapter.Store{{Source: source, Name: store, What: "sessions of one project in a database", Rank: 0}},
		Databases: []adapter.Database{
			{Store: store, Tables: []string{tableSessions, tableMessages}, Ranges: ranges, Split: &split},
		},
		Roots: []adapter.Root{
			{Source: source, Path: ".local/share/crush", Env: "XDG_DATA_HOME", Sub: "crush", Elsewhere: elsewhere},
			{Source: source, OS: "windows", Path: "AppData/Local/crush", Elsewhere: elsewhere},
		},
		Fidelity: adapter.Fidelity{
			Keeps: []string{
				"prompts, answers, thinking, calls with their input, results, images and files by digest",
				"compaction summaries, errors that ended an answer, generated continuations, as system",
				"commands that a person ran, as call and result, not as words",
				"titles, the project's folder, model, tokens of the session, sub-agents with the call that started them",
			},
			Leaves: []string{
				"versions of files that were read or written: sources of the project, no conversation",
				"costs, signatures of thinking, metadata of results",
			},
			Notes: []string{
				"each project keeps its own database, in .crush: those that the list of projects names are read where they are; any other when its folder is named",
			},
		},
	}
}

// Read implements adapter.Adapter.
func (crush) Read(ctx context.Context, in adapter.Input) iter.Seq2[*lore.Conversation, error] {
	return func(yield func(*lore.Conversation, error) bool) {
		trusted := in.Source.Store != ""
		in.Source.Product, in.Source.Store = source, store
		if err := readDatabase(ctx, in, trusted, yield); err != nil && !errors.Is(err, kit.ErrStopped) {
			yield(nil, fmt.Errorf("%q: %w", in.Name(in.Source.Path), err))
		}
	}
}

// yielder takes a record or an error; false means that it wants no more.
type yielder = func(*lore.Conversation, error) bool
