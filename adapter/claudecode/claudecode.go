// Package claudecode reads what Claude Code leaves on a disk: transcripts below projects/, the prompt history, the
// session index, side files with full tool output, and the web product's session export, which holds the same records.
//
// A transcript is read twice. The first pass (scan.go) keeps ids, parents and a few hashes of each line and no words;
// from these follow the order (order.go), the twins (fold.go, queue.go) and the branches (branch.go). The second pass
// (write.go) decodes the bodies in record order and yields them in pieces, so memory follows the number of lines and the
// size of a piece, not the size of the file.
//
// It must not know how records are kept, identified or searched; FORMAT.md tells the format.
package claudecode

import (
	"context"
	"iter"
	"path"
	"strings"

	"lore"
	"lore/adapter"
)

// The frozen names: they are hashed into ids.
const (
	source        = "claude-code"
	storeProjects = "projects"
	storeHistory  = "history"
	storeSide     = "side-files"
)

// Adapter reads Claude Code's stores. The zero Adapter is ready.
type Adapter struct{}

// New returns the adapter.
func New() Adapter { return Adapter{} }

var _ adapter.Adapter = Adapter{}

// Info says what the adapter reads.
func (Adapter) Info() adapter.Info {
	return adapter.Info{
		Name:    "claudecode",
		Title:   "Claude Code",
		Version: 1,
		Stores: []adapter.Store{
			{Source: source, Name: storeProjects, What: "transcripts of sessions and sub-agents", Rank: 0,
				Resume: []string{"claude", "--resume", "{id}"}, PutBack: true},
			{Source: source, Name: storeSide, What: "full tool output whose transcript is gone", Rank: 8},
			{Source: source, Name: storeHistory, What: "typed prompts of all projects", Rank: 9, Prompts: true, Fragments: adapter.LongFragments},
		},
		Retention: &adapter.Retention{Days: 30, File: "settings.json", Key: "cleanupPeriodDays"},
		Roots: []adapter.Root{
			{Source: source, Path: ".claude", Env: "CLAUDE_CONFIG_DIR", Apart: []string{projects + "/*"}},
			{Source: source, OS: "darwin", Path: "Library/Application Support/Claude/" + desktopTree},
			{Source: source, OS: "windows", Path: "AppData/Roaming/Claude/" + desktopTree},
		},
		Fidelity: adapter.Fidelity{
			Keeps: []string{
				"what people typed, also queued prompts and prompts whose transcript was deleted",
				"answers, thinking, calls with their input as written, results in full, images by digest",
				"abandoned branches, inactive; compaction summaries and injected context, as system",
				"sub-agents as conversations of their own, with the call that started them",
			},
			Leaves: []string{
				"file-history snapshots, mode switches, progress: no conversation",
				"the structured twin of a result (patches, line counts): the result's text says it",
				"signatures of thinking, which nobody can read",
			},
			Notes: []string{
				"newer versions write thinking without its words",
			},
		},
	}
}

// Read yields the conversations of one evidence.
func (Adapter) Read(ctx context.Context, in adapter.Input) iter.Seq2[*lore.Conversation, error] {
	return func(yield func(*lore.Conversation, error) bool) {
		p := in.Source.Path
		base := path.Base(p)
		out := &sink{yield: yield}
		var err error
		switch {
		case base == indexName:
			err = readIndex(in, out)
		case in.Source.Store == storeHistory || in.Source.Store == "" && base == historyName:
			err = readHistory(ctx, in, out)
		case in.Source.Store == storeSide || in.Source.Store == "" && isSide(p):
			err = readSide(in, out)
		case strings.HasSuffix(base, metaEnd):
			err = readMetaAlone(in, out)
		case strings.HasSuffix(base, ".json"):
			err = readExport(ctx, in, out)
		default:
			err = readTranscript(ctx, in, out)
		}
		if err != nil && !out.done {
			yield(nil, err)
		}
	}
}

// sink hands records on until the caller has enough.
type sink struct {
	yield func(*lore.Conversation, error) bool
	done  bool // the caller has enough
}

// put reports whether to go on.
func (s *sink) put(c *lore.Conversation) bool {
	if !s.done && !s.yield(c, nil) {
		s.done = true
	}
	return !s.done
}
