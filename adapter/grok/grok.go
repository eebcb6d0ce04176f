// Package grok reads the sessions of the Grok Build CLI: a folder a session, with the conversation as the model has it
// (chat_history.jsonl), the stream of updates that the screen was drawn from (updates.jsonl) and a summary; and the list
// of typed prompts of each project.
//
// History and updates tell one conversation. Both are read once for their structure (history.go, updates.go); what an
// update says again is paired with the history (pair.go), which has the order and the words, while updates have the
// times, the diffs and what a compaction has taken out of the history. Then the bodies are decoded in the order that
// results (write.go) and yielded in pieces. The package must not know how records are kept, joined with other evidences or
// given ids. FORMAT.md says what is read, and how.
package grok

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path"
	"strings"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// The frozen names of the source and its stores.
const (
	source       = "grok"
	storeHistory = "chat_history"
	storeUpdates = "updates"
	storePrompts = "prompt_history"
)

// Names of files.
const (
	historyFile = "chat_history.jsonl"
	updatesFile = "updates.jsonl"
	promptsFile = "prompt_history.jsonl"
	summaryFile = "summary.json"
	cwdFile     = ".cwd"
	metaFile    = "meta.json"
	agentsDir   = "subagents"
	sessionsDir = "sessions"
)

type grok struct{}

// New returns the adapter.
func New() adapter.Adapter { return grok{} }

// Info implements adapter.Adapter.
func (grok) Info() adapter.Info {
	return adapter.Info{
		Name:    source,
		Title:   "Grok Build",
		Version: 1,
		Stores: []adapter.Store{
			{Source: source, Name: storeHistory, What: "conversations as the model has them, with the updates beside them", Rank: 0, Fragments: adapter.ShortFragments},
			{Source: source, Name: storeUpdates, What: "updates of sessions that have no history", Rank: 1, Fragments: adapter.ShortFragments},
			{Source: source, Name: storePrompts, What: "typed prompts of a project", Rank: 9, Prompts: true},
		},
		Roots: []adapter.Root{{Source: source, Path: ".grok", Env: "GROK_HOME"}},
		Fidelity: adapter.Fidelity{
			Keeps: []string{
				"prompts, also those typed while the agent was busy; answers, reasoning that is readable, calls with their input as written, results, images by digest",
				"diffs and times from the stream of updates, and what a compaction took out of the history",
				"injected context, reminders and compaction summaries, as system; interruptions, as notices",
				"titles, folder, branch, remote, model; sub-agents and forks with the session they come from",
			},
			Leaves: []string{
				"encrypted reasoning: nobody but the vendor can read it",
				"plans, modes, commands, hooks and other states of the screen in the stream of updates: no conversation",
				"event logs, counters, terminal logs, rewind points and compaction checkpoints: no conversation, or copies of it",
				"the search index: it repeats the prompts",
			},
			Notes: []string{
				"the history has no times: those of the updates stand in, else that of the session, marked as inherited",
				"a compaction rewrites the history; older turns are then known from the updates alone",
			},
		},
	}
}

// Find implements adapter.Adapter.
func (grok) Find(ctx context.Context, at adapter.Place) iter.Seq2[adapter.Source, error] {
	return func(yield func(adapter.Source, error) bool) {
		var found []adapter.Source
		there := map[string]bool{}
		for src, err := range kit.WalkFiles(ctx, at.FS, sessionsDir, isEvidence) {
			src.Product = source
			if err != nil {
				if !yield(src, err) {
					return
				}
				continue
			}
			found = append(found, src)
			there[src.Path] = true
		}
		agents := map[string][]string{} // by session folder
		for _, src := range found {
			if path.Base(src.Path) == metaFile {
				session := path.Dir(path.Dir(path.Dir(src.Path)))
				agents[session] = append(agents[session], src.Path)
			}
		}
		for _, src := range found {
			if !complete(&src, there, agents) {
				continue
			}
			if !yield(src, nil) {
				return
			}
		}
	}
}

// isEvidence tells the files of a session from logs and counters.
func isEvidence(p string) bool {
	switch path.Base(p) {
	case historyFile, updatesFile, promptsFile, summaryFile, cwdFile:
		return true
	case metaFile:
		return path.Base(path.Dir(path.Dir(p))) == agentsDir
	}
	return false
}

// complete gives a file its store and companions. It returns false for a file that is read with another.
func complete(src *adapter.Source, there map[string]bool, agents map[string][]string) bool {
	dir := path.Dir(src.Path)
	var beside []string
	switch path.Base(src.Path) {
	case promptsFile:
		src.Store = storePrompts
		return true
	case historyFile:
		src.Store = storeHistory
		beside = append(beside, path.Join(dir, updatesFile))
	case updatesFile:
		src.Store = storeUpdates
		if there[path.Join(dir, historyFile)] {
			return false
		}
	default:
		return false
	}
	beside = append(beside, path.Join(dir, summaryFile), path.Join(dir, cwdFile), path.Join(path.Dir(dir), cwdFile))
	for _, p := range beside {
		if there[p] {
			src.Companions = append(src.Companions, p)
		}
	}
	src.Companions = append(src.Companions, agents[dir]...)
	return true
}

// yielder takes a record or an error; false means that it wants no more.
type yielder = func(*lore.Conversation, error) bool

// Read implements adapter.Adapter.
func (grok) Read(ctx context.Context, in adapter.Input) iter.Seq2[*lore.Conversation, error] {
	return func(yield func(*lore.Conversation, error) bool) {
		in.Source.Product = source
		err := read(ctx, in, yield)
		if err != nil && !errors.Is(err, kit.ErrStopped) {
			yield(nil, fmt.Errorf("%q: %w", in.Name(in.Source.Path), err))
		}
	}
}

func read(ctx context.Context, in adapter.Input, yield yielder) error {
	trusted := in.Source.Store != ""
	if !trusted {
		store, err := storeOf(in)
		if err != nil {
			return err
		}
		in.Source.Store = store
	}
	switch in.Source.Store {
	case storePrompts:
		return readPrompts(ctx, in, trusted, yield)
	case storeSummary:
		return readSummary(in, yield)
	case storeHistory, storeUpdates:
		return readSession(ctx, in, trusted, yield)
	}
	return adapter.ErrNotMine
}

// storeSummary marks a summary that a user named; what it says is of the history's store.
const storeSummary = "summary"

// storeOf tells what a file is that a user named, by its first records. A file of which nothing decodes is nobody's.
func storeOf(in adapter.Input) (string, error) {
	if strings.HasSuffix(in.Source.Path, ".json") {
		return storeSummary, nil
	}
	lines, err := kit.OpenLines(in, in.Source.Path, kit.Options{TopKeys: topKeys})
	if err != nil {
		return "", err
	}
	defer lines.Close()
	n := 0
	for r := range lines.All() {
		switch {
		case isUpdate(r.Value):
			return storeUpdates, nil
		case isPrompt(r.Value):
			return storePrompts, nil
		case isHistory(r.Value), path.Base(in.Source.Path) == historyFile && isItem(r.Value):
			return storeHistory, nil
		}
		if n++; n == sniffed {
			break
		}
	}
	if err := lines.Err(); err != nil {
		return "", err
	}
	return "", adapter.ErrNotMine
}

// topKeys are the keys that stand first in a record: where reading goes on after damage.
var topKeys = []string{"type", "role", "timestamp", "method", "params", "session_id", "prompt"}

// sniffed is how many records of a file are looked at to tell what it is.
const sniffed = 64
