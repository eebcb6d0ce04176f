package service

import (
	"context"
	"errors"
	"strings"

	"lore"
	"lore/internal/archive"
	"lore/internal/index"
)

// HookRequest is what an agent tells when a session begins or a prompt is sent.
type HookRequest struct {
	Prompt  string // empty: a session begins
	Dir     string // the folder that the session is in
	Session string // the agent's id of the session, or the path of its transcript: left out
	Budget  int    // tokens; 0: RecallBudget
}

// HookResult is what may be added to the session: nothing where nothing is relevant.
type HookResult struct {
	Passages []Passage // for a prompt
	Recent   []Listed  // for a new session: the newest conversations in the same project
}

// A prompt with fewer words that mean something than this asks for nothing that could be looked for: "yes, go on".
const hookWords = 3

// hookShare is how much of a prompt a passage has to speak of to be put before somebody who has not asked for it.
const hookShare = 0.35

// recentListed is how many conversations a new session is told of.
const recentListed = 3

// Hook returns what is worth adding to a session. It never imports, since a person waits for it, and it says nothing
// rather than something doubtful.
func (s *Service) Hook(ctx context.Context, req HookRequest) (*HookResult, error) {
	res := &HookResult{}
	l, err := s.tryOpen(ctx)
	switch {
	case errors.Is(err, archive.ErrNone), errors.Is(err, index.ErrNone), errors.Is(err, index.ErrRebuild):
		return res, nil
	case err != nil:
		return nil, s.failure(err)
	}
	l.close()
	except := []string{}
	if req.Session != "" {
		except = append(except, req.Session)
	}
	if req.Prompt == "" {
		if req.Dir == "" {
			return res, nil
		}
		found, err := s.List(ctx, ListRequest{Query: "project:" + Quoted(req.Dir), Limit: 4 * recentListed, Except: except})
		if err != nil {
			return nil, err
		}
		for _, c := range found.Conversations {
			if c.Kind == lore.Main && c.UserMessages > 0 && len(res.Recent) < recentListed {
				res.Recent = append(res.Recent, c)
			}
		}
		return res, nil
	}
	if len(stemsOf(req.Prompt)) < hookWords || strings.HasPrefix(strings.TrimSpace(req.Prompt), "/") {
		return res, nil
	}
	found, err := s.Recall(ctx, RecallRequest{Task: req.Prompt, Budget: req.Budget, Except: except})
	if err != nil {
		return nil, err
	}
	if found.Relevant && found.share >= hookShare {
		res.Passages = found.Passages
	}
	return res, nil
}
