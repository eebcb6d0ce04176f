package service

import "lore"

// ImportRequest asks for an import.
type ImportRequest struct {
	Paths    []string // files, folders or export zips to read instead of looking for sources; empty: look
	Verify   bool     // read and hash also what seems unchanged
	Reindex  bool     // build the index anew from the archive
	Progress func(Progress)
}

// Progress is how far an import is. It is told at most some times a second.
type Progress struct {
	Stage             string // "finding", "reading", "indexing"
	Files, FilesTotal int
	Bytes, BytesTotal int64
	Conversations     int
}

// ImportResult is the report of an import.
type ImportResult struct {
	Schema        string         `json:"schema"` // "lore.import.v1"
	ElapsedMS     int64          `json:"elapsed_ms"`
	BytesRead     int64          `json:"bytes_read"`
	Sources       []SourceReport `json:"sources"`
	Conversations ImportCounts   `json:"conversations"`
	Losses        []lore.Loss    `json:"losses"`
	Failures      []Fault        `json:"failures"`

	Bundles []ImportedBundle `json:"bundles,omitempty"` // that were named

	Found bool `json:"-"` // at least one source exists on this machine, or was named
}

// SourceReport counts one source's evidences and conversations in one import.
type SourceReport struct {
	Source        string `json:"source"`
	Found         int    `json:"found"`     // evidences found
	Read          int    `json:"read"`      // new or changed ones that were read
	Unchanged     int    `json:"unchanged"` // evidences that were not read
	Failed        int    `json:"failed"`    // evidences, or places, that could not be read
	Excluded      int    `json:"excluded"`  // evidences, or places, that the configuration leaves out
	Conversations int    `json:"conversations"`
	Messages      int    `json:"messages"`
}

// ImportCounts counts conversations after an import.
type ImportCounts struct {
	Total     int `json:"total"`
	New       int `json:"new"`
	Changed   int `json:"changed"`
	Unchanged int `json:"unchanged"`
	Kept      int `json:"kept_after_source_deletion"`
}

// Fault is evidence, or a place, that could not be read at all.
type Fault struct {
	Source string `json:"source"`
	File   string `json:"file"`
	Error  string `json:"error"`
}

// SearchRequest asks a question.
type SearchRequest struct {
	Query  string
	Limit  int    // 0: all
	Cursor string // the Next of the page before; empty: the first page
	All    bool   // every hit of a conversation, not only the best
	Sort   string // "relevance" (default), "newest", "oldest"

	Facets []string // what all messages that answer are counted by, see FacetNames; none: they are not counted

	Explain bool // say of every hit what its score is made of

	// Except names conversations that are left out, such as the one that asks: by id, the beginning of one, the source's
	// own id, or the path of the transcript.
	Except []string
}

// SearchResult answers it.
type SearchResult struct {
	Schema       string    `json:"schema"` // "lore.search.v1"
	Query        QueryEcho `json:"query"`
	ElapsedMS    int64     `json:"elapsed_ms"`
	Total        int       `json:"total"`
	TotalIsExact bool      `json:"total_is_exact"`
	Coverage     Coverage  `json:"coverage"`
	Hits         []Hit     `json:"hits"`

	Facets   *FacetCounts `json:"facets,omitempty"`
	Warnings []Warning    `json:"warnings"`
	Next     *string      `json:"next"`

	Stale bool `json:"-"` // the last import is over ten minutes old
}

// QueryEcho is the query as it was typed and as it was understood.
type QueryEcho struct {
	Text   string `json:"text"`
	Parsed string `json:"parsed"`
}

// Coverage says what was searched.
type Coverage struct {
	Conversations int       `json:"conversations"`
	Searched      int       `json:"searched"`
	AsOf          lore.Time `json:"as_of"`
	State         string    `json:"state"` // "complete" or "partial"
}

// Hit is one message that was found.
type Hit struct {
	ID                 lore.ID       `json:"id"`
	ShortID            string        `json:"short_id"`
	ContentID          lore.ID       `json:"content_id"`
	Conversation       HitOf         `json:"conversation"`
	Role               lore.Role     `json:"role"`
	At                 lore.Time     `json:"at"`
	Active             bool          `json:"active"`
	Kind               lore.PartKind `json:"kind"`
	Score              float64       `json:"score"`
	Why                *Why          `json:"why,omitempty"` // only where it was asked for
	Tier               string        `json:"tier"`
	Snippet            string        `json:"snippet"`
	Ranges             [][2]int      `json:"ranges"`
	AlsoIn             []Copy        `json:"also_in"`
	MoreInConversation int           `json:"more_in_conversation"`
	Origin             lore.Locator  `json:"origin"`
	Marks              []Mark        `json:"marks"` // on the message, and on its conversation
}

