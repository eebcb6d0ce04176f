// Package trae reads what the editor Trae leaves on a disk, in its international and its Chinese editions: the chats with
// its agent, which stand whole in one row of a database of settings, and the prompts that were typed.
//
// Newer versions keep their chats in an encrypted database. The package says so, once, and looks for no key. It must not
// know how rows are kept, joined with other evidences, or given ids; the sessions of Trae's program for the terminal are
// of another format and are not its business. FORMAT.md says what is read, and how.
package trae

import (
	"context"
	"fmt"
	"iter"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// The frozen names of the source and its stores.
const (
	source = "trae"

	storeWorkspace = "workspace-db"
	storeGlobal    = "global-db"
	storeEncrypted = "encrypted"
)

// products are the editions: the name of each is that of its folder.
var products = []string{"Trae", "Trae CN", "TRAE SOLO", "TRAE SOLO CN"}

type trae struct{}

// New returns the adapter.
func New() adapter.Adapter { return trae{} }

// Info implements adapter.Adapter.
func (trae) Info() adapter.Info {
	return adapter.Info{
		Name:    source,
		Title:   "Trae",
		Version: 1,
		Stores: []adapter.Store{
			{Source: source, Name: storeWorkspace, What: "chats and typed prompts of a workspace", Rank: 0},
			{Source: source, Name: storeGlobal, What: "chats without a workspace", Rank: 1},
			{Source: source, Name: storeEncrypted, What: "chats of newer versions, which cannot be read", Rank: 9},
		},
		Databases: []adapter.Database{
			{Store: storeWorkspace, Tables: []string{tableItems}, Ranges: ranges()},
		},
		Roots:    roots(),
		Fidelity: fidelity,
	}
}

func roots() (list []adapter.Root) {
	for _, p := range products {
		list = append(list,
			adapter.Root{Source: source, OS: "linux", Path: ".config/" + p, Env: "XDG_CONFIG_HOME", Sub: p},
			adapter.Root{Source: source, OS: "darwin", Path: "Library/Application Support/" + p},
			adapter.Root{Source: source, OS: "windows", Path: "AppData/Roaming/" + p, Env: "APPDATA", Sub: p})
	}
	return list
}

var fidelity = adapter.Fidelity{
	Keeps: []string{
		"prompts, answers, the agent's plans: reasoning and thoughts as thinking, steps as calls with all their fields",
		"both what an answer says directly and what its plan says; the question and the answer of a turn, which share an id",
		"the folder of the workspace, the model, times where they stand",
		"typed prompts that no chat of the same database holds, as a conversation of prompts alone",
	},
	Leaves: []string{
		"the encrypted database of newer versions: reported once, with how many sessions it holds where that can be seen",
		"rows of logins and settings: never read; of a database only named keys are",
		"the context that a typed prompt was expanded to, and which agent a session used: no speech",
		"long pastes in folders beside a database: nothing says which message they belong to",
	},
	Notes: []string{
		"no file of the editor was at hand: its format is known from what others tell",
		"what Trae injects into a prompt between tags has no frame that is known, and stays the person's words",
		"an answer without a model is given that of its session",
	},
}

// yielder takes a record or an error; false means that it wants no more.
type yielder = func(*lore.Conversation, error) bool

// Read implements adapter.Adapter.
func (trae) Read(ctx context.Context, in adapter.Input) iter.Seq2[*lore.Conversation, error] {
	return func(yield func(*lore.Conversation, error) bool) {
		in.Source.Product = source
		if in.Source.Store == "" && isEncryptedPlace(in.Name(in.Source.Path)) {
			in.Source.Store = storeEncrypted
		}
		err := adapter.ErrNotMine
		switch in.Source.Store {
		case storeEncrypted:
			err = readEncrypted(in, yield)
		case storeWorkspace, storeGlobal:
			err = readState(ctx, in, yield)
		}
		if err != nil && err != kit.ErrStopped {
			yield(nil, fmt.Errorf("%q: %w", in.Name(in.Source.Path), err))
		}
	}
}
