package agents

import _ "embed"

// Skill teaches an agent when to search, how to cite and how to read on. It is the same for every agent.
//
//go:embed SKILL.md
var Skill string
