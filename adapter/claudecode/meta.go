package claudecode

import (
	"lore"
	"lore/adapter"
	"lore/adapter/kit"
)

// metaEnd ends the name of the file that stands beside a sub-agent's transcript.
const metaEnd = ".meta.json"

// maxMeta bounds such a file, in bytes.
const maxMeta = 1 << 20

// readMetaAlone reads the file beside a sub-agent's transcript where a user names it alone: it says what kind of agent ran,
// and holds no conversation.
func readMetaAlone(in adapter.Input, out *sink) error {
	doc, err := kit.Document(in, in.Source.Path, maxMeta)
	if err != nil {
		return err
	}
	v := doc.Value
	if !v.Get("agentType").IsString() || v.Get("parentSessionId").Exists() {
		return adapter.ErrNotMine // other tools name such files alike
	}
	c := &lore.Conversation{Source: source, Store: storeProjects, Partial: true, Kind: lore.Subagent, Losses: doc.Losses}
	c.Ledger.Skip("agent-meta")
	c.Losses = append(c.Losses, lore.Loss{Code: lore.Empty, Severity: lore.Info, Source: source, File: in.Name(in.Source.Path),
		What: "it goes with a sub-agent's transcript", Count: 1})
	out.put(c)
	return nil
}
