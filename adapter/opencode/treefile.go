package opencode

import (
	"errors"
	"io/fs"
	"slices"
	"strings"

	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// kind is what a file of a tree holds.
type kind uint8

const (
	noKind kind = iota
	sessionFile
	messageFile
	partFile
	diffFile
	projectFile
)

// kindOf tells by its path what a file holds, and the names of the folders that say whose it is: of a message its
// session, of a part its message.
func kindOf(name string) (k kind, owner string) {
	f := strings.Split(name, "/")
	slices.Reverse(f)
	up := func(n int) string {
		if n < len(f) {
			return f[n]
		}
		return ""
	}
	switch {
	case up(4) == "session" && up(3) == "part", up(2) == "part":
		return partFile, up(1)
	case up(2) == "message":
		return messageFile, up(1)
	case up(1) == "session_diff":
		return diffFile, ""
	case up(2) == "session":
		return sessionFile, ""
	case up(1) == "project":
		return projectFile, ""
	}
	return noKind, ""
}

// kindByShape tells what a document is by itself.
func kindByShape(v kit.Value) kind {
	text := func(key string) bool { return v.Get(key).String() != "" }
	switch {
	case !text("id"):
	case text("sessionID") && text("messageID") && text("type"):
		return partFile
	case text("sessionID") && text("role") && v.Get("time").IsObject():
		return messageFile
	case v.Get("time", "created").IsNumber() && v.Get("title").IsString() && (text("projectID") || text("directory")):
		return sessionFile
	}
	return noKind
}

// load reads one document. What is wrong with its bytes is the unit's state; an error is one of reading.
func (t *tree) load(name string, u *unit) error {
	u.id, u.at = stem(name), lore.Locator{File: t.in.Name(name)}
	doc, err := kit.Document(t.in, name, maxUnit)
	switch {
	case errors.Is(err, fs.ErrNotExist) && name != t.in.Source.Path:
		u.state = absent
		return nil
	case errors.Is(err, kit.ErrTooLarge):
		if info, err := fs.Stat(t.in.FS, name); err == nil {
			u.at.Length, u.size = info.Size(), info.Size()
		}
	case err != nil && !errors.Is(err, adapter.ErrMalformed):
		return err
	}
	if err != nil {
		u.judge(kit.Value{}, err)
		return nil
	}
	u.judge(doc.Value, nil)
	if id := u.value.Get("id").String(); id != "" {
		u.id = id
	}
	u.at.Length, u.size, u.losses = doc.Size, doc.Size, doc.Losses
	return nil
}
