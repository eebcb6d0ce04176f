package kimi

import (
	"path"
	"strings"
)

// fileKind says what a file is by its name.
type fileKind uint8

const (
	foreign      fileKind = iota
	log                   // wire.jsonl
	memory                // context.jsonl
	oldMemory             // context_N.jsonl: a memory that a compaction or a return has put aside
	formerMemory          // SESSION.jsonl: the memory of a session before sessions had folders
	state                 // state.json, metadata.json
)

// place is what the path of a file says about it.
type place struct {
	file    fileKind
	store   string
	session string
	agent   string // "main", or the agent's id
	hash    string // of the working folder (Kimi CLI)
	dir     string // the session's folder
}

// placeOf reads a path: sessions/HASH/SESSION/FILE and sessions/HASH/SESSION/subagents/AGENT/FILE of Kimi CLI,
// sessions/KEY/SESSION/agents/AGENT/FILE of Kimi Code.
func placeOf(p string) place {
	at := strings.Split(p, "/")
	i := len(at) - 1
	for i >= 0 && at[i] != sessionsDir {
		i--
	}
	if i < 0 {
		return place{}
	}
	at = at[i+1:]
	pl := place{store: storeCLI, agent: mainAgent}
	switch len(at) {
	case 2:
		stem, ok := strings.CutSuffix(at[1], ".jsonl")
		if !ok || !isHash(at[0]) {
			return place{}
		}
		pl.file, pl.hash, pl.session = formerMemory, at[0], stem
	case 3:
		pl.file, pl.hash, pl.session = kindOf(at[2]), at[0], at[1]
	case 5:
		pl.file, pl.hash, pl.session, pl.agent = kindOf(at[4]), at[0], at[1], at[3]
		switch {
		case at[2] == childrenDir:
		case at[2] == agentsDir && pl.file == log:
			pl.store = storeCode
		default:
			return place{}
		}
	default:
		return place{}
	}
	if pl.file == foreign {
		return place{}
	}
	pl.dir = path.Join(sessionsDir, pl.hash, pl.session)
	return pl
}

func kindOf(name string) fileKind {
	switch name {
	case wireFile:
		return log
	case contextFile:
		return memory
	case stateFile, oldState:
		return state
	}
	stem, ok := strings.CutSuffix(name, ".jsonl")
	if n, found := strings.CutPrefix(stem, "context_"); ok && found && n != "" && strings.Trim(n, "0123456789") == "" {
		return oldMemory
	}
	return foreign
}

// isHash reports whether a name has the form of the hash by which Kimi CLI names a working folder.
func isHash(s string) bool {
	return len(s) == 32 && strings.Trim(s, "0123456789abcdef") == ""
}

// isEvidence tells the files of sessions.
func isEvidence(p string) bool {
	pl := placeOf(p)
	return pl.file != foreign && (pl.file != state || path.Base(path.Dir(path.Dir(p))) != childrenDir)
}

// native returns the id of an agent's conversation.
func native(session, agent string) string {
	switch {
	case agent == mainAgent || agent == "":
		return session
	case session == "":
		return agent
	}
	return session + "/" + agent
}
