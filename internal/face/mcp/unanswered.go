package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"
)

// lastAnswers is how long answers are waited for once a client has said all that it has to say. Who pipes requests in closes
// its side at once, and would get none of them: the server behind drops what it is at when its input ends.
const lastAnswers = 30 * time.Second

// unanswered are the requests of a client that have no answer yet, by their ids.
type unanswered struct {
	mu   sync.Mutex
	ids  map[string]int
	done chan struct{} // closed when there is none any more; nil: nobody waits
}

// envelope is what tells requests, notifications and answers from each other.
type envelope struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		RequestID json.RawMessage `json:"requestId"`
	} `json:"params"`
}

// envelopes takes a line apart: one message, or a batch. What cannot be read is none.
func envelopes(line []byte) (all []envelope) {
	if bytes.HasPrefix(line, []byte("[")) {
		json.Unmarshal(line, &all)
		return all
	}
	var e envelope
	json.Unmarshal(line, &e) // params may be anything: what was read before them counts
	return []envelope{e}
}

// asked notes the requests of a line. One that the client takes back need not be answered.
func (u *unanswered) asked(line []byte) {
	for _, e := range envelopes(line) {
		switch {
		case e.Method == "notifications/cancelled":
			u.count(e.Params.RequestID, -1)
		case e.Method != "" && len(e.ID) > 0:
			u.count(e.ID, 1)
		}
	}
}

// answered notes the answers of a line.
func (u *unanswered) answered(line []byte) {
	for _, e := range envelopes(line) {
		if e.Method == "" {
			u.count(e.ID, -1)
		}
	}
}

func (u *unanswered) count(id json.RawMessage, by int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.ids == nil {
		u.ids = map[string]int{}
	}
	var value any // 1 and 1.0 are one id
	if json.Unmarshal(id, &value) != nil || value == nil {
		return
	}
	key := fmt.Sprintf("%T %v", value, value)
	if n := u.ids[key] + by; n > 0 {
		u.ids[key] = n
	} else {
		delete(u.ids, key)
	}
	if len(u.ids) == 0 && u.done != nil {
		close(u.done)
		u.done = nil
	}
}

// wait returns when every request is answered, or nobody waits for it any longer.
func (u *unanswered) wait(ctx context.Context) {
	u.mu.Lock()
	if len(u.ids) == 0 {
		u.mu.Unlock()
		return
	}
	done := make(chan struct{})
	u.done = done
	u.mu.Unlock()
	select {
	case <-done:
	case <-ctx.Done():
	case <-time.After(lastAnswers):
	}
}
