package mcp

import (
	"context"

	"lore/internal/frame"
	"lore/internal/service"
)

// RememberIn is a note that an agent wants to be found again.
type RememberIn struct {
	Text    string   `json:"text" jsonschema:"what was learned or decided, and why; it is found by its words"`
	Refs    []string `json:"refs,omitempty" jsonschema:"ids of the messages or conversations that it is about"`
	Tags    []string `json:"tags,omitempty"`
	Project string   `json:"project,omitempty" jsonschema:"folder of the project"`
	Author  string   `json:"author,omitempty" jsonschema:"your name; default: that of the client"`
}

// RememberOut says under which id the note is found.
type RememberOut struct {
	ID     string       `json:"id" jsonschema:"id of the note"`
	Author frame.Quoted `json:"author" jsonschema:"in its frame"`
	noted
}

func remember(ctx context.Context, c *call, in RememberIn) (*RememberOut, error) {
	author := in.Author
	if author == "" {
		author = c.client
	}
	if author == "" {
		author = "agent"
	}
	refs := make([]string, len(in.Refs))
	for i, r := range in.Refs {
		if err := bounded("a ref", r, mostID); err != nil {
			return nil, err
		}
		refs[i] = bareID(r)
	}
	res, err := ask(ctx, c.face, c.svc.Remember, service.RememberRequest{Text: in.Text, Author: author, Refs: refs, Tags: in.Tags, Project: in.Project})
	if err != nil {
		return nil, err
	}
	return &RememberOut{ID: res.ShortID, Author: res.Author}, nil
}

func (o *RememberOut) quotes() []*frame.Quoted { return []*frame.Quoted{&o.Author} }

func (o *RememberOut) words() string { return o.line() + "kept as " + o.ID + " by " + o.Author + "\n" }
