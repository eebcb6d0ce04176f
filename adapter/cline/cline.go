// Package cline reads the tasks of Cline and of the two products that grew out of it and write the same files, Roo Code
// and Kilo Code before it had a database: a folder a task, with the requests as the model saw them
// (api_conversation_history.json), the rows that the user saw (ui_messages.json), and notes on the task.
//
// Requests and rows tell one conversation. Both are read once for their structure; what a row says again is paired with
// the request (pair.go), which has whole inputs and results, while rows have the times, the tokens, and what the person
// typed before the tool wrapped it. Then the bodies are decoded in the order that results (write.go). The package must not
// know how records are kept, joined with other evidences or given ids. FORMAT.md says what is read, and how.
package cline

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

// store is the frozen name of the one store that each product has.
const store = "tasks"

// product is a frozen source name and the extension that writes its files.
type product struct{ source, extension string }

var products = []product{
	{"cline", "saoudrizwan.claude-dev"},
	{"roo", "rooveterinaryinc.roo-cline"},
	{"kilo-legacy", "kilocode.kilo-code"},
}

type cline struct{}

// New returns the adapter.
func New() adapter.Adapter { return cline{} }

// Info implements adapter.Adapter.
func (cline) Info() adapter.Info {
	info := adapter.Info{
		Name:    "cline",
		Title:   "Cline, Roo Code, Kilo Code (before its database)",
		Version: 1,
		Roots:   roots(),
		Fidelity: adapter.Fidelity{
			Keeps: []string{
				"tasks and feedback as they were typed, answers, thinking, calls with their whole input, results, images by digest",
				"calls and results that older versions wrote as tags in the text, as calls and results",
				"what the tool put around a prompt (open files, mentions), as system; errors and notices",
				"title, folder, model, tokens of each request; the task that a sub-task comes from",
			},
			Leaves: []string{
				"checkpoints, retries and other states of the screen: no conversation",
				"the whole request as old versions repeat it beside its tokens: a copy of what is kept",
				"context_history.json and the list of files in context: notes for the tool, no conversation",
				"the list of tasks that old versions kept in the editor's database: it stands beside logins",
			},
			Notes: []string{
				"restoring a checkpoint rewrites both files: what was taken back is only in older snapshots",
				"requests have no time in most versions: that of the row that says the same stands in, else the one before, marked as inherited",
			},
		},
	}
	for _, p := range products {
		info.Stores = append(info.Stores, adapter.Store{Source: p.source, Name: store, What: "tasks, as the model and as the user saw them"})
	}
	return info
}

// roots lists where the extensions keep their files, for each editor and system.
func roots() []adapter.Root {
	var list []adapter.Root
	for _, p := range products {
		for _, editor := range []string{"Code", "Code - Insiders", "VSCodium", "Code - OSS", "Cursor", "Windsurf"} {
			below := editor + "/User/globalStorage/" + p.extension
			list = append(list,
				adapter.Root{Source: p.source, OS: "linux", Path: ".config/" + below, Env: "XDG_CONFIG_HOME", Sub: below},
				adapter.Root{Source: p.source, OS: "darwin", Path: "Library/Application Support/" + below},
				adapter.Root{Source: p.source, OS: "windows", Path: "AppData/Roaming/" + below, Env: "APPDATA", Sub: below},
			)
		}
		for _, server := range []string{".vscode-server", ".vscode-server-insiders", ".cursor-server", ".windsurf-server"} {
			list = append(list, adapter.Root{Source: p.source, Path: server + "/data/User/globalStorage/" + p.extension})
		}
	}
	return append(list,
		adapter.Root{Source: "cline", Path: ".cline/data", Env: "CLINE_DATA_DIR"},
		adapter.Root{Source: "cline", Path: ".cline/data", Env: "CLINE_DIR", Sub: "data"})
}

// productOf tells whose a file is that a user named: by the extension's folder in its path, else Cline's.
func productOf(name string) string {
	for _, p := range products {
		if strings.Contains(name, "/"+p.extension+"/") {
			return p.source
		}
	}
	return products[0].source
}

// yielder takes a record or an error; false means that it wants no more.
type yielder = func(*lore.Conversation, error) bool

