package opencode

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// tree is one evidence of a tree: a session with all that belongs to it, or what is left of one.
type tree struct {
	in       adapter.Input
	ctx      context.Context
	main     string // its file; empty when it is not there
	messages []string
	parts    map[string][]string // by folder
	rest     []string            // diffs
}

// readTree reads an evidence of files.
func readTree(ctx context.Context, in adapter.Input, trusted bool, yield yielder) error {
	t := &tree{in: in, ctx: ctx, parts: map[string][]string{}}
	for _, name := range append([]string{in.Source.Path}, in.Source.Companions...) {
		k, owner := kindOf(name)
		if name == in.Source.Path && (!trusted || k == noKind) {
			var err error
			if k, err = t.sniff(trusted); err != nil {
				return err
			}
		}
		switch k {
		case sessionFile:
			t.main = name
		case messageFile:
			t.messages = append(t.messages, name)
		case partFile:
			t.parts[owner] = append(t.parts[owner], name)
		case projectFile, diffFile:
			t.rest = append(t.rest, name)
		}
	}
	return t.read(yield)
}

// sniff tells what a file is that a user named.
func (t *tree) sniff(trusted bool) (kind, error) {
	doc, err := kit.Document(t.in, t.in.Source.Path, maxUnit)
	switch {
	case errors.Is(err, adapter.ErrMalformed) && trusted:
		return noKind, err
	case errors.Is(err, adapter.ErrMalformed), errors.Is(err, kit.ErrTooLarge):
		return noKind, adapter.ErrNotMine
	case err != nil:
		return noKind, err
	}
	if k := kindByShape(doc.Value); k != noKind {
		return k, nil
	}
	return noKind, adapter.ErrNotMine
}

// read reads the session, then its messages, then makes the record.
func (t *tree) read(yield yielder) error {
	var head unit
	if t.main != "" {
		if err := t.load(t.main, &head); err != nil {
			return err
		}
	}
	list, err := t.list()
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return t.wordless(&head, yield)
	}
	if (t.main == "" || head.state != good) && !t.anyGood(list) {
		return fmt.Errorf("%w: no file of the session can be read", adapter.ErrMalformed)
	}
	s := sessionOf(head.value)
	if s.id == "" {
		s.id = t.nameOf(list)
	}
	talk := begin(t.in, s, yield)
	switch {
	case t.main == "" && len(t.messages) == 0: // what is missing is the message, which is told of each
	case t.main == "":
		talk.lost.one(lore.MissingParent, lore.Warning, talk.place(), "the session of these messages is not there")
	default:
		talk.account(&head, "session")
		talk.headed = head.state == good
		if head.state == good && s.id != stem(t.main) {
			talk.lost.one(lore.IDMismatch, lore.Info, head.at, "session "+kit.Clip(s.id))
		}
	}
	if err := t.others(talk); err != nil {
		return err
	}
	if err := talk.messages(list, t.partsOf); err != nil {
		return err
	}
	return talk.end()
}

// list reads the messages, without their parts, and makes one of each folder of parts that has none.
func (t *tree) list() ([]message, error) {
	var list []message
	taken := map[string]bool{}
	for _, name := range t.messages {
		if err := t.ctx.Err(); err != nil {
			return nil, err
		}
		m := message{there: true}
		if err := t.load(name, &m.unit); err != nil {
			return nil, err
		}
		if m.unit.state == absent {
			continue
		}
		m.read(m.unit.value)
		m.id, m.order = m.unit.id, m.time
		m.unit.value = kit.Value{}
		for _, folder := range []string{m.id, stem(name)} {
			if t.parts[folder] != nil && !taken[folder] {
				m.folder, taken[folder] = folder, true
				break
			}
		}
		list = append(list, m)
	}
	for _, folder := range sorted(t.parts) {
		if taken[folder] {
			continue
		}
		m := message{id: folder, folder: folder}
		var u unit
		if err := t.load(t.parts[folder][0], &u); err != nil {
			return nil, err
		}
		if folder == "" {
			m.id = u.value.Get("messageID").String()
		}
		m.order = partTime(u.value, lore.Time{})
		list = append(list, m)
	}
	return list, nil
}

// nameOf returns the id of a session that does not say it: as its file, or the folder of its messages, is named, or as
// its messages or parts name it.
func (t *tree) nameOf(list []message) string {
	if t.main != "" {
		return stem(t.main)
	}
	for _, name := range t.messages {
		if k, owner := kindOf(name); k == messageFile {
			return owner
		}
	}
	for _, name := range t.files() {
		var u unit
		if err := t.load(name, &u); err == nil {
			if id := u.value.Get("sessionID").String(); id != "" {
				return id
			}
		}
	}
	return ""
}

// files are the messages and then the parts.
func (t *tree) files() []string {
	all := slices.Clone(t.messages)
	for _, folder := range sorted(t.parts) {
		all = append(all, t.parts[folder]...)
	}
	return all
}

// anyGood reports whether a message or part can be read.
func (t *tree) anyGood(list []message) bool {
	return slices.ContainsFunc(t.files(), func(name string) bool {
		var u unit
		return t.load(name, &u) == nil && u.state == good
	})
}

// wordless yields what is to be said of a session without messages, or of a file that belongs to none.
func (t *tree) wordless(head *unit, yield yielder) error {
	if head.state == damaged {
		return fmt.Errorf("%w: %s", adapter.ErrMalformed, head.what)
	}
	talk := begin(t.in, session{}, yield)
	if t.main != "" {
		talk.noWords(head)
	}
	if err := t.others(talk); err != nil {
		return err
	}
	c := facts(t.in)
	c.Ledger, c.Losses = talk.ledger, talk.lost.list
	if !yield(c, nil) {
		return kit.ErrStopped
	}
	return nil
}

// others counts the files that are no conversation.
func (t *tree) others(talk *talk) error {
	for _, name := range t.rest {
		var u unit
		if err := t.load(name, &u); err != nil {
			return err
		}
		typ := path.Base(path.Dir(name))
		switch {
		case u.state == damaged && name == t.in.Source.Path:
			return fmt.Errorf("%w: %s", adapter.ErrMalformed, u.what)
		case u.state == damaged && u.what != notObject:
			talk.account(&u, typ)
		case u.state != absent:
			talk.lost.list = append(talk.lost.list, u.losses...)
			talk.ledger.Skip(typ)
		}
	}
	return nil
}

// partsOf reads the parts of a message in the order of their ids.
func (t *tree) partsOf(m *message) parts {
	return func(yield func(*unit, error) bool) {
		if m.folder == "" && m.there {
			return
		}
		names := t.parts[m.folder]
		slices.SortFunc(names, func(a, b string) int { return strings.Compare(stem(a), stem(b)) })
		for _, name := range names {
			var u unit
			err := t.load(name, &u)
			if err == nil {
				err = t.ctx.Err()
			}
			if !yield(&u, err) || err != nil {
				return
			}
		}
	}
}
