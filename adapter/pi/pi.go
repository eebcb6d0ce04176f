// Package pi reads the sessions of the pi coding agent and of its forks omp and prime: one file a session, JSON lines
// that form a tree.
//
// A file is read twice. The first pass (scan.go) keeps the id, parent and place of each entry; from these follow the
// branch that the tool would show and what was copied from another session. The second pass (write.go) decodes the
// bodies in the order of the file and yields them in pieces. The package must not know how records are kept, joined or
// given ids. FORMAT.md says what is read, and how.
package pi

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

// The frozen names of the source and its stores.
const (
	source     = "pi"
	storePi    = "pi"
	storeOmp   = "omp"
	storePrime = "prime"
)

// roots are the folders of sessions below the home, by store.
var roots = []struct{ store, path string }{
	{storePi, ".pi/agent/sessions"},
	{storeOmp, ".omp/agent/sessions"},
	{storePrime, ".prime/agent/sessions"},
}

type pi struct{}

// New returns the adapter.
func New() adapter.Adapter { return pi{} }

// Info implements adapter.Adapter.
func (pi) Info() adapter.Info {
	return adapter.Info{
		Name:    source,
		Title:   "pi",
		Version: 1,
		Stores: []adapter.Store{
			{Source: source, Name: storePi, What: "sessions of pi", Resume: []string{"pi", "--session", "{id}"}},
			{Source: source, Name: storeOmp, What: "sessions of its fork omp"},
			{Source: source, Name: storePrime, What: "sessions of its fork prime"},
		},
		Roots: []adapter.Root{
			{Source: source, Path: roots[0].path, Env: "PI_CODING_AGENT_DIR", Sub: "sessions"},
			{Source: source, Path: roots[0].path, Env: "PI_CODING_AGENT_SESSION_DIR"},
			{Source: source, Path: roots[1].path},
			{Source: source, Path: roots[2].path},
		},
		Fidelity: adapter.Fidelity{
			Keeps: []string{
				"prompts, answers, thinking, calls with their input as written, results, images by digest",
				"abandoned branches, inactive; compaction and branch summaries and what extensions injected, as system",
				"commands that the person ran, with their output: as system and tool, not as speech",
				"errors that ended an answer, as notices; tokens and model of each answer; titles; the fork's origin",
			},
			Leaves: []string{
				"labels, changes of model and of thinking level, the state of extensions: no conversation",
				"details of results (diffs, line counts): the call and the result say it",
				"signatures of thinking and costs in money",
			},
			Notes: []string{
				"versions before 2 wrote no ids: their entries are one line, told apart by their words",
				"a skill or template that the tool expands inside a prompt is not marked and stays the person's words",
			},
		},
	}
}

// Find implements adapter.Adapter. In a folder that only pi writes every JSON lines file is a session; elsewhere the
// name has to say so.
func (pi) Find(ctx context.Context, at adapter.Place) iter.Seq2[adapter.Source, error] {
	match := func(p string) bool { return strings.HasSuffix(p, ".jsonl") }
	if at.Root.Path == "" {
		match = func(p string) bool { return nameOf(p).session }
	}
	return func(yield func(adapter.Source, error) bool) {
		for src, err := range kit.WalkFiles(ctx, at.FS, ".", match) {
			src.Product, src.Store = source, storeOf(path.Join(at.Name, src.Path))
			if !yield(src, err) {
				return
			}
		}
	}
}

// storeOf returns the store that a file belongs to, by where it stands.
func storeOf(name string) string {
	for _, r := range roots {
		if strings.Contains("/"+name, "/"+r.path+"/") {
			return r.store
		}
	}
	return storePi
}

// Read implements adapter.Adapter.
func (pi) Read(ctx context.Context, in adapter.Input) iter.Seq2[*lore.Conversation, error] {
	return func(yield func(*lore.Conversation, error) bool) {
		trusted := in.Source.Store != ""
		in.Source.Product = source
		if !trusted {
			in.Source.Store = storeOf(in.Name(in.Source.Path))
		}
		err := read(ctx, in, trusted, yield)
		if err != nil && err != kit.ErrStopped {
			yield(nil, fmt.Errorf("%q: %w", in.Name(in.Source.Path), err))
		}
	}
}

// fileName is what the name of a session's file says: 2026-03-02T09-00-00-000Z_UUID.jsonl.
type fileName struct {
	session bool   // it has this form
	id      string // the part behind the time; empty when the name has another form
}

func nameOf(p string) fileName {
	stem, ok := strings.CutSuffix(path.Base(p), ".jsonl")
	at, id, found := strings.Cut(stem, "_")
	if !ok || !found || id == "" || !strings.HasSuffix(at, "Z") {
		return fileName{}
	}
	day, clock, found := strings.Cut(strings.TrimSuffix(at, "Z"), "T")
	if _, isDay := kit.ParseTimeString(day); !found || !isDay || strings.Count(clock, "-") < 2 {
		return fileName{}
	}
	return fileName{session: true, id: id}
}
