package geminicli

import (
	"lore"
	"lore/adapter/kit"
)

// head is what a session says of itself beside its messages.
type head struct {
	found  bool // a record names the session
	native string
	other  string // a later record calls the session so
	hash   string // digest of the project's path
	folder string // the project's folder below tmp
	begun  lore.Time
	title  string
	titled lore.Time // when the title was set
	dirs   []string
	model  string
	child  bool
	parent string
}

// take takes in one member. It reports whether that said something new.
func (h *head) take(key string, v kit.Value) bool {
	switch key {
	case "sessionId":
		return h.session(v.String())
	case "projectHash":
		return set(&h.hash, v.String())
	case "summary":
		return v.String() != "" && replace(&h.title, v.String())
	case "startTime", "start_time":
		if t, ok := kit.ParseTime(v); ok && h.begun.IsZero() {
			h.begun = t
			return true
		}
	case "lastUpdated":
		if t, ok := kit.ParseTime(v); ok {
			h.titled = t
		}
	case "kind":
		if v.Is("subagent") && !h.child {
			h.child = true
			return true
		}
	case "directories":
		return h.folders(v)
	case "meta":
		return set(&h.model, v.Get("model").String())
	}
	return false
}

// session takes the id of the session. It stays what it was first, so that the conversation stays the same.
func (h *head) session(id string) bool {
	switch {
	case id == "":
		return false
	case h.native == "":
		h.native, h.found = id, true
		return true
	case id != h.native:
		h.other = id
	}
	h.found = true
	return false
}

func (h *head) folders(v kit.Value) bool {
	var dirs []string
	for d := range v.Items() {
		if s := d.String(); s != "" {
			dirs = append(dirs, s)
		}
	}
	if len(dirs) == 0 || len(dirs) == len(h.dirs) && dirs[len(dirs)-1] == h.dirs[len(dirs)-1] {
		return false
	}
	h.dirs = dirs
	return true
}

// set sets what was not known.
func set(field *string, s string) bool {
	if *field != "" || s == "" {
		return false
	}
	*field = s
	return true
}

// replace sets what may change.
func replace(field *string, s string) bool {
	if *field == s {
		return false
	}
	*field = s
	return true
}
