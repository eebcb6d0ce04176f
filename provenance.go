package lore

// Locator says where in the evidence a unit stands.
type Locator struct {
	// File is the evidence's path with the home folder as "~" and slashes forward.
	File string `json:"file"`

	// Line is the 1-based physical line of a text file, blank lines counted. 0 when the evidence has no lines.
	Line int `json:"line,omitempty"`

	// Offset and Length are bytes in the file, of the decoded content for a compressed one. Length 0: not known.
	Offset int64 `json:"offset"`
	Length int64 `json:"length"`

	// Row is "table/key" in a database. Empty for files.
	Row string `json:"row,omitempty"`
}

// Severity says how bad a loss is.
type Severity string

// Info is expected and harmless, Warning is something that could not be kept as it was, Error a whole unit that is
// unreadable.
const (
	Info    Severity = "info"
	Warning Severity = "warning"
	Error   Severity = "error"
)

// Loss is a unit, or a piece of one, that is not in the record as it was. It is data, never a failure; it is an error
// value only so that a finder can yield it in the error's place.
type Loss struct {
	Code     Code     `json:"code"`
	Severity Severity `json:"severity"`
	Source   string   `json:"source"`
	File     string   `json:"file"`           // home-collapsed path of the evidence
	Line     int      `json:"line,omitempty"` // 1-based; 0 when the loss has no line
	Row      string   `json:"row,omitempty"`  // "table/key"; empty when the loss has no row
	What     string   `json:"what"`           // one short phrase with the figures that matter
	Count    int      `json:"count"`          // how many like this one it stands for; at least 1
}

// Error tells the loss in one line.
func (l Loss) Error() string {
	s := string(l.Code) + ": " + l.File
	if l.What != "" {
		s += ": " + l.What
	}
	return s
}

// Code names a kind of loss. The set is closed: see Codes for what each means.
type Code string

// The codes of losses.
const (
	BadJSON            Code = "bad_json"
	BOMStripped        Code = "bom_stripped"
	Empty              Code = "empty"
	ExternalMissing    Code = "external_missing"
	ForeignRecord      Code = "foreign_session_record"
	IDMismatch         Code = "id_mismatch"
	InvalidUTF8        Code = "invalid_utf8"
	LoneSurrogate      Code = "lone_surrogate"
	MissingBody        Code = "missing_body"
	MissingHeader      Code = "missing_header"
	MissingNewline     Code = "missing_newline"
	MissingParent      Code = "missing_parent"
	NulPadding         Code = "nul_padding"
	OversizedRecord    Code = "oversized_record"
	ParentCycle        Code = "parent_cycle"
	PartialTail        Code = "partial_tail"
	PathOutside        Code = "path_outside"
	PromptsOnly        Code = "prompts_only"
	Recovered          Code = "recovered_from_transcript"
	RetriedRecord      Code = "retried_record"
	SymlinkSkipped     Code = "symlink_skipped"
	SpecialFile        Code = "special_file"
	TruncatedBySource  Code = "truncated_by_source"
	TruncatedStream    Code = "truncated_stream"
	UnexpectedShape    Code = "unexpected_shape"
	UnknownRecord      Code = "unknown_record"
	UnpairedCall       Code = "unpaired_call"
	DuplicateLine      Code = "duplicate_line"
	DuplicateOrdinal   Code = "duplicate_ordinal"
	ForeignFile        Code = "foreign_file"
	MissingRow         Code = "missing_row"
	AbsentValue        Code = "absent_value"
	BadTime            Code = "bad_time"
	TooDeep            Code = "too_deep"
	EncryptedStore     Code = "encrypted_store"
	DecompressionLimit Code = "decompression_limit"
	UnknownRewind      Code = "unknown_rewind"
	BadPatch           Code = "bad_patch"
	NotRead            Code = "not_read"
)

// Codes says in a sentence what each code means, for `lore inspect` and the docs.
var Codes = map[Code]string{
	BadJSON:            "the unit is not valid JSON, or is not an object",
	BOMStripped:        "a byte order mark at the start of the file was removed",
	Empty:              "the file holds no conversation",
	ExternalMissing:    "a text lives in a side file that is not there",
	ForeignRecord:      "the record belongs to another session and was given to it",
	IDMismatch:         "the file's name and the session id inside it differ",
	InvalidUTF8:        "bytes that are not UTF-8 are shown as U+FFFD; the archive keeps them",
	LoneSurrogate:      "half of a UTF-16 pair was kept as it was",
	MissingBody:        "an index names a conversation that has no file",
	MissingHeader:      "the record that should begin the file is not there",
	MissingNewline:     "two records stood on one line; both were read",
	MissingParent:      "what a record names as its parent or origin exists nowhere; the order of the file stands",
	NulPadding:         "NUL bytes outside of strings were skipped",
	OversizedRecord:    "a unit above the size bound was cut; the archive keeps all of it",
	ParentCycle:        "records name each other as parent; file order was used",
	PartialTail:        "the last line is not finished yet; the next import completes it",
	PathOutside:        "a side file lies outside of the session's folder and was not read",
	PromptsOnly:        "only the prompts of this conversation are left",
	Recovered:          "turns were taken from the tool's transcript; the session's own file lacks them",
	RetriedRecord:      "a cut record was followed by its complete retry, which was kept",
	SymlinkSkipped:     "a link that leads out of the source was not followed",
	SpecialFile:        "a pipe, socket or device was not opened",
	TruncatedBySource:  "the source tool itself cut this value",
	TruncatedStream:    "the compressed file ends early; it was read up to the cut",
	UnexpectedShape:    "a field has a shape this version does not know; it was kept raw",
	UnknownRecord:      "a record of a type that this version does not know was kept raw",
	UnpairedCall:       "a call without result, or a result without call",
	DuplicateLine:      "identical lines were counted once",
	DuplicateOrdinal:   "ordinals repeat or are missing; file order was used",
	ForeignFile:        "the file belongs to another tool",
	MissingRow:         "a list names a row that is not in the database",
	AbsentValue:        "a row without a value",
	BadTime:            "a time that cannot be read",
	TooDeep:            "JSON nested deeper than the bound was kept as raw text",
	EncryptedStore:     "the store is encrypted and cannot be read",
	DecompressionLimit: "the compressed file expands beyond the bound; it was read up to it",
	UnknownRewind:      "a rewind names a message that is not there",
	BadPatch:           "a step of the operation log could not be applied",
	NotRead:            "what is above a size bound was left in the source",
}
