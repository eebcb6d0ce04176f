// Package copilot reads the chats that VS Code and its relatives keep: sessions as one document or as a log of operations,
// sessions of windows without a folder, the transcripts of the chat extension, exported chats, and the editor's list of its
// sessions.
//
// A session is laid out first: walker and node find where its values stand and hold no text; replay applies the log to
// that tree, past remembers what was taken back. Then each turn is told: the values are decoded one by one, in the order of
// the record, and messages are yielded in pieces. So memory follows the number of values and the size of one, not the size
// of the session, which may be a single line.
//
// The package must not know how records are kept, joined with others or given ids. FORMAT.md says what is read, and how.
package copilot

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
	source = "copilot"

	storeChatSessions = "chat-sessions"
	storeEmptyWindow  = "empty-window"
	storeTranscripts  = "transcripts"
	storeExports      = "exports"
)

type copilot struct{}

// New returns the adapter.
func New() adapter.Adapter { return copilot{} }

// Info implements adapter.Adapter.
func (copilot) Info() adapter.Info {
	return adapter.Info{
		Name:    source,
		Title:   "GitHub Copilot Chat (VS Code)",
		Version: 1,
		Stores: []adapter.Store{
			{Source: source, Name: storeChatSessions, What: "sessions of a workspace: documents and operation logs", Rank: 0, Fragments: adapter.LongFragments},
			{Source: source, Name: storeEmptyWindow, What: "sessions of windows without a folder", Rank: 0, Fragments: adapter.LongFragments},
			{Source: source, Name: storeExports, What: "chats that were exported", Rank: 3, Fragments: adapter.LongFragments},
			{Source: source, Name: storeTranscripts, What: "transcripts of the chat extension", Rank: 5, Fragments: adapter.LongFragments},
		},
		Databases: []adapter.Database{
			{Store: storeChatSessions, Tables: []string{indexRange.Table}, Ranges: []adapter.Range{indexRange}},
		},
		Roots: roots(),
		Fidelity: adapter.Fidelity{
			Keeps: []string{
				"prompts with what was attached, answers with the names of files and symbols in their sentences, thinking",
				"calls with the model's real arguments and results, changes of files, questions and answers, notices and errors",
				"prompts and answers that were taken back, edited or cut off, as inactive",
				"what the editor attached by itself, as system; titles, folder, branch, remote, model, tokens",
				"turns that only the transcript has; sub-agents of transcripts as conversations of their own",
			},
			Leaves: []string{
				"the expanded prompt that the model got, and drafts that were not sent: no person's words in the chat",
				"progress, buttons, undo marks, votes, references beside an answer, suggestions for the next prompt: no conversation",
				"how the editor words a call whose arguments are known",
				"the editor's list of typed inputs: it names no session",
				"embeddings, edit snapshots and other caches of the chat extension: no conversation",
			},
			Notes: []string{
				"the editor keeps the newest sessions of a workspace alone and deletes the others; what was imported stays",
				"a log is rewritten as one entry after some hundred steps: what was taken back before is only in older snapshots",
				"answers have no time of their own in most versions: that of the request stands in and is marked as inherited",
			},
		},
	}
}

// roots lists where the editions keep their user folder on each system.
func roots() []adapter.Root {
	var list []adapter.Root
	editions := []string{"Code", "Code - Insiders", "VSCodium", "VSCodium - Insiders", "Code - OSS"}
	for _, parent := range []struct{ os, path, env string }{
		{"linux", ".config", "XDG_CONFIG_HOME"},
		{"linux", ".config", "VSCODE_APPDATA"},
		{"darwin", "Library/Application Support", "VSCODE_APPDATA"},
		{"windows", "AppData/Roaming", "APPDATA"},
		{"windows", "AppData/Roaming", "VSCODE_APPDATA"},
	} {
		for _, edition := range editions {
			list = append(list, adapter.Root{Source: source, OS: parent.os, Path: parent.path + "/" + edition + "/User",
				Env: parent.env, Sub: edition + "/User"})
		}
	}
	for _, p := range []string{
		".vscode-server/data/User", ".vscode-server-insiders/data/User", ".vscode-server-oss/data/User",
		".vscodium-server/data/User", ".vscode-remote/data/User", ".local/share/code-server/User",
	} {
		list = append(list, adapter.Root{Source: source, Path: p})
	}
	return append(list,
		adapter.Root{Source: source, OS: "linux", Path: ".var/app/com.visualstudio.code/config/Code/User"},
		adapter.Root{Source: source, OS: "linux", Path: ".var/app/com.vscodium.codium/config/VSCodium/User"},
		adapter.Root{Source: source, Path: ".vscode-portable/user-data/User", Env: "VSCODE_PORTABLE", Sub: "user-data/User"},
	)
}

