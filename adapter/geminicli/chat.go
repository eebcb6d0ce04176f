package geminicli

import (
	"context"
	"fmt"
	"path"
	"strings"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// kind is what sort of message a record is.
type kind uint8

const (
	kindUser   kind = iota + 1 // words of a person, injected context, or a tool's answer: its parts tell
	kindModel                  // what the model wrote
	kindNotice                 // info, warning, error
)

// kindOf tells what sort of message a record is, by its type, in a saved chat by its role. 0: unknown.
func kindOf(v kit.Value) (kind, string) {
	typ := v.Get("type")
	if !typ.IsString() {
		typ = v.Get("role")
	}
	switch name := typ.String(); name {
	case "user", "function", "tool":
		return kindUser, name
	case "gemini", "model", "assistant":
		return kindModel, name
	case "info", "warning", "error":
		return kindNotice, name
	default:
		return 0, name
	}
}

// chat is one session, or one saved chat, while it is read: the first pass fills it, the second makes messages of it.
type chat struct {
	in   adapter.Input
	main *file
	twin *file // the document that the log was made from; nil: none
	head head
	told []string // what the tool says beside the session of where its project is; nil: not looked yet
	replay
	ledger lore.Ledger
	losses losses

	found   int            // messages taken in
	speaks  bool           // one of them is a person's, the model's or a tool's
	notices map[string]int // messages that are notices, by type
}

// readChat reads a session or a saved chat; trusted: it stands where only the tool writes.
func readChat(ctx context.Context, in adapter.Input, f *file, s shape, trusted bool, yield yielder) error {
	c := &chat{in: in, main: f, notices: map[string]int{}}
	if s != shapeLog {
		return c.run(ctx, c.readDocument(ctx, f, false), yield)
	}
	twin, err := openTwin(in)
	if err != nil {
		return err
	}
	defer twin.close()
	if twin != nil && !sameSession(in, twin) { // not what it seems: a session of its own
		other := &chat{in: in, main: twin, notices: map[string]int{}}
		if err := other.run(ctx, other.readDocument(ctx, twin, false), yield); err != nil {
			return err
		}
		twin.close()
		twin = nil
	}
	if c.twin = twin; twin != nil {
		if err := c.readDocument(ctx, twin, true); err != nil {
			return err
		}
	}
	return c.run(ctx, c.readLog(ctx, trusted), yield)
}

// openTwin opens the document beside a log, if Find has named one.
func openTwin(in adapter.Input) (*file, error) {
	name := strings.TrimSuffix(in.Source.Path, "l")
	for _, c := range in.Source.Companions {
		if c == name {
			return openFile(in, name)
		}
	}
	return nil, nil
}

// sameSession reports whether a log and the document beside it do not name different sessions.
func sameSession(in adapter.Input, twin *file) bool {
	l, err := layOut(twin)
	s, named := l.head["sessionId"]
	if err != nil || !named {
		return true
	}
	v, err := twin.value(s.off, s.len)
	lines, err2 := kit.OpenLines(in, in.Source.Path, kit.Options{TopKeys: topKeys})
	if err != nil || err2 != nil {
		return true
	}
	defer lines.Close()
	for r := range lines.All() {
		if id := r.Value.Get("sessionId"); id.IsString() && !r.Value.Get("id").IsString() {
			return id.String() == v.String()
		}
		if lines.Good() >= sniffed {
			break
		}
	}
	return true
}

// message reports whether a record makes a message, and notes of which kind. One of an unknown type is counted.
func (c *chat) message(f *file, v kit.Value, at *ref) bool {
	k, name := kindOf(v)
	switch {
	case !v.IsObject():
		c.unknown(f, *at, "message that is no object")
		return false
	case k == 0 && name == "":
		c.unknown(f, *at, "message without type")
		return false
	case k == 0:
		c.unknown(f, *at, clip(name))
		return false
	}
	at.kind = k
	c.found++
	if k == kindNotice {
		c.notices[name]++
	}
	c.speaks = c.speaks || k == kindModel || k == kindUser && !isContext(v)
	return true
}

// unknown counts a unit of a type that this version does not know.
func (c *chat) unknown(f *file, at ref, name string) {
	c.ledger.Meet(name)
	c.losses.more(f, lore.UnknownRecord, lore.Info, int(at.line), "type "+name, 1)
}

// run ends the first pass, whose error it is given, and begins the second.
func (c *chat) run(ctx context.Context, err error, yield yielder) error {
	if err != nil && c.ledger.Units == 0 {
		return err
	}
	if err != nil { // what was lost is told, then why
		if !yield(c.account(), nil) {
			return errStopped
		}
		return err
	}
	c.place()
	if !c.speaks {
		return c.silent(yield)
	}
	e := &emitter{chat: c, ctx: ctx, yield: yield}
	return e.run()
}

// account is a record that only says what became of the units.
func (c *chat) account() *lore.Conversation {
	return &lore.Conversation{Source: c.in.Source.Product, Store: c.in.Source.Store, Partial: true, Ledger: c.ledger, Losses: c.losses.list}
}

// silent yields what is to be said of a session in which nobody spoke: it makes no conversation. What was typed in it, if
// anything, is in the log of prompts, which this tells where it belongs.
func (c *chat) silent(yield yielder) error {
	rest := c.found
	for name, n := range c.notices {
		for range n {
			c.ledger.Skip(name)
		}
		rest -= n
	}
	for range rest {
		c.ledger.Skip("context")
	}
	what := "no messages"
	if c.found > 0 {
		what = fmt.Sprintf("nobody speaks in %d messages", c.found)
	}
	if c.ledger.Damaged == 0 {
		c.losses.one(c.main, lore.Empty, lore.Info, 0, what)
	}
	p := c.account()
	if c.found > 0 {
		p.Native = c.head.native
		p.Project = c.project(nil)
	}
	if !yield(p, nil) {
		return errStopped
	}
	return nil
}

// place takes from the file's path what the file does not say itself, and says where the two differ.
func (c *chat) place() {
	h, where := &c.head, whereIs(c.in)
	h.folder = where.project
	if where.parent != "" {
		h.parent, h.child = where.parent, true
		if h.native == "" {
			h.native = where.stem
		}
	}
	if c.in.Source.Store == storeChats && strings.HasSuffix(c.in.Source.Path, ".jsonl") && !h.found && c.found > 0 && c.ledger.Damaged == 0 {
		c.losses.one(c.main, lore.MissingHeader, lore.Info, 0, "no record names the session")
	}
	if other := h.other; other != "" {
		c.losses.one(c.main, lore.IDMismatch, lore.Info, 0, "begins as session "+h.native+" and is called "+other+" later")
	}
}

// position is what a file's path says of it.
type position struct {
	project string // the folder below tmp: a digest of the project's path, or a short name
	parent  string // the session that started this one
	stem    string
}

// whereIs reads the path of an evidence: tmp/PROJECT/chats/[PARENT/]NAME, or tmp/PROJECT/NAME.
func whereIs(in adapter.Input) position {
	parts := strings.Split(in.Name(in.Source.Path), "/")
	base := parts[len(parts)-1]
	pos := position{stem: strings.TrimSuffix(base, path.Ext(base))}
	for i := len(parts) - 2; i > 0; i-- {
		if parts[i] != chatsDir {
			continue
		}
		pos.project = parts[i-1]
		if n := len(parts) - 2; n > i {
			pos.parent = parts[n]
		}
		return pos
	}
	if n := len(parts); n >= 3 && parts[n-3] == tmpDir {
		pos.project = parts[n-2]
	}
	return pos
}
