package agents

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// own reports whether a file has an entry of lore that no install is known to have made.
func (e *edit) own(text string) bool { return e.values(text) != "" }

// values returns what stands in a text in the places of the entries that lore makes; empty where nothing does.
func (e *edit) values(text string) string {
	if e.table != "" {
		all, err := checkTOML(text)
		if err != nil {
			return "" // told when the table is put in
		}
		if at, ok := lookup(all, e.table); ok {
			return fmt.Sprint(at)
		}
		return ""
	}
	d, err := parse(text)
	if err != nil {
		return ""
	}
	var found strings.Builder
	for _, x := range e.entries {
		at := &d.root
		for _, key := range x.path {
			if at = at.get(key); at == nil {
				break
			}
		}
		switch {
		case at == nil:
		case x.key != "" && at.get(x.key) != nil:
			found.WriteString(d.compact(at.get(x.key)))
		case x.key == "" && slices.ContainsFunc(at.items, func(n node) bool { return d.compact(&n) == x.value }):
			found.WriteString(x.value)
		}
	}
	return found.String()
}

// wanted returns the values of all entries as lore writes them now.
func (e *edit) wanted() string {
	if e.table != "" {
		return e.values(e.block)
	}
	var all strings.Builder
	for _, x := range e.entries {
		all.WriteString(x.value)
	}
	return all.String()
}

// startsLore is an entry that calls a program of lore's name as an MCP server or for a hook, in JSON or as fmt prints it.
var startsLore = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?s)lore(\.exe)?["'\] ].*\b(mcp|hook)\b|\b(mcp|hook)\b.*lore(\.exe)?["'\] ]`)
})

// unknown returns a trace for what an install left of which nothing is known any more; nil where there is nothing.
func (e *edit) unknown(agent, text string) *Trace {
	t := &Trace{Agent: agent, Path: e.path}
	switch {
	case e.whole != "":
		if text == e.whole {
			t.Inserted = []string{text}
			return t
		}
		return nil
	case !e.own(text):
		return nil
	case !startsLore().MatchString(e.values(text)):
		t.Left = true // of another program, by its name
	case e.entries != nil:
		for _, x := range e.entries {
			t.add(x, "")
		}
	}
	return t
}
