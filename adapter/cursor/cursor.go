// Package cursor reads what Cursor leaves on a disk: the chats of the editor in its databases, in three generations; the
// chats of the agent in a terminal, one database each; the transcripts that both write beside them; the prompt history.
//
// A chat of the editor is a head and many bubbles, each a row of one large database that the editor keeps open. The
// package reads a chat by its own keys, puts the bubbles into the order of the head, and makes a message of each. It must
// not know how rows are kept, joined with other evidences, or given ids. FORMAT.md says what is read, and how.
package cursor

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"lore"
	"lore/adapter"
)

// The frozen names of the source and its stores.
const (
	source = "cursor"

	storeGlobal      = "global-db"
	storeWorkspace   = "workspace-db"
	storeInline      = "inline"
	storeTranscripts = "transcripts"
	storeCLI         = "cli-db"
	storePrompts     = "prompt-history"
)

// Adapter reads the history of Cursor.
type Adapter struct{}

// New returns the adapter.
func New() adapter.Adapter { return Adapter{} }

// Info implements adapter.Adapter.
func (Adapter) Info() adapter.Info {
	return adapter.Info{
		Name:    source,
		Title:   "Cursor",
		Version: 1,
		Stores: []adapter.Store{
			{Source: source, Name: storeGlobal, What: "chats of the editor: heads and bubbles", Rank: 0},
			{Source: source, Name: storeWorkspace, What: "lists of chats by workspace, typed prompts", Rank: 1},
			{Source: source, Name: storeInline, What: "older chats, whole in the database of their workspace", Rank: 1},
			{Source: source, Name: storeCLI, What: "chats of cursor-agent in a terminal", Rank: 2,
				Resume: []string{"cursor-agent", "--resume", "{id}"}},
			{Source: source, Name: storeTranscripts, What: "renderings of chats as lines, lists or text", Rank: 3},
			{Source: source, Name: storePrompts, What: "typed prompts of cursor-agent", Rank: 9, Prompts: true},
		},
		Databases: []adapter.Database{
			{Store: storeGlobal, Tables: []string{tableKV}, Ranges: stateRanges(false), Split: split(false)},
			{Store: storeWorkspace, Tables: []string{tableItems}, Ranges: stateRanges(false)},
			{Store: storeCLI, Tables: []string{tableBlobs, tableMeta}, Ranges: chatRanges},
		},
		Roots: []adapter.Root{
			{Source: source, OS: "linux", Path: ".config/Cursor/User", Env: "XDG_CONFIG_HOME", Sub: "Cursor/User"},
			{Source: source, OS: "darwin", Path: "Library/Application Support/Cursor/User"},
			{Source: source, OS: "windows", Path: "AppData/Roaming/Cursor/User", Env: "APPDATA", Sub: "Cursor/User"},
			{Source: source, Path: ".cursor", Env: "CURSOR_CONFIG_DIR"},
			{Source: source, Path: ".config/cursor", Env: "XDG_CONFIG_HOME", Sub: "cursor"},
		},
		Fidelity: fidelity,
	}
}

var fidelity = adapter.Fidelity{
	Keeps: []string{
		"prompts, also those that stand only as rich text, answers, thinking, code blocks, calls with their input, results",
		"bubbles that a chat's list leaves out after a restored checkpoint, as inactive; bubbles whose chat has lost its list",
		"files, folders and images that were attached to a prompt, by their path or digest",
		"titles, folder of the workspace, branch, model, tokens of each answer, sub-agents with their parent",
		"what Cursor sends around a prompt (open files, rules, time), as system, where the prompt has its frame",
		"blobs of the agent that no bubble repeats, as one recovered conversation of a database up to 24 MiB",
	},
	Leaves: []string{
		"rows of logins and settings: never read; of the editor's databases only named keys and key ranges are",
		"checkpoints, inline diffs and the context that was sent with each request: copies of files, no conversation",
		"drafts that were never sent; labels of generations: no conversation",
		"blobs of the agent in a database above 24 MiB: the editor's cache of requests, which repeats the bubbles",
		"summaries of ai-code-tracking.db and agent-tools/*.txt: nothing says where in a conversation they belong",
	},
	Notes: []string{
		"the folder of a transcript is named by its path with dashes, which cannot be undone: its project is unknown unless another store knows it",
		"where a chat's messages do not name their model, the model that the chat was last set to stands for it",
		"bubbles of most versions have no time: the chat's own times stand in, marked as inherited",
		"text transcripts do not say where thinking ends: it ends at the first line break that is neither before nor behind an empty line, unless a list goes on",
		"a typed prompt of a workspace is the same message as in a chat only where both have the same words and nothing is attached",
	},
}

// yielder takes a record or an error; false means that it wants no more.
type yielder = func(*lore.Conversation, error) bool

// errStopped ends a reading whose caller wants no more. It never leaves the package.
var errStopped = errors.New("stopped")

// Read implements adapter.Adapter.
func (Adapter) Read(ctx context.Context, in adapter.Input) iter.Seq2[*lore.Conversation, error] {
	return func(yield func(*lore.Conversation, error) bool) {
		shape, err := shapeOf(ctx, in)
		if err == nil {
			err = read(ctx, settle(in, shape), shape, yield)
		}
		if err != nil && err != errStopped {
			yield(nil, fmt.Errorf("%q: %w", in.Name(in.Source.Path), err))
		}
	}
}

// read reads an evidence whose shape is known.
func read(ctx context.Context, in adapter.Input, s shape, yield yielder) error {
	switch s {
	case shapeState:
		return readState(ctx, in, yield)
	case shapeChat:
		return readChat(ctx, in, yield)
	case shapeLines, shapeList, shapeText:
		return readTranscript(ctx, in, yield)
	case shapePrompts:
		return readPrompts(ctx, in, yield)
	}
	return adapter.ErrNotMine
}
