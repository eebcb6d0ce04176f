package lore

// Role says who speaks in a message.
type Role string

// The roles. User is only what a person said (in a sub-agent's conversation: what its caller said); System is injected
// context, notices, hook output and compaction summaries.
const (
	User      Role = "user"
	Assistant Role = "assistant"
	Tool      Role = "tool"
	System    Role = "system"
)

// PartKind says what a part of a message is.
type PartKind string

// The kinds of part. Unknown keeps, whole, a block that this version does not know.
const (
	Text     PartKind = "text"
	Thinking PartKind = "thinking"
	Call     PartKind = "call"
	Result   PartKind = "result"
	Image    PartKind = "image"
	File     PartKind = "file"
	Unknown  PartKind = "unknown"
)

// Part is one piece of a message. One flat struct is one JSON object.
type Part struct {
	Kind PartKind `json:"kind"`

	// Text is the words of a text, thinking or result; the input of a call exactly as the source wrote it (raw JSON,
	// or a plain string where the source holds one); for an image or file "sha256:" and the hex digest of the
	// embedded bytes, else the reference as written; the raw JSON of an unknown block.
	Text string `json:"text"`

	// Name is the tool's name for a call or a named result, the file's name for a file, the block's type for an
	// unknown part. Empty when the source names none.
	Name string `json:"name,omitempty"`

	// CallID links a result to its call, as the source wrote it. Empty when absent.
	CallID string `json:"call_id,omitempty"`

	// IsError is true when the source says that the call failed.
	IsError bool `json:"is_error,omitempty"`

	// MediaType is the MIME type of an image or file. Empty when unknown.
	MediaType string `json:"media_type,omitempty"`

	// Bytes is the decoded size of an embedded image or file, or the full size of a text that was cut (see Cut).
	Bytes int64 `json:"bytes,omitempty"`

	// Unreadable is true for thinking that the source holds only encrypted or signed: Text is then empty.
	Unreadable bool `json:"unreadable,omitempty"`

	// Cut is true when Text is only the head of what the evidence holds; a loss says where the rest is.
	Cut bool `json:"cut,omitempty"`
}

// Message is one turn of one role.
type Message struct {
	// ID is the located handle, ContentID the identity of what is said. Seal makes both; no adapter sets them.
	ID        ID `json:"id"`
	ContentID ID `json:"content_id"`

	// Short is what is shown of ID where 12 characters name several; empty: they are enough. It is set by whoever knows
	// which other ids there are.
	Short string `json:"-"`

	// Native is the source's own id of the message, under its conversation; empty when the source gives none.
	// Where a source shares an id between messages of several roles, the later one's is "ROLE:ID" (see Identity).
	Native string `json:"native_id,omitempty"`

	// Aliases are further ids by which the source names the message (of the lines that make up one answer, say). A fact
	// that another evidence tells may use one. They are no part of any identity.
	Aliases []string `json:"-"`

	// ParentNative is the native id of the message before this one on its branch; empty at a root or when unknown.
	// Parent is that message's id, set by Seal.
	ParentNative string `json:"-"`
	Parent       ID     `json:"parent"`

	Role Role `json:"role"`

	// At is when the message was written, AtFrom where that time comes from. Times are carried, never trusted for order.
	At     Time     `json:"at"`
	AtFrom TimeFrom `json:"at_from"`

	// Model is the model that wrote an assistant's message, as the source names it. Empty when unknown.
	Model string `json:"model,omitempty"`

	// Active is false for a message that was rewound, superseded, withdrawn, or that the newest evidence lacks.
	Active bool `json:"active"`

	// Subtype refines the role: "queued", "compaction", "notice", "context", "hook", "removed", ... Empty for plain speech.
	Subtype string `json:"subtype,omitempty"`

	Parts []Part `json:"parts"`

	// Usage is the tokens that this one answer took. Nil when the source does not say, or says it of another message.
	Usage *Usage `json:"usage,omitempty"`

	// Origins are the units that say this message, the first one first. At least one.
	Origins []Locator `json:"origins"`

	// Units is how many ledger units count as kept because of this message. Where a join finds that the message says
	// again what another evidence says, that many units move from kept to merged.
	Units int `json:"-"`
}

// Kind says what sort of conversation it is.
type Kind string

// The kinds of conversation: a person's own, one that another conversation started, one that a program started.
const (
	Main       Kind = "main"
	Subagent   Kind = "subagent"
	Automation Kind = "automation"
)

