// Package all is the one list of the adapters that the program has. It knows nothing else.
package all

import (
	"lore/adapter"
	"lore/adapter/aider"
	"lore/adapter/antigravity"
	"lore/adapter/chatexport"
	"lore/adapter/claudecode"
	"lore/adapter/cline"
	"lore/adapter/codex"
	"lore/adapter/continuedev"
	"lore/adapter/copilot"
	"lore/adapter/copilotcli"
	"lore/adapter/crush"
	"lore/adapter/cursor"
	"lore/adapter/geminicli"
	"lore/adapter/goose"
	"lore/adapter/grok"
	"lore/adapter/kimi"
	"lore/adapter/notes"
	"lore/adapter/opencode"
	"lore/adapter/pi"
	"lore/adapter/qwencode"
	"lore/adapter/trae"
)

// Adapters returns every adapter, in the order in which people see them. No two have one name or read one store.
func Adapters() []adapter.Adapter {
	return []adapter.Adapter{
		aider.New(),
		antigravity.New(),
		chatexport.New(),
		claudecode.New(),
		cline.New(),
		codex.New(),
		continuedev.New(),
		copilot.New(),
		copilotcli.New(),
		cursor.New(),
		geminicli.New(),
		grok.New(),
		opencode.New(),
		goose.New(),
		crush.New(),
		pi.New(),
		qwencode.New(),
		trae.New(),
		kimi.New(),
		notes.New(),
	}
}