// shape is the form of an evidence.
type shape uint8

const (
	shapeLog shape = iota + 1
	shapeDocument
	shapeTranscript
	shapeIndex
)

// shapesOf returns the forms that an evidence may have, the likeliest one first.
func shapesOf(in adapter.Input) []shape {
	name := in.Name(in.Source.Path)
	switch base := path.Base(name); {
	case base == stateFile:
		return []shape{shapeIndex}
	case base == projectFile && in.Source.Store == "":
		return nil
	case in.Source.Store == storeTranscripts || inTranscripts(name):
		return []shape{shapeTranscript}
	case strings.HasSuffix(base, ".json"):
		return []shape{shapeDocument}
	case in.Source.Store != "":
		return []shape{shapeLog}
	}
	return []shape{shapeLog, shapeTranscript}
}

func inTranscripts(name string) bool { return strings.Contains("/"+name, "/"+transcriptDir+"/") }

// isTrusted reports whether an evidence stands where only the editor writes.
func isTrusted(in adapter.Input) bool {
	name := "/" + in.Name(in.Source.Path)
	for _, dir := range []string{sessionsDir, emptyDir, transferDir, transcriptDir} {
		if strings.Contains(name, "/"+dir+"/") {
			return true
		}
	}
	return false
}

// Read implements adapter.Adapter.
func (copilot) Read(ctx context.Context, in adapter.Input) iter.Seq2[*lore.Conversation, error] {
	return func(yield func(*lore.Conversation, error) bool) {
		err := readAs(ctx, in, shapesOf(in), yield)
		for _, c := range in.Source.Companions {
			if errors.Is(err, adapter.ErrNotMine) && strings.HasSuffix(c, ".json") && path.Base(c) != projectFile {
				older := in // a log that is none does not hide the document beside it
				older.Source.Path = c
				err = readAs(ctx, older, []shape{shapeDocument}, yield)
			}
		}
		if err != nil && err != kit.ErrStopped {
			yield(nil, fmt.Errorf("%q: %w", in.Name(in.Source.Path), err))
		}
	}
}

// readAs reads an evidence as the first of some forms that it has.
func readAs(ctx context.Context, in adapter.Input, shapes []shape, yield yielder) error {
	for _, sh := range shapes {
		if err := read(ctx, settle(in, sh), sh, yield); !errors.Is(err, adapter.ErrNotMine) {
			return err
		}
	}
	return adapter.ErrNotMine
}

func read(ctx context.Context, in adapter.Input, sh shape, yield yielder) error {
	if sh == shapeIndex {
		return readIndex(ctx, in, yield)
	}
	return newSession(ctx, in, sh, yield).read()
}

// settle fills in the source and the store of an evidence that a user named. An export is told from a session by what it
// holds: see session.gather.
func settle(in adapter.Input, sh shape) adapter.Input {
	in.Source.Product = source
	if in.Source.Store != "" {
		return in
	}
	name := "/" + in.Name(in.Source.Path)
	switch {
	case sh == shapeTranscript:
		in.Source.Store = storeTranscripts
	case strings.Contains(name, "/"+emptyDir+"/"), strings.Contains(name, "/"+transferDir+"/"):
		in.Source.Store = storeEmptyWindow
	default:
		in.Source.Store = storeChatSessions
	}
	return in
}
