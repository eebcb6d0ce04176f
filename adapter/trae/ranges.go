package trae

import "lore/adapter"

// The table of the editor's settings, and the keys in it that speak of chats.
const (
	tableItems = "ItemTable"

	keyAgent   = "memento/icube-ai-agent-storage"
	keyChats   = "memento/icube-ai-chat-storage-"    // and a number
	keyChatsNG = "memento/icube-ai-ng-chat-storage-" // and a number
	keyOld     = "ChatStore"
	keyIndex   = "chat.ChatSessionStore.index"
	keyPrompts = "icube-ai-agent-storage-input-history"
)

// chatRanges are the rows that hold chats, the present form first.
var chatRanges = []adapter.Range{
	{Table: tableItems, From: keyAgent}, prefixed(keyChatsNG), prefixed(keyChats), {Table: tableItems, From: keyOld},
}

// ranges are the rows of a database that are read. All others are settings and logins.
func ranges() []adapter.Range {
	return append(chatRanges[:len(chatRanges):len(chatRanges)],
		adapter.Range{Table: tableItems, From: keyIndex}, adapter.Range{Table: tableItems, From: keyPrompts})
}

// prefixed is the range of keys that begin with a prefix.
func prefixed(prefix string) adapter.Range {
	last := len(prefix) - 1
	return adapter.Range{Table: tableItems, From: prefix, To: prefix[:last] + string(prefix[last]+1)}
}
