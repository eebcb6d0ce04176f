// Package qwencode reads the chats of Qwen Code: one file a session, and one for each of its sub-agents, JSON lines that
// form a tree.
//
// A file is read twice. The first pass (scan.go) keeps the uuid, parent and place of each record, by conversation; from
// these follows the branch that the tool would show. The second pass (write.go) decodes the bodies of each conversation
// in the order of the file and yields them in pieces. The package must not know how records are kept, joined or given
// ids. FORMAT.md says what is read, and how.
package qwencode

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

// The frozen names of the source and its store.
const (
	source = "qwen-code"
	store  = "chats"
)

type qwen struct{}

// New returns the adapter.
func New() adapter.Adapter { return qwen{} }

// Info implements adapter.Adapter.
func (qwen) Info() adapter.Info {
	return adapter.Info{
		Name:    "qwencode",
		Title:   "Qwen Code",
		Version: 1,
		Stores: []adapter.Store{{Source: source, Name: store, What: "sessions and their sub-agents",
			Resume: []string{"qwen", "--resume", "{id}"}}},
		Roots: []adapter.Root{{Source: source, Path: ".qwen"}},
		Fidelity: adapter.Fidelity{
			Keeps: []string{
				"prompts as they were typed, also those typed while the agent was busy; answers, thoughts, calls, results, images by digest",
				"what hooks and expansions added to a prompt, notices, slash commands and compaction summaries, as system",
				"rewound branches, inactive; sub-agents as conversations of their own, with the call that started them",
				"titles on the active branch, folder and branch, model and tokens of each answer, the session that a copy was branched from",
			},
			Leaves: []string{
				"telemetry: it repeats calls, errors and tokens that stand in the records",
				"snapshots of files, artifacts, sources, goals and settings: no conversation",
				"the display twin of a result (diffs, rendered output), where the response itself is there",
				"the history with which a sub-agent was started: a copy of its parent's",
			},
			Notes: []string{
				"versions before the chats folder wrote Gemini CLI's layout below tmp/: its session-*.json are not read",
				"a slash command is kept as what the person ran, not as speech",
			},
		},
	}
}

// Find implements adapter.Adapter.
func (qwen) Find(ctx context.Context, at adapter.Place) iter.Seq2[adapter.Source, error] {
	dirs := []string{"projects"}
	if at.Root.Path != "" {
		dirs = append(dirs, "tmp")
	}
	return func(yield func(adapter.Source, error) bool) {
		for _, dir := range dirs {
			metas := map[string]bool{}
			var list []adapter.Source
			for src, err := range kit.WalkFiles(ctx, at.FS, dir, isEvidence) {
				src.Product, src.Store = source, store
				switch {
				case err != nil:
					if !yield(src, err) {
						return
					}
				case strings.HasSuffix(src.Path, metaSuffix):
					metas[src.Path] = true
				default:
					list = append(list, src)
				}
			}
			for _, src := range list {
				if meta := metaOf(src.Path); metas[meta] {
					src.Companions = []string{meta}
				}
				if !yield(src, nil) {
					return
				}
			}
		}
	}
}

const (
	metaSuffix  = ".meta.json"
	agentPrefix = "agent-"
)

// isEvidence tells chats, sub-agents' transcripts and what lies beside those: .../chats/ID.jsonl, also below
// chats/archive, and .../subagents/SESSION/agent-ID.jsonl.
func isEvidence(p string) bool {
	if inAgents(p) {
		return strings.HasSuffix(p, ".jsonl") || strings.HasSuffix(p, metaSuffix)
	}
	return strings.HasSuffix(p, ".jsonl") && isSessionID(stemOf(p)) && strings.Contains("/"+p, "/chats/")
}

// inAgents reports whether a file stands where sub-agents' transcripts do.
func inAgents(p string) bool {
	return strings.HasPrefix(path.Base(p), agentPrefix) && path.Base(path.Dir(path.Dir(p))) == "subagents"
}

func metaOf(p string) string { return strings.TrimSuffix(p, ".jsonl") + metaSuffix }

func stemOf(p string) string { return strings.TrimSuffix(path.Base(p), ".jsonl") }

// isSessionID reports whether a text has the form of a session's id: a uuid, with or without its dashes.
func isSessionID(s string) bool {
	digits := undashed(s)
	return len(digits) == 32 && strings.Trim(digits, "0123456789abcdefABCDEF") == ""
}

// undashed is how two ids are compared: names may leave the dashes out.
func undashed(s string) string { return strings.ReplaceAll(s, "-", "") }

// Read implements adapter.Adapter.
func (qwen) Read(ctx context.Context, in adapter.Input) iter.Seq2[*lore.Conversation, error] {
	return func(yield func(*lore.Conversation, error) bool) {
		trusted := in.Source.Store != ""
		in.Source.Product, in.Source.Store = source, store
		err := read(ctx, in, trusted, yield)
		if err != nil && err != kit.ErrStopped {
			yield(nil, fmt.Errorf("%q: %w", in.Name(in.Source.Path), err))
		}
	}
}

// isArchived reports whether the tool has put a session into its own archive.
func isArchived(p string) bool { return strings.Contains("/"+p, "/chats/archive/") }
