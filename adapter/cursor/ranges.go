package cursor

import (
	"strings"

	"lore/adapter"
)

// The tables of the editor's databases, and the keys in them that speak of chats.
const (
	tableKV      = "cursorDiskKV"
	tableItems   = "ItemTable"
	tableHeaders = "composerHeaders"

	keyComposer = "composerData:"
	keyBubble   = "bubbleId:"
	keyBlob     = "agentKv:blob:"

	itemHeads       = "composer.composerHeaders"
	itemComposers   = "composer.composerData"
	itemChats       = "workbench.panel.aichat.view.aichat.chatdata"
	itemPrompts     = "aiService.prompts"
	itemGenerations = "aiService.generations"
)

// items are the keys of ItemTable that are read, in order: the chats before the prompts, which may repeat them. All other
// rows are settings and logins.
var items = []string{itemHeads, itemComposers, itemChats, itemPrompts, itemGenerations}

// The parts of a database that are no chat. A chat's part is named by its id, which is none of these.
const (
	partItems = "items"
	partBlobs = "agentKv"
)

// mostBlobs is the size of a database up to which the agent's blobs are read. Which of them say something new can only be
// told beside all bubbles, so each new blob makes all of it be read again: that has to be a moment.
const mostBlobs = 24 << 20

// prefixed is the range of keys that begin with a prefix.
func prefixed(table, prefix string) adapter.Range {
	last := len(prefix) - 1
	return adapter.Range{Table: table, From: prefix, To: prefix[:last] + string(prefix[last]+1)}
}

// stateRanges are the rows of an editor's database that are read.
func stateRanges(blobs bool) []adapter.Range {
	list := itemRanges()
	if blobs {
		list = append(list, prefixed(tableKV, keyBlob))
	}
	return append(list, prefixed(tableKV, keyBubble), prefixed(tableKV, keyComposer))
}

func itemRanges() []adapter.Range {
	list := []adapter.Range{{Table: tableHeaders}}
	for _, key := range items {
		list = append(list, adapter.Range{Table: tableItems, From: key})
	}
	return list
}

func composerRanges(id string) []adapter.Range {
	return []adapter.Range{{Table: tableKV, From: keyComposer + id}, prefixed(tableKV, keyBubble+id+":")}
}

// split parts the rows of a database by chat.
func split(blobs bool) *adapter.Split {
	return &adapter.Split{
		Of: func(table, key string) string {
			switch table {
			case tableItems, tableHeaders:
				return partOfItem(table, key)
			case tableKV:
				if strings.HasPrefix(key, keyBlob) && blobs {
					return partBlobs
				}
				return composerOf(key)
			}
			return ""
		},
		Ranges: func(part string) []adapter.Range {
			switch part {
			case partItems:
				return itemRanges()
			case partBlobs:
				return []adapter.Range{prefixed(tableKV, keyBlob), prefixed(tableKV, keyBubble), prefixed(tableKV, keyComposer)}
			}
			return composerRanges(part)
		},
	}
}

func partOfItem(table, key string) string {
	if table == tableHeaders {
		return partItems
	}
	for _, k := range items {
		if k == key {
			return partItems
		}
	}
	return ""
}

// composerOf returns the chat that a key of the key-value table belongs to; "" for none.
func composerOf(key string) string {
	if id, ok := strings.CutPrefix(key, keyComposer); ok {
		return id
	}
	id, _, _ := splitBubble(key)
	return id
}

// splitBubble parts the key of a bubble.
func splitBubble(key string) (composer, bubble string, ok bool) {
	rest, ok := strings.CutPrefix(key, keyBubble)
	if !ok {
		return "", "", false
	}
	composer, bubble, ok = strings.Cut(rest, ":")
	if !ok {
		return "", "", false
	}
	return composer, bubble, true
}
