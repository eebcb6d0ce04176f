// Package codex reads what the Codex CLI leaves on a disk: rollouts of three generations (one JSON document, bare items,
// enveloped records), plain or compressed, live or archived; the prompt history; the index of titles. TRAE CLI writes
// the same rollouts under its own root, as another source.
//
// A rollout says most things twice: once as an item of the model's API and once as an event for the screen. The package
// pairs the two inside a turn, so that each thing is one message with all its units as evidence. It must not know how
// records are kept, joined with other evidences, or given ids. FORMAT.md says what is read, and how.
package codex

import (
	"context"
	"fmt"
	"iter"
	"path"
	"strings"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// The frozen names of the sources and stores.
const (
	sourceCodex = "codex"
	sourceTrae  = "trae"

	storeSessions = "sessions"
	storeArchived = "archived"
	storeHistory  = "history"
	storeState    = "state-db"
	storeCLI      = "cli"
)

// The places below a root.
const (
	sessionsDir = "sessions"
	archivedDir = "archived_sessions"
	historyFile = "history.jsonl"
	historyOld  = "history.json"
	indexFile   = "session_index.jsonl"
)

// days are the folders of single days.
var days = []string{sessionsDir + "/*/*/*"}

type codex struct{}

// New returns the adapter.
func New() adapter.Adapter { return codex{} }

// Info implements adapter.Adapter.
func (codex) Info() adapter.Info {
	return adapter.Info{
		Name:    sourceCodex,
		Title:   "Codex CLI",
		Version: 1,
		Stores: []adapter.Store{
			{Source: sourceCodex, Name: storeSessions, What: "rollouts: whole conversations", Rank: 0,
				Resume: []string{"codex", "resume", "{id}"}, PutBack: true},
			{Source: sourceCodex, Name: storeArchived, What: "rollouts that Codex has archived", Rank: 0, PutBack: true},
			{Source: sourceCodex, Name: storeState, What: "titles and places of sessions", Rank: 5},
			{Source: sourceCodex, Name: storeHistory, What: "typed prompts of all sessions", Rank: 9, Prompts: true},
			{Source: sourceTrae, Name: storeCLI, What: "rollouts of TRAE CLI", Rank: 0},
		},
		Databases: []adapter.Database{
			{Store: storeState, Tables: []string{threads}, Ranges: threadRanges},
		},
		Roots: []adapter.Root{
			{Source: sourceCodex, Path: ".codex", Env: "CODEX_HOME", Apart: days},
			{Source: sourceTrae, Path: ".trae/cli", Apart: days},
		},
		Fidelity: adapter.Fidelity{
			Keeps: []string{
				"prompts, answers, reasoning that is readable, calls with their input, results, images by digest",
				"injected context, notices, compaction summaries and review prompts, as system",
				"sub-agents, forks with the replayed part marked as inherited, rolled back turns as inactive",
				"titles, folder, branch, remote, model, tokens of each answer",
			},
			Leaves: []string{
				"the model's built-in instructions and tool declarations: the same in every session, no conversation",
				"replacement histories of compactions: copies of what stands in the file",
				"sandbox and approval settings, world state, file snapshots, rate limits: no conversation",
				"encrypted reasoning and encrypted messages between agents: nobody but the vendor can read them",
				"durations and process ids of commands: no place in the record",
			},
			Notes: []string{
				"Codex compresses rollouts after some idle days and moves archived ones to another folder; both are read",
				"where the tool wrote no time on a line, the time of the conversation stands in and is marked as inherited",
			},
		},
	}
}

// Find implements adapter.Adapter.
func (codex) Find(ctx context.Context, at adapter.Place) iter.Seq2[adapter.Source, error] {
	return func(yield func(adapter.Source, error) bool) {
		product := at.Root.Source
		if product == "" {
			product = sourceCodex
		}
		for _, walk := range []iter.Seq2[adapter.Source, error]{ // in the order of their names
			kit.WalkFiles(ctx, at.FS, archivedDir, isRollout),
			kit.ListFiles(ctx, at.FS, ".", func(p string) bool { return isSideFile(product, p) }),
			kit.WalkFiles(ctx, at.FS, sessionsDir, isRollout),
		} {
			for src, err := range walk {
				src.Product, src.Store = product, storeOf(product, src.Path)
				if err == nil && src.Store == storeState {
					src.Ranges = threadRanges
				}
				if !yield(src, err) {
					return
				}
			}
		}
	}
}

// isRollout reports whether a file below a session folder is a rollout by its name.
func isRollout(p string) bool {
	base := path.Base(p)
	return strings.HasSuffix(base, ".jsonl") || strings.HasSuffix(base, ".jsonl.zst") ||
		strings.HasPrefix(base, "rollout-") && strings.HasSuffix(base, ".json")
}

// isSideFile reports whether a file at the root belongs to the history. Of TRAE CLI neither a prompt history nor a state
// database is known.
func isSideFile(product, p string) bool {
	if p == indexFile {
		return true
	}
	return product == sourceCodex && (p == historyFile || p == historyOld || isState(p))
}

// storeOf returns the frozen name of the store that a path below the root belongs to.
func storeOf(product, p string) string {
	switch {
	case product == sourceTrae:
		return storeCLI
	case strings.HasPrefix(p, archivedDir+"/") || strings.Contains(p, "/"+archivedDir+"/"):
		return storeArchived
	case path.Base(p) == historyFile || path.Base(p) == historyOld:
		return storeHistory
	case isState(p):
		return storeState
	}
	return storeSessions
}

// Read implements adapter.Adapter.
func (codex) Read(ctx context.Context, in adapter.Input) iter.Seq2[*lore.Conversation, error] {
	return func(yield func(*lore.Conversation, error) bool) {
		shape, err := shapeOf(in)
		if err == nil {
			trusted := in.Source.Store != ""
			err = read(ctx, settle(in, shape), shape, trusted, yield)
		}
		if err != nil && err != errStopped {
			yield(nil, fmt.Errorf("%q: %w", in.Name(in.Source.Path), err))
		}
	}
}

// yielder takes a record or an error; false means that it wants no more.
type yielder = func(*lore.Conversation, error) bool

// read reads an evidence whose shape is known; a trusted one stands where only Codex writes. errStopped says that the
// caller wants no more.
func read(ctx context.Context, in adapter.Input, shape shape, trusted bool, yield yielder) error {
	switch shape {
	case shapeLines:
		return readLines(ctx, in, trusted, yield)
	case shapeDocument:
		return readDocument(ctx, in, yield)
	case shapeHistory:
		return readHistory(ctx, in, yield)
	case shapeOldHistory:
		return readOldHistory(in, yield)
	case shapeIndex:
		return readIndex(ctx, in, yield)
	case shapeState:
		return readState(ctx, in, yield)
	}
	return adapter.ErrNotMine
}

// settle fills in the source and store of an evidence that a user named: by where it stands and what it is.
func settle(in adapter.Input, shape shape) adapter.Input {
	if in.Source.Product == "" {
		in.Source.Product = sourceCodex
		if strings.Contains("/"+in.Name(in.Source.Path), "/.trae/cli/") {
			in.Source.Product = sourceTrae
		}
	}
	if in.Source.Store != "" {
		return in
	}
	in.Source.Store = storeOf(in.Source.Product, in.Name(in.Source.Path))
	if in.Source.Product == sourceCodex && (shape == shapeHistory || shape == shapeOldHistory) {
		in.Source.Store = storeHistory
	}
	return in
}

// archived reports whether the tool has put the file into its own archive.
func archived(in adapter.Input) bool {
	return strings.Contains("/"+in.Name(in.Source.Path), "/"+archivedDir+"/")
}
