package service

import (
	"context"
	"os"
	"strings"

	"lore"
)

// ResumeRequest asks how an agent takes a conversation up again.
type ResumeRequest struct{ ID string }

// ResumeResult says it.
type ResumeResult struct {
	Schema   string   `json:"schema"` // "lore.resume.v1"
	ID       lore.ID  `json:"id"`
	ShortID  string   `json:"short_id"`
	Source   string   `json:"source"`
	NativeID string   `json:"native_id"`
	Title    string   `json:"title"`
	Command  []string `json:"command"`   // program and arguments
	Dir      string   `json:"directory"` // in which to run it; empty: any
	DirFound bool     `json:"directory_found"`
	InSource bool     `json:"in_source"` // false: the agent has deleted it, and will not find it
	CanPut   bool     `json:"can_put_back"`
}

// Resume returns the command by which an agent takes a conversation up again. A sub-agent's conversation goes on in the
// one that started it.
func (s *Service) Resume(ctx context.Context, req ResumeRequest) (*ResumeResult, error) {
	l, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	defer l.close()
	m, err := l.resolve(req.ID)
	if err != nil {
		return nil, s.failure(err)
	}
	e, err := l.index.Conversation(m.Conversation)
	if err != nil {
		return nil, s.failure(err)
	}
	c, err := e.Conversation()
	if err != nil {
		return nil, s.failure(err)
	}
	short := l.short([]lore.ID{c.ID})[0]
	if c.Kind == lore.Subagent {
		if c.Parent != nil && !c.Parent.ID.IsZero() {
			return nil, failf(Usage, nil, "%s is the conversation of a sub-agent; the one that started it can be resumed: `lore resume %s`", short, c.Parent.ID.Short())
		}
		return nil, failf(Usage, nil, "%s is the conversation of a sub-agent, which cannot be resumed by itself", short)
	}
	store := s.storeOf(c.Source, c.Store)
	if len(store.Resume) == 0 {
		return nil, failf(Usage, nil, "%s has no command that resumes a conversation of its store %q; `lore show %s` shows it", c.Source, c.Store, short)
	}
	if !plainID(c.Native) {
		return nil, failf(Usage, nil, "the id %q that %s gave the conversation %s is none that a command can be trusted with", c.Native, c.Source, short)
	}
	res := &ResumeResult{Schema: "lore.resume.v1", ID: c.ID, ShortID: short, Source: c.Source, NativeID: c.Native, Title: c.Title,
		Dir: c.Project.Dir, InSource: e.InSource, CanPut: store.PutBack}
	for _, word := range store.Resume {
		res.Command = append(res.Command, strings.ReplaceAll(word, "{id}", c.Native))
	}
	if info, err := os.Stat(c.Project.Dir); err == nil && info.IsDir() {
		res.DirFound = true
	}
	return res, nil
}

// plainID reports whether an id, which a file has told, is nothing but an id: no option and no word of a shell.
func plainID(id string) bool {
	for i := 0; i < len(id); i++ {
		c := id[i]
		if c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || i > 0 && (c == '-' || c == '.' || c == ':') {
			continue
		}
		return false
	}
	return id != ""
}