// Project is where a conversation took place, as the source recorded it; the folder need not exist any more.
type Project struct {
	Dir    string `json:"dir,omitempty"`    // absolute path or URI path, as recorded
	Name   string `json:"name,omitempty"`   // last element of Dir unless the source names it
	Branch string `json:"branch,omitempty"` // branch of the newest message that names one
	Remote string `json:"remote,omitempty"` // repository address
}

// Parent names the conversation that started this one.
type Parent struct {
	Native string `json:"-"`                     // native id of that conversation, in the same source
	ID     ID     `json:"conversation,omitzero"` // set by Seal
	Call   string `json:"call,omitempty"`        // id of the call that started it; empty when unknown
}

// LineageKind says how a conversation continues another.
type LineageKind string

// The kinds of lineage.
const (
	Fork         LineageKind = "fork"
	Continuation LineageKind = "continuation"
)

// Lineage says that a conversation begins with messages of another.
type Lineage struct {
	Kind     LineageKind `json:"kind"`
	OfNative string      `json:"-"`               // native id of the other, in the same source
	Of       ID          `json:"of"`              // set by Seal
	Shared   int         `json:"shared_messages"` // how many messages both hold
}

// TitleFrom says where a title comes from.
type TitleFrom string

// Where a title comes from.
const (
	TitleFromSource TitleFrom = "source"
	TitleFromPrompt TitleFrom = "first_prompt"
	TitleFromNone   TitleFrom = "none"
)

// Usage is a count of tokens. A field is 0 when the source does not say it.
type Usage struct {
	Input      int64 `json:"input_tokens"`
	Output     int64 `json:"output_tokens"`
	CacheRead  int64 `json:"cache_read_tokens"`
	CacheWrite int64 `json:"cache_write_tokens"`
}

// Conversation is the record of one conversation, computed from one or more evidences.
//
// An adapter yields one Conversation for each that an evidence speaks of. One above the size bound is yielded in
// consecutive pieces: the same Source, Store and Native, each but the last with More set; Messages of a piece follow
// those of the piece before, header facts of the last piece win. A message is yielded as it is in the end (active,
// usage): a look at the structure comes before the bodies are read.
type Conversation struct {
	ID          ID     `json:"id"`           // set by Seal
	ContentHash ID     `json:"content_hash"` // set by Seal
	Source      string `json:"source"`       // frozen product name, e.g. "claude-code"
	Store       string `json:"store"`        // frozen store name, e.g. "projects"

	// Native is the source's stable id of the conversation. When it is empty, Place anchors a flat list
	// (home-collapsed path); when both are empty the content id of the first message does.
	Native string `json:"native_id,omitempty"`
	Place  string `json:"-"`

	Title     string    `json:"title,omitempty"`
	TitleFrom TitleFrom `json:"title_from"`
	TitleAt   Time      `json:"-"` // when the source set the title: the newest of several wins; absent sorts first
	Project   Project   `json:"project"`
	StartedAt Time      `json:"started_at"` // first message with a time; set by Seal unless the adapter knows better
	EndedAt   Time      `json:"ended_at"`   // last message with a time; set by Seal

	MessageCount int      `json:"messages"`      // all roles, active or not; set by Seal
	UserMessages int      `json:"user_messages"` // active messages of role user; set by Seal
	Models       []string `json:"models"`        // in order of first use; set by Seal

	Kind     Kind     `json:"kind"`
	Parent   *Parent  `json:"parent,omitempty"`
	Lineage  *Lineage `json:"lineage,omitempty"`
	Usage    *Usage   `json:"usage,omitempty"` // sum over messages that are not copies; set by Seal unless the adapter knows better
	Archived bool     `json:"archived"`        // the source tool has put it into its own archive

	Messages []Message `json:"-"`
	Ledger   Ledger    `json:"-"`
	Losses   []Loss    `json:"-"`

	// Partial is true for a record that only adds facts (a title, losses, ledger counts) to a conversation that another
	// evidence holds. It never makes a conversation. It names that conversation by Native, or by About, the native id
	// of one of its messages; with neither it speaks of the evidence itself.
	Partial bool   `json:"-"`
	About   string `json:"-"`

	// Beside marks a list of typed prompts that does not say in which chats they were typed; it is nil for all else. A
	// prompt that a chat of the same project says too, or a chat that Beside names by native id, is merged: it is told
	// once, where it was answered.
	Beside []string `json:"-"`

	// More is true when further pieces of this record follow.
	More bool `json:"-"`
}
