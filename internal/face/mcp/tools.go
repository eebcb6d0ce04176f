package mcp

import sdk "github.com/modelcontextprotocol/go-sdk/mcp"

// addTools offers every tool. The descriptions are paid for in every session of every client: each says when to use the
// tool and nothing that the schemas say.
func (f *face) addTools(s *sdk.Server) {
	add(f, s, &sdk.Tool{Name: "recall", Annotations: readOnly("Recall what helps with a task"),
		Description: "The few most useful passages from past sessions for a task or question in plain words, with ids to cite. " +
			"Call it first. relevant is false when nothing known answers it."}, recall)
	add(f, s, &sdk.Tool{Name: "search", Annotations: readOnly("Search past sessions"),
		Description: `Messages that have these words, best first. "phrase", OR, -not, prefix*, source:codex project:x role:user since:7d file:a.go.`}, search)
	add(f, s, &sdk.Tool{Name: "show", Annotations: readOnly("Read a session or message"),
		Description: "Reads on from an id: a message whole with its neighbours, or a conversation as an outline of its messages."}, show)
	add(f, s, &sdk.Tool{Name: "list", Annotations: readOnly("List past sessions"),
		Description: "Conversations, newest first, narrowed by the fields of search."}, list)
	add(f, s, &sdk.Tool{Name: "similar", Annotations: readOnly("Find what is like it"),
		Description: "Copies and near copies of a message or text, and conversations about the same."}, similar)
	add(f, s, &sdk.Tool{Name: "sources", Annotations: readOnly("What is known"),
		Description: "Which agents' histories are archived, how much of each, and what cannot be read."}, sources)
	add(f, s, &sdk.Tool{Name: "mark", Annotations: adding("Mark a session or message", false),
		Description: "Stars, tags or notes on a conversation or message; search finds is:starred, tag:x."}, mark)
	add(f, s, &sdk.Tool{Name: "remember", Annotations: adding("Keep a note", false),
		Description: "Keeps a note of your own for later sessions, with your name. Nothing is written over."}, remember)
}