// Why is what a score is made of; docs/RANKING.md tells the parts.
type Why struct {
	Parts []ScorePart `json:"parts"` // together they are the score
	Words []ScoreWord `json:"words"`
}

// ScorePart is one part of a score.
type ScorePart struct {
	Part  string  `json:"part"`
	Score float64 `json:"score"`
}

// ScoreWord is a word that hits are ranked by.
type ScoreWord struct {
	Word   string  `json:"word"`
	Weight float64 `json:"weight"` // the rarer, the more
	Score  float64 `json:"score"`  // 0 in the loosest tier, which does not score words one by one
	Found  bool    `json:"found"`
}

// HitOf is the conversation of a hit.
type HitOf struct {
	ID       lore.ID      `json:"id"`
	ShortID  string       `json:"short_id"`
	NativeID string       `json:"native_id,omitempty"`
	Title    string       `json:"title"`
	Source   string       `json:"source"`
	Project  lore.Project `json:"project"`
}

// Copy names a copy of a hit in another conversation.
type Copy struct {
	Conversation lore.ID `json:"conversation"`
	Message      lore.ID `json:"message"`
}

// Warning says what about a query may not be what was meant.
type Warning struct {
	Code       string `json:"code"` // "unknown_field", "weak", "loose", ...
	Message    string `json:"message"`
	DidYouMean string `json:"did_you_mean,omitempty"`
}

// ListRequest asks for conversations, newest first.
type ListRequest struct {
	Query  string // filters of the query language; empty: all
	Limit  int    // 0: all
	Cursor string
	Except []string // conversations that are left out, as in a SearchRequest
}

// ListResult is a page of conversations.
type ListResult struct {
	Schema        string    `json:"schema"` // "lore.list.v1"
	Total         int       `json:"total"`
	Conversations []Listed  `json:"conversations"`
	Warnings      []Warning `json:"warnings,omitempty"`
	Next          *string   `json:"next"`
}

// ShowRequest asks for a conversation, or for a message with its neighbours.
type ShowRequest struct {
	ID      string // full id, or a unique prefix of four or more; a ref; also a conversation's native id
	Context int    // neighbours on each side of a message
}

// ShowResult is one of the two.
type ShowResult struct {
	Conversation *Shown
	Message      *MessageShown
}

// MessageShown is a message with its neighbours.
type MessageShown struct {
	Schema       string         `json:"schema"` // "lore.message.v1"
	Conversation Listed         `json:"conversation"`
	Message      lore.Message   `json:"message"`
	Asked        *Asked         `json:"asked,omitempty"` // of a ref to a part, or to bytes of one
	Before       []lore.Message `json:"before"`
	After        []lore.Message `json:"after"`
}

// Asked is the part of a message that a ref points at, and the bytes of its text.
type Asked struct {
	Part  int    `json:"part"`  // index in the message's parts
	Start int    `json:"start"` // bytes of the part's text
	End   int    `json:"end"`
	Text  string `json:"text"` // what stands there
}

// SourcesResult says what was looked for and what was found.
type SourcesResult struct {
	Schema  string         `json:"schema"` // "lore.sources.v1"
	Sources []SourceStatus `json:"sources"`
}

// SourceStatus is one source on this machine.
type SourceStatus struct {
	Source        string        `json:"source"`
	Title         string        `json:"title"`
	Places        []PlaceStatus `json:"places"`
	Conversations int           `json:"conversations"` // in the archive
	Messages      int           `json:"messages"`
	Excluded      bool          `json:"excluded"` // the configuration leaves the whole source out
	Newest        lore.Time     `json:"newest"`
	Oldest        lore.Time     `json:"oldest"`
	Notes         []string      `json:"notes"`
}

// PlaceStatus is one folder that was looked at.
type PlaceStatus struct {
	Path     string  `json:"path"`  // home-collapsed
	State    string  `json:"state"` // "found", "absent", "unreadable"
	Files    int     `json:"files"`
	Bytes    int64   `json:"bytes"`
	Excluded int     `json:"excluded"` // files that the configuration leaves out; 1 for the place of an excluded source
	Failures []Fault `json:"failures"`
}

// InspectRequest asks what became of every unit of an evidence or conversation.
type InspectRequest struct {
	Target string // a path, a home-collapsed path, or an id
	Diff   bool   // compare all versions, and say which messages differ and how
}

