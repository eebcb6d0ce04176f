// Package kimi reads what two products of one name leave on a disk: Kimi CLI (~/.kimi), with the model's memory in
// context.jsonl beside a log of events in wire.jsonl, and Kimi Code (~/.kimi-code), with a wire.jsonl of another protocol
// for each agent.
//
// The log is the record; the memory only fills what the log lacks. Each file is read once for its structure (wire.go,
// events.go, memory.go), which gives turns: a prompt, a step of the model, a result. Memory and log are put together
// (merge.go), and then the bodies are decoded in the order that results (write.go) and yielded in pieces. The package must
// not know how records are kept, joined with other evidences or given ids. FORMAT.md says what is read, and how.
package kimi

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// The frozen names of the source and its stores.
const (
	source    = "kimi"
	storeCLI  = "kimi-cli"
	storeCode = "kimi-code"
)

// Names of files and folders.
const (
	wireFile    = "wire.jsonl"
	contextFile = "context.jsonl"
	stateFile   = "state.json"
	oldState    = "metadata.json"
	placesFile  = "kimi.json"
	sessionsDir = "sessions"
	agentsDir   = "agents"
	childrenDir = "subagents"
	mainAgent   = "main"
)

type kimi struct{}

// New returns the adapter.
func New() adapter.Adapter { return kimi{} }

// Info implements adapter.Adapter.
func (kimi) Info() adapter.Info {
	return adapter.Info{
		Name:    source,
		Title:   "Kimi CLI and Kimi Code",
		Version: 1,
		Stores: []adapter.Store{
			{Source: source, Name: storeCLI, What: "sessions of Kimi CLI: the log of events, and the model's memory",
				Resume: []string{"kimi", "--session", "{id}"}},
			{Source: source, Name: storeCode, What: "sessions of Kimi Code, with their sub-agents",
				Resume: []string{"kimi", "--session", "{id}"}},
		},
		Roots: []adapter.Root{
			{Source: source, Path: ".kimi", Env: "KIMI_SHARE_DIR"},
			{Source: source, Path: ".kimi-code", Env: "KIMI_CODE_HOME"},
		},
		Fidelity: adapter.Fidelity{
			Keeps: []string{
				"prompts, also those that steer a running turn; answers, thinking, calls with their input as written, results, images by digest",
				"what was answered when a call was refused; turns that were undone, inactive",
				"reminders, plan mode, skills and notices, as system; compactions, as one marker each",
				"sub-agents as conversations of their own, with the call that started them; model and tokens of each step; titles and folders",
			},
			Leaves: []string{
				"the system prompt and tool declarations: the same in every session, no conversation",
				"approvals without words, changes of settings, requests and their retries, counters: no conversation",
				"how a result was displayed (diffs, briefs): the call and the result say it",
				"images that Kimi Code has put into files of their own: only the reference is kept",
			},
			Notes: []string{
				"the model's memory has no times and is rewritten by a compaction; where the log is there it has both",
				"sessions of which only the memory is left have the time of the file, marked as such",
			},
		},
	}
}

// yielder takes a record or an error; false means that it wants no more.
type yielder = func(*lore.Conversation, error) bool

// Read implements adapter.Adapter.
func (kimi) Read(ctx context.Context, in adapter.Input) iter.Seq2[*lore.Conversation, error] {
	return func(yield func(*lore.Conversation, error) bool) {
		err := read(ctx, in, yield)
		if err != nil && !errors.Is(err, kit.ErrStopped) {
			yield(nil, fmt.Errorf("%q: %w", in.Name(in.Source.Path), err))
		}
	}
}

func read(ctx context.Context, in adapter.Input, yield yielder) error {
	trusted := in.Source.Store != ""
	in.Source.Product = source
	if path.Ext(in.Source.Path) == ".json" {
		return readState(in, yield)
	}
	s := newSession(in)
	defer s.close()
	if err := s.scan(ctx, trusted); err != nil {
		return err
	}
	return s.write(ctx, yield)
}

// Find implements adapter.Adapter.
func (kimi) Find(ctx context.Context, at adapter.Place) iter.Seq2[adapter.Source, error] {
	return func(yield func(adapter.Source, error) bool) {
		f := finding{there: map[string]bool{}, beside: map[string][]string{}}
		for src, err := range kit.WalkFiles(ctx, at.FS, sessionsDir, isEvidence) {
			src.Product = source
			if err != nil {
				if !yield(src, err) {
					return
				}
				continue
			}
			f.add(src)
		}
		for src, err := range kit.ListFiles(ctx, at.FS, ".", func(p string) bool { return p == placesFile }) {
			f.there[src.Path] = err == nil
		}
		for _, src := range f.list {
			if f.complete(&src) && !yield(src, nil) {
				return
			}
		}
	}
}

// finding is what a walk has met.
type finding struct {
	list   []adapter.Source
	there  map[string]bool
	beside map[string][]string // by folder: memories and states
}

func (f *finding) add(src adapter.Source) {
	f.there[src.Path] = true
	dir := path.Dir(src.Path)
	switch placeOf(src.Path).file {
	case memory, oldMemory, state:
		f.beside[dir] = append(f.beside[dir], src.Path)
	}
	f.list = append(f.list, src)
}

// complete gives a file its store and companions. It returns false for a file that is read with another.
func (f *finding) complete(src *adapter.Source) bool {
	pl := placeOf(src.Path)
	dir := path.Dir(src.Path)
	switch pl.file {
	case log:
	case memory:
		if f.there[path.Join(dir, wireFile)] {
			return false
		}
	case formerMemory:
		if f.there[path.Join(dir, pl.session, contextFile)] || f.there[path.Join(dir, pl.session, wireFile)] {
			return false
		}
	default:
		return false
	}
	src.Store = pl.store
	if pl.file != formerMemory {
		for _, p := range f.beside[dir] {
			if p != src.Path {
				src.Companions = append(src.Companions, p)
			}
		}
	}
	if pl.store == storeCode {
		if p := path.Join(pl.dir, stateFile); f.there[p] {
			src.Companions = append(src.Companions, p)
		}
	} else if f.there[placesFile] {
		src.Companions = append(src.Companions, placesFile)
	}
	return true
}
