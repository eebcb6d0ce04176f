package mcp

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"lore/internal/frame"
	"lore/internal/redact"
	"lore/internal/service"
)

// The addresses of conversations and messages for clients that let a person attach one.
const (
	conversationURI = "lore://conversation/"
	messageURI      = "lore://message/"
)

// resourceTokens is how much of a conversation or message a resource holds; the text says where it goes on.
const resourceTokens = 4000

func (f *face) addResources(s *sdk.Server) {
	s.AddResourceTemplate(&sdk.ResourceTemplate{Name: "conversation", Title: "Past session", URITemplate: conversationURI + "{id}",
		MIMEType: "text/plain", Description: "The outline of a past conversation with an agent"}, f.resource)
	s.AddResourceTemplate(&sdk.ResourceTemplate{Name: "message", Title: "Message of a past session", URITemplate: messageURI + "{id}",
		MIMEType: "text/plain", Description: "A message with its neighbours"}, f.resource)
	s.AddResource(&sdk.Resource{Name: "recent", Title: "Recent sessions", URI: "lore://recent", MIMEType: "text/plain",
		Description: "The newest conversations with agents on this machine"}, f.recent)
}

func (f *face) resource(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	uri := req.Params.URI
	if len(uri) > mostID {
		return nil, sdk.ResourceNotFoundError(oneLine(uri, 80))
	}
	res, err := ask(ctx, f, f.svc.Read, service.ReadRequest{ID: bareID(uri), Context: usualContext, Budget: resourceTokens, Reveal: f.opts.Reveal})
	if service.IsNotFound(err) {
		return nil, sdk.ResourceNotFoundError(uri)
	}
	if err != nil {
		return nil, err
	}
	return f.asResource(uri, (&call{face: f}).shown(res)), nil
}

func (f *face) recent(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	out, err := list(ctx, &call{face: f, except: f.opts.Except}, ListIn{Limit: 20})
	if err != nil {
		return nil, err
	}
	return f.asResource(req.Params.URI, out), nil
}

// asResource frames an answer and makes it the text of a resource.
func (f *face) asResource(uri string, a answer) *sdk.ReadResourceResult {
	var fr frame.Frame
	fr.Close(a.quotes(), f.opts.Reveal)
	a.hid(fr.Redacted)
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: uri, MIMEType: "text/plain", Text: a.words()}}}
}

// withoutCredentials takes the credentials out of a text that is cut afterwards.
func withoutCredentials(s string) string {
	s, _ = redact.Text(s)
	return s
}
