// Package goose reads what Goose leaves on a disk: the database of its sessions, and the files of JSON lines that came
// before it and stay beside it. Both hold the same messages, so that one reading serves them.
//
// The package must not know how records are kept, joined with other evidences, or given ids. FORMAT.md says what is
// read, and how.
package goose

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path"
	"regexp"
	"strings"
	"sync"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// The frozen names of the source and its stores.
const (
	source     = "goose"
	storeDB    = "db"
	storeLines = "jsonl"
)

// database is the name of the database of sessions.
const database = "sessions.db"

type goose struct{}

// New returns the adapter.
func New() adapter.Adapter { return goose{} }

// Info implements adapter.Adapter.
func (goose) Info() adapter.Info {
	const usual = ".local/share/goose/sessions"
	return adapter.Info{
		Name:    source,
		Title:   "Goose",
		Version: 2,
		Stores: []adapter.Store{
			{Source: source, Name: storeDB, What: "sessions in a database", Rank: 0,
				Resume: []string{"goose", "session", "--resume", "--session-id", "{id}"}},
			{Source: source, Name: storeLines, What: "sessions as files, from before the database", Rank: 1},
		},
		Databases: []adapter.Database{
			{Store: storeDB, Tables: []string{tableSessions, tableMessages}, Ranges: ranges, Split: &split},
		},
		Roots: []adapter.Root{
			{Source: source, Path: usual, Env: "XDG_DATA_HOME", Sub: "goose/sessions"},
			{Source: source, OS: "windows", Path: "AppData/Roaming/Block/goose/data/sessions"},
			{Source: source, Path: usual, Env: "GOOSE_PATH_ROOT", Sub: "data/sessions"},
		},
		Fidelity: adapter.Fidelity{
			Keeps: []string{
				"prompts, answers, thinking, calls with their input, results, images by digest",
				"what the client says or asks, compaction summaries and other hidden messages, as system",
				"titles, folder, model, tokens, sub-agents, scheduled sessions as automation, archived sessions",
			},
			Leaves: []string{
				"the state of extensions, recipes and modes: no conversation",
				"costs, and totals of tokens that are not told apart",
				"signatures of thinking, annotations of results, structured copies of their text",
			},
			Notes: []string{
				"a compaction rewrites a session: what it drops is known from the archive alone",
				"session ids are a counter by day, so that two machines may give one id to different talks",
				"the model of an answer that names none is that of its session",
			},
		},
	}
}

// Find implements adapter.Adapter.
func (goose) Find(ctx context.Context, at adapter.Place) iter.Seq2[adapter.Source, error] {
	return func(yield func(adapter.Source, error) bool) {
		dirs, match := []string{"."}, isSession
		if at.Root.Path == "" { // a folder that a user named may be above the sessions, and hold files of others
			dirs, match = []string{".", "data/sessions", "sessions"}, isSessionByName
		}
		for _, dir := range dirs {
			for src, err := range kit.ListFiles(ctx, at.FS, dir, match) {
				src.Product, src.Store = source, storeLines
				if path.Base(src.Path) == database {
					src.Store, src.Ranges, src.Split = storeDB, ranges, &split
				}
				if !yield(src, err) {
					return
				}
			}
		}
	}
}

// isSession reports whether a file in the folder of sessions is one.
func isSession(name string) bool {
	return path.Base(name) == database || path.Ext(name) == ".jsonl"
}

// dated is how a file of a session is named when nobody has named it: by its day and number, or its time.
var dated = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\d{8}_\d+\.jsonl$`) })

func isSessionByName(name string) bool {
	return path.Base(name) == database || dated().MatchString(path.Base(name))
}

// Read implements adapter.Adapter.
func (goose) Read(ctx context.Context, in adapter.Input) iter.Seq2[*lore.Conversation, error] {
	return func(yield func(*lore.Conversation, error) bool) {
		trusted := in.Source.Store != ""
		in.Source.Product = source
		read := readDatabase
		switch {
		case in.Source.Store == storeLines:
			read = readLines
		case trusted:
		case isText(in.Source.Path):
			in.Source.Store, read = storeLines, readLines
		default:
			in.Source.Store = storeDB
		}
		if err := read(ctx, in, trusted, yield); err != nil && !errors.Is(err, kit.ErrStopped) {
			yield(nil, fmt.Errorf("%q: %w", in.Name(in.Source.Path), err))
		}
	}
}

// isText reports whether a file that a user named may be one of JSON lines.
func isText(name string) bool {
	name = strings.TrimSuffix(name, ".zst")
	return path.Ext(name) == ".jsonl"
}

// yielder takes a record or an error; false means that it wants no more.
type yielder = func(*lore.Conversation, error) bool
