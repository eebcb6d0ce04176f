package service

import "lore"

// Header is what every surface shows of a conversation, besides its messages.
type Header struct {
	ID          lore.ID        `json:"id"`
	ShortID     string         `json:"short_id"`
	ContentHash lore.ID        `json:"content_hash"`
	Source      string         `json:"source"`
	Store       string         `json:"store"`
	NativeID    string         `json:"native_id,omitempty"`
	Title       string         `json:"title"`
	TitleFrom   lore.TitleFrom `json:"title_from"`
	Project     lore.Project   `json:"project"`
	StartedAt   lore.Time      `json:"started_at"`
	EndedAt     lore.Time      `json:"ended_at"`

	UserMessages int           `json:"user_messages"`
	Models       []string      `json:"models"`
	Kind         lore.Kind     `json:"kind"`
	Parent       *lore.Parent  `json:"parent,omitempty"`
	Lineage      *lore.Lineage `json:"lineage,omitempty"`
	Usage        *lore.Usage   `json:"usage,omitempty"`
	Archived     bool          `json:"archived"`
	InSource     bool          `json:"in_source"`
	Marks        []Mark        `json:"marks"` // on it and on its messages, in the order in which they were put on
}

// Listed is a conversation in a list: the header, the number of messages and the number of losses.
type Listed struct {
	Header
	Messages int `json:"messages"`
	Losses   int `json:"losses"`
}

// Shown is a conversation with everything in it.
type Shown struct {
	Schema string `json:"schema"` // "lore.conversation.v1"
	Header
	Messages []lore.Message `json:"messages"`
	Losses   []lore.Loss    `json:"losses"`
	Ledger   lore.Ledger    `json:"ledger"` // its counts; the types are in Types

	// Types counts skipped and unknown units by "skipped:TYPE" and "unknown:TYPE".
	Types map[string]int `json:"unit_types,omitempty"`
}
