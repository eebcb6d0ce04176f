// Package opencode reads what OpenCode and its forks (Kilo, MiMo Code, iCodeMate) leave on a disk: the tree of one JSON
// file for each session, message and part, and the databases that came after it. Both hold the same documents, so that
// one reading serves them; where a session stands in both, its ids are equal.
//
// The package must not know how records are kept, joined with other evidences, or given ids. FORMAT.md says what is
// read, and how.
package opencode

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// The frozen names of the sources and stores.
const (
	sourceOpenCode = "opencode"

	storeDB   = "db"
	storeTree = "storage"
)

// forks are the products that write the same format below a folder of their own name.
var forks = []string{"kilo", "mimocode", "icodemate"}

type opencode struct{}

// New returns the adapter.
func New() adapter.Adapter { return opencode{} }

// Info implements adapter.Adapter.
func (opencode) Info() adapter.Info {
	info := adapter.Info{
		Name:    sourceOpenCode,
		Title:   "OpenCode",
		Version: 2,
		Databases: []adapter.Database{
			{Store: storeDB, Tables: []string{tableProject, tableSession}, Ranges: ranges, Split: &split},
		},
		Fidelity: adapter.Fidelity{
			Keeps: []string{
				"prompts, answers, reasoning, calls with their input, results with what is attached, files and images by digest or reference",
				"injected text, notices, errors, retries, sub-task prompts, compaction markers and summaries, as system",
				"sub-agents with the call that started them, undone messages as inactive, archived sessions",
				"titles that were given, folder, model, tokens of each answer",
			},
			Leaves: []string{
				"snapshots, patches and diffs of files: no conversation",
				"the beginning and end of steps: what they say of tokens stands in the message",
				"titles, summaries and diffs that are made of a prompt, and the agent's instructions: no words of anybody",
				"headers and bodies of failed requests: kept as bytes, not in the record",
				"todo lists and permissions: the calls that wrote them are in the record",
				"the table session_message: another form of the same messages, which newer versions fill beside them",
				"accounts, credentials and the secrets of shared sessions: never read",
			},
			Notes: []string{
				"the move from the tree to the database was skipped for many: both are read, and joined",
				"a fork of a session has copies under new ids, which only their words show to be copies",
				"outputs that a compaction has pruned stay in the store and are read",
			},
		},
	}
	for _, source := range append([]string{sourceOpenCode}, forks...) {
		info.Stores = append(info.Stores,
			adapter.Store{Source: source, Name: storeDB, What: "sessions in a database", Rank: 0},
			adapter.Store{Source: source, Name: storeTree, What: "sessions as a tree of files", Rank: 1})
		info.Roots = append(info.Roots,
			adapter.Root{Source: source, Path: ".local/share/" + source, Env: "XDG_DATA_HOME", Sub: source},
			adapter.Root{Source: source, OS: "darwin", Path: "Library/Application Support/" + source},
			adapter.Root{Source: source, OS: "windows", Path: "AppData/Local/" + source})
	}
	info.Stores[0].Resume = []string{"opencode", "--session", "{id}"} // the forks have names of their own
	info.Stores[1].Resume = info.Stores[0].Resume
	// The variable names a file. Without it the root is the usual one, which is searched once.
	info.Roots = append(info.Roots, adapter.Root{Source: sourceOpenCode, Path: ".local/share/opencode", Env: envDB, Sub: ".."})
	return info
}

// envDB is the variable that names OpenCode's database.
const envDB = "OPENCODE_DB"

// Read implements adapter.Adapter.
func (opencode) Read(ctx context.Context, in adapter.Input) iter.Seq2[*lore.Conversation, error] {
	return func(yield func(*lore.Conversation, error) bool) {
		if err := read(ctx, in, yield); err != nil && !errors.Is(err, kit.ErrStopped) {
			yield(nil, fmt.Errorf("%q: %w", in.Name(in.Source.Path), err))
		}
	}
}

// yielder takes a record or an error; false means that it wants no more.
type yielder = func(*lore.Conversation, error) bool

func read(ctx context.Context, in adapter.Input, yield yielder) error {
	in, trusted, err := settle(in)
	switch {
	case err != nil:
		return err
	case in.Source.Store == storeDB:
		return readDatabase(ctx, in, trusted, yield)
	}
	return readTree(ctx, in, trusted, yield)
}

// facts makes a record about the evidence itself, or about a conversation of another evidence.
func facts(in adapter.Input) *lore.Conversation {
	return &lore.Conversation{Source: in.Source.Product, Store: in.Source.Store, Partial: true}
}
