// Package chatexport reads the data exports of ChatGPT and Claude.ai: conversations.json, in a folder, in a zip or alone.
//
// The file is one array, each element a conversation. Elements are found by their brackets (walk.go, elements.go) and
// decoded one at a time, so that memory follows the largest conversation and not the file. A conversation's nodes are put
// in order by their parents (chain.go), and each becomes messages (gpt*.go for the one product, claude*.go for the other).
// The package must not know how records are kept, joined with other evidences or given ids. FORMAT.md says what is read.
package chatexport

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// The frozen names of the sources and their store.
const (
	sourceGPT    = "chatgpt"
	sourceClaude = "claude-ai"
	storeExport  = "export"
)

type chatexport struct{}

// New returns the adapter.
func New() adapter.Adapter { return chatexport{} }

// Info implements adapter.Adapter. The roots have no path: an export is read where a person names it.
func (chatexport) Info() adapter.Info {
	return adapter.Info{
		Name:    "chatexport",
		Title:   "ChatGPT and Claude.ai data exports",
		Version: 1,
		Stores: []adapter.Store{
			{Source: sourceGPT, Name: storeExport, What: "conversations of a ChatGPT data export"},
			{Source: sourceClaude, Name: storeExport, What: "conversations of a Claude.ai data export"},
		},
		Roots: []adapter.Root{{Source: sourceGPT}, {Source: sourceClaude}},
		Fidelity: adapter.Fidelity{
			Keeps: []string{
				"typed and dictated messages, answers, thinking, calls with their input as written, results, models, times, titles",
				"all branches: edited prompts and regenerated answers stay, inactive",
				"images and files by their reference, with name and size where the export holds them; text extracted from attachments",
				"custom instructions, memory and hidden messages, as system",
			},
			Leaves: []string{
				"account data, feedback, shared links, projects and memories: no conversation",
				"the rendered chat.html: it repeats the conversations",
				"the summary of a Claude.ai conversation: not said in it",
				"citations and other annotations of texts; system messages without words",
			},
			Notes: []string{
				"nothing is looked for: name the zip, the folder or the file in lore import",
				"an export of Claude.ai holds no uploaded files, only names and extracted text",
			},
		},
	}
}

// yielder takes a record or an error; false means that it wants no more.
type yielder = func(*lore.Conversation, error) bool

// Read implements adapter.Adapter.
func (chatexport) Read(ctx context.Context, in adapter.Input) iter.Seq2[*lore.Conversation, error] {
	return func(yield func(*lore.Conversation, error) bool) {
		err := read(ctx, in, yield)
		if err != nil && !errors.Is(err, kit.ErrStopped) {
			yield(nil, fmt.Errorf("%q: %w", in.Name(in.Source.Path), err))
		}
	}
}
