package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"lore"
	"lore/internal/frame"
	"lore/internal/service"
)

// answer is the result of a tool: the struct that becomes its structured content, with its quotes not framed yet.
type answer interface {
	quotes() []*frame.Quoted // every text of a transcript in it
	words() string           // the answer as text, once the quotes are framed
	hid(n int)               // told how many credentials were taken out
}

// noted is what an answer says besides: kept in one place so that every answer says it alike.
type noted struct {
	Note string `json:"note,omitempty" jsonschema:"what is worth knowing about this answer"`
}

func (n *noted) hid(count int) {
	if count > 0 {
		n.note(fmt.Sprintf("%d credentials are redacted", count))
	}
}

func (n *noted) note(s string) {
	if n.Note != "" {
		n.Note += "; "
	}
	n.Note += s
}

// line returns the note as a line of text; empty when there is none.
func (n *noted) line() string {
	if n.Note == "" {
		return ""
	}
	return n.Note + "\n"
}

// call is what a tool's function is given besides its arguments.
type call struct {
	*face
	except []string // conversations that the caller says are its own
	client string   // name of the program that calls; empty when it does not say
}

// add offers a tool. Its schemas come from In and Out.
func add[In any, Out any, PtrOut interface {
	*Out
	answer
}](f *face, s *sdk.Server, t *sdk.Tool, run func(context.Context, *call, In) (PtrOut, error)) {
	sdk.AddTool(s, t, func(ctx context.Context, req *sdk.CallToolRequest, in In) (*sdk.CallToolResult, PtrOut, error) {
		c := &call{face: f, except: f.opts.Except}
		if info := req.ClientInfo(); info != nil {
			c.client = oneLine(info.Name, 40)
		}
		if id := sessionOf(req); id != "" {
			c.except = append(c.except[:len(c.except):len(c.except)], id)
		}
		out, err := run(ctx, c, in)
		if err != nil {
			return nil, nil, toolError(err, f.opts.Reveal)
		}
		var fr frame.Frame
		fr.Close(out.quotes(), f.opts.Reveal)
		out.hid(fr.Redacted)
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: out.words()}}}, out, nil
	})
}

// own adds the session that an argument names to those that are left out.
func (c *call) own(session string) []string {
	if session == "" {
		return c.except
	}
	return append(c.except[:len(c.except):len(c.except)], session)
}

// sessionOf returns the session that a client says the call is from, in the metadata that clients send with a call.
func sessionOf(req *sdk.CallToolRequest) string {
	if req == nil || req.Params == nil {
		return ""
	}
	for _, key := range []string{"sessionId", "session_id", "threadId", "thread_id", "conversationId"} {
		if id, ok := req.Params.Meta[key].(string); ok && id != "" && len(id) <= mostID {
			return id
		}
	}
	return ""
}

// The bounds of arguments, in bytes.
const (
	mostID    = 1024
	mostQuery = 4096
	mostTask  = 64 << 10
)

// bounded refuses an argument that is too long, without repeating it.
func bounded(name, value string, most int) error {
	if len(value) <= most {
		return nil
	}
	return fmt.Errorf("%s has %d bytes; give at most %d", name, len(value), most)
}

// toolError returns an error as the caller of a tool is told it: one line, and what an ambiguous id may mean.
func toolError(err error, reveal bool) error {
	var f *service.Failure
	if !errors.As(err, &f) || len(f.Candidates) == 0 {
		return err
	}
	const most = 8
	var b strings.Builder
	b.WriteString(f.Message)
	titles := make([]string, min(len(f.Candidates), most))
	var quotes []*frame.Quoted
	for i := range titles {
		titles[i] = oneLine(f.Candidates[i].Title, 60)
		quotes = append(quotes, &titles[i])
	}
	new(frame.Frame).Close(quotes, reveal)
	for i := range titles {
		c := &f.Candidates[i]
		fmt.Fprintf(&b, "\n%s %s %s %s", c.ShortID, c.Kind, c.Source, titles[i])
	}
	if more := len(f.Candidates) - most; more > 0 {
		fmt.Fprintf(&b, "\nand %d more", more)
	}
	return errors.New(b.String())
}

// bareID takes the address of a resource for the id in it.
func bareID(id string) string {
	return strings.TrimPrefix(strings.TrimPrefix(id, conversationURI), messageURI)
}

// from says where something is from in words that are lore's own: the source and the day.
func from(source string, at lore.Time, more ...string) string {
	parts := []string{source}
	if !at.IsZero() {
		parts = append(parts, at.String()[:len("2006-01-02")])
	}
	return strings.Join(append(parts, more...), " ")
}

// named puts the name of a project before a quote.
func named(p lore.Project, s string) frame.Quoted {
	name := p.Name
	if name == "" {
		name = p.Dir
	}
	if name == "" {
		return s
	}
	return "(" + oneLine(name, 60) + ") " + s
}

// oneLine folds white space and keeps at most some characters.
func oneLine(s string, most int) string {
	s = strings.Join(strings.Fields(s), " ")
	n := 0
	for i := range s {
		if n == most {
			return s[:i] + "…"
		}
		n++
	}
	return s
}

// next returns a cursor, empty on the last page.
func next(c *string) string {
	if c == nil {
		return ""
	}
	return *c
}

// moreLine tells of a further page.
func moreLine(cursor string) string {
	if cursor == "" {
		return ""
	}
	return "more: cursor " + cursor + "\n"
}

// readOnly are the hints of a tool that changes nothing and reaches nothing outside the machine.
func readOnly(title string) *sdk.ToolAnnotations {
	no := false
	return &sdk.ToolAnnotations{Title: title, ReadOnlyHint: true, IdempotentHint: true, DestructiveHint: &no, OpenWorldHint: &no}
}

// adding are the hints of a tool that adds to what lore keeps and takes nothing away for good.
func adding(title string, idempotent bool) *sdk.ToolAnnotations {
	no := false
	return &sdk.ToolAnnotations{Title: title, IdempotentHint: idempotent, DestructiveHint: &no, OpenWorldHint: &no}
}
