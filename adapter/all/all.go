// Package all is the one list of the adapters that the program has. It knows nothing else.
package all

import (
	"fmt"

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
	"lore/adapter/opencode"
	"lore/adapter/pi"
	"lore/adapter/qwencode"
	"lore/adapter/trae"
)

// Adapters returns every adapter, in the order in which people see them. Two that claim one name, or one store, are an
// error that names both.
func Adapters() ([]adapter.Adapter, error) {
	list := []adapter.Adapter{
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
	}
	return list, distinct(list)
}

func distinct(list []adapter.Adapter) error {
	names := map[string]int{}
	stores := map[string]string{}
	for i, a := range list {
		info := a.Info()
		if first, taken := names[info.Name]; taken {
			return fmt.Errorf("adapters %d and %d of the list are both named %q", first, i, info.Name)
		}
		names[info.Name] = i
		for _, s := range info.Stores {
			key := s.Source + " " + s.Name
			if other, taken := stores[key]; taken {
				return fmt.Errorf("adapters %q and %q both read the store %q of %q", other, info.Name, s.Name, s.Source)
			}
			stores[key] = info.Name
		}
	}
	return nil
}