// Read implements adapter.Adapter.
func (cline) Read(ctx context.Context, in adapter.Input) iter.Seq2[*lore.Conversation, error] {
	return func(yield func(*lore.Conversation, error) bool) {
		if in.Source.Product == "" {
			in.Source.Product = productOf("/" + in.Name(in.Source.Path))
		}
		err := read(ctx, in, yield)
		if err != nil && !errors.Is(err, kit.ErrStopped) {
			yield(nil, fmt.Errorf("%q: %w", in.Name(in.Source.Path), err))
		}
	}
}

func read(ctx context.Context, in adapter.Input, yield yielder) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	losses := kit.NewTally(in, in.Source.Path)
	l, err := openList(in, in.Source.Path, losses)
	if err != nil {
		return err
	}
	known := shapeOf(path.Base(in.Source.Path))
	is := l.shape()
	if is == noShape && (in.Source.Store != "" || l.empty || len(l.elements) == 0) {
		is = known
	}
	if known == noShape && in.Source.Store == "" && !l.listed && !l.single {
		return adapter.ErrNotMine
	}
	if is == noShape || len(l.elements) == 0 && l.fault == nil && in.Source.Store == "" && known == noShape {
		return adapter.ErrNotMine
	}
	if len(l.elements) == 0 && l.fault != nil && len(in.Source.Companions) == 0 {
		return fmt.Errorf("%w: %v", adapter.ErrMalformed, l.fault)
	}
	if is == tasks {
		return readTasks(in, l, losses, yield)
	}
	t := &task{in: in, losses: losses, id: taskID(in.Name(in.Source.Path))}
	if is == requests {
		t.requests = l
	} else {
		t.rows = l
	}
	t.companions()
	return t.read(ctx, yield)
}

// shape is what the elements of a file are.
type shape int

const (
	noShape  shape = iota
	requests       // to the model
	rows           // of the screen
	tasks          // facts about tasks
)

// shapeOf tells by the name that the tool gives.
func shapeOf(base string) shape {
	switch base {
	case requestsFile, olderFile:
		return requests
	case rowsFile:
		return rows
	case itemFile, indexFile, stateFile:
		return tasks
	}
	if strings.HasSuffix(base, sessionEnd) {
		return requests
	}
	return noShape
}

// shape tells by the elements: most of them, so that a strange one does not decide.
func (l *list) shape() shape {
	var n [tasks + 1]int
	blocks := false
	for i := range min(len(l.elements), 64) {
		v := l.value(i)
		switch {
		case isRow(v):
			n[rows]++
		case isTask(v):
			n[tasks]++
		case !l.single && isRequest(v):
			n[requests]++
			blocks = blocks || v.Get("content").IsArray()
		default:
			n[noShape]++
		}
	}
	best := noShape
	for s, count := range n {
		if count > n[best] {
			best = shape(s)
		}
	}
	if best == requests && !blocks && shapeOf(path.Base(l.name)) != requests {
		return noShape // plain words under a role: anybody writes that
	}
	return best
}

// isRequest reports whether a value has the form of an entry of the history that the model gets.
func isRequest(v kit.Value) bool {
	if role := v.Get("role"); !role.Is("user") && !role.Is("assistant") {
		return false
	}
	content := v.Get("content")
	if content.IsArray() {
		for b := range content.Items() {
			if !b.IsObject() || !b.Get("type").IsString() {
				return false
			}
		}
	}
	for key := range v.Fields() {
		if !strings.Contains(requestKeys, " "+key+" ") {
			return false
		}
	}
	return content.IsString() || content.IsArray()
}

const requestKeys = " role content ts model modelInfo metrics id isSummary condenseId condenseParent truncationId truncationParent isTruncationMarker type reasoning_details summary encrypted_content "

// isRow reports whether a value has the form of a row of the screen.
func isRow(v kit.Value) bool {
	return v.Get("type").Is("say") && v.Get("say").IsString() || v.Get("type").Is("ask") && v.Get("ask").IsString()
}

// isTask reports whether a value has the form of an entry in a list of tasks.
func isTask(v kit.Value) bool {
	return v.Get("id").IsString() && v.Get("task").IsString() && v.Get("ts").IsNumber()
}