// InspectResult is the ledger of it.
type InspectResult struct {
	Schema    string              `json:"schema"` // "lore.inspect.v1"
	Evidences []InspectedEvidence `json:"evidences"`
}

// InspectedEvidence is one evidence with its ledger.
type InspectedEvidence struct {
	File          string          `json:"file"`
	Source        string          `json:"source"`
	Store         string          `json:"store"`
	Bytes         int64           `json:"bytes"`
	InSource      bool            `json:"in_source"`
	Snapshots     int             `json:"snapshots"` // 0 when the evidence is not archived
	Companions    []string        `json:"companions"`
	Ledger        lore.Ledger     `json:"ledger"`
	Losses        []lore.Loss     `json:"losses"`
	Conversations []InspectedPart `json:"conversations"`
	Failure       string          `json:"failure,omitempty"`

	// Versions are the snapshots, the oldest first, each beside the one before it.
	Versions []EvidenceVersion `json:"versions"`
}

// InspectedPart is what one evidence gives to one conversation.
type InspectedPart struct {
	ID       lore.ID     `json:"id"`
	ShortID  string      `json:"short_id"`
	NativeID string      `json:"native_id,omitempty"`
	Title    string      `json:"title"`
	Messages int         `json:"messages"`
	Partial  bool        `json:"partial"` // only facts about it
	Ledger   lore.Ledger `json:"ledger"`
}

// VersionResult says what this program is.
type VersionResult struct {
	Schema   string           `json:"schema"` // "lore.version.v1"
	Version  string           `json:"version"`
	Go       string           `json:"go"`
	Archive  int              `json:"archive_version"`
	Index    int              `json:"index_version"`
	Identity int              `json:"identity_version"`
	Adapters []AdapterVersion `json:"adapters"`
}

// AdapterVersion is the version of one adapter's reading rules.
type AdapterVersion struct {
	Name    string `json:"name"`
	Version int    `json:"version"`
}

// GrepRequest asks for every match of a pattern in everything archived.
type GrepRequest struct {
	Pattern    string
	Patterns   []string // further ones: a line matches where any does
	Literal    bool     // -F
	IgnoreCase bool     // -i
	SmartCase  bool     // -S: ignore case where the patterns have letters and none of upper case
	Word       bool     // -w
	Line       bool     // -x
	Invert     bool     // -v
	MaxCount   int      // matching lines of a conversation; 0: all
	Before     int      // lines of context
	After      int
	Lines      GrepLines // what is told of the lines
	Query      string    // filters of the query language; empty: all
	Live       bool      // the sources as they are now; no archive is opened or made
}

// GrepLines says what a grep tells of the lines that match.
type GrepLines int

// All of them; none, but counts; whether there is one; which conversations have none.
const (
	GrepAll GrepLines = iota
	GrepCount
	GrepFirst
	GrepWithout
)

// GrepEvent is one event of a grep, in the order begin, match and context lines, end for each conversation, and a last
// summary.
type GrepEvent struct {
	Type string `json:"type"` // "begin", "match", "context", "end", "summary"
	Data any    `json:"data"` // GrepBegin, GrepMatch, GrepEnd or GrepSummary
}

// GrepBegin opens a conversation.
type GrepBegin struct {
	Conversation HitOf `json:"conversation"`
}

// GrepMatch is a line of a message.
type GrepMatch struct {
	Conversation lore.ID       `json:"conversation"`
	Message      lore.ID       `json:"message"`
	ShortID      string        `json:"short_id"`
	Role         lore.Role     `json:"role"`
	Kind         lore.PartKind `json:"kind"`
	Part         int           `json:"part"`        // number of the part in the message, from 0
	LineNumber   int           `json:"line_number"` // within the part, from 1
	Line         string        `json:"line"`
	Submatches   []Submatch    `json:"submatches"`
	Origin       lore.Locator  `json:"origin"`
}

// Submatch is a match within a line, in bytes.
type Submatch struct {
	Match string `json:"match"`
	Start int    `json:"start"`
	End   int    `json:"end"`
}

// GrepEnd closes a conversation.
type GrepEnd struct {
	Conversation lore.ID `json:"conversation"`
	Matches      int     `json:"matches"`
	Lines        int     `json:"lines"`
}

// GrepSummary ends a grep.
type GrepSummary struct {
	Conversations int   `json:"conversations"` // with a match
	Matches       int   `json:"matches"`
	Lines         int   `json:"lines"`
	ElapsedMS     int64 `json:"elapsed_ms"`

	Failures []Fault `json:"failures"` // what could not be read
}
