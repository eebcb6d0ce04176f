package adapter_test

import (
	"bufio"
	"context"
	"fmt"
	"io/fs"
	"iter"
	"strings"
	"testing/fstest"

	"lore"
	"lore/adapter"
)

// chatLog reads files of lines like "ada: hello". It is all that an adapter has to be.
type chatLog struct{}

func (chatLog) Info() adapter.Info {
	return adapter.Info{Name: "chatlog", Title: "Chat log", Version: 1,
		Stores: []adapter.Store{{Source: "chatlog", Name: "logs", What: "one file a chat"}},
		Roots:  []adapter.Root{{Source: "chatlog", Path: ".chatlog"}}}
}

func (chatLog) Find(_ context.Context, at adapter.Place) iter.Seq2[adapter.Source, error] {
	return func(yield func(adapter.Source, error) bool) {
		names, _ := fs.Glob(at.FS, "*.log")
		for _, name := range names {
			info, err := fs.Stat(at.FS, name)
			if !yield(adapter.Source{Product: "chatlog", Store: "logs", Path: name, Info: info}, err) {
				return
			}
		}
	}
}

func (chatLog) Read(_ context.Context, in adapter.Input) iter.Seq2[*lore.Conversation, error] {
	return func(yield func(*lore.Conversation, error) bool) {
		f, err := in.FS.Open(in.Source.Path)
		if err != nil {
			yield(nil, err)
			return
		}
		defer f.Close()
		c := &lore.Conversation{Source: "chatlog", Store: "logs", Native: strings.TrimSuffix(in.Source.Path, ".log"), Kind: lore.Main}
		line, offset := 0, int64(0)
		for s := bufio.NewScanner(f); s.Scan(); {
			line++
			who, text, ok := strings.Cut(s.Text(), ": ")
			at := lore.Locator{File: in.Name(in.Source.Path), Line: line, Offset: offset, Length: int64(len(s.Text()))}
			offset += at.Length + 1
			if !ok {
				c.Ledger.Meet("line") // kept nowhere, but accounted for
				continue
			}
			role := lore.User
			if who == "bot" {
				role = lore.Assistant
			}
			c.Messages = append(c.Messages, lore.Message{Role: role, AtFrom: lore.FromNone, Active: true, Units: 1,
				Parts: []lore.Part{{Kind: lore.Text, Text: text}}, Origins: []lore.Locator{at}})
			c.Ledger.Keep(1)
		}
		yield(c, nil)
	}
}

// An adapter is three methods; Records runs it over a place and gives everything its ids.
func ExampleRecords() {
	home := fstest.MapFS{"lamp.log": {Data: []byte("ada: Why does the lamp flicker?\nbot: The button bounces.\n---\n")}}
	place := adapter.Place{Root: adapter.Root{Source: "chatlog"}, FS: home, Name: "~/.chatlog"}
	for c, err := range adapter.Records(context.Background(), chatLog{}, place) {
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(c.ID.Short(), c.Title)
		for _, m := range c.Messages {
			fmt.Printf("%s %s %s:%d\n", m.Role, m.Parts[0].Text, m.Origins[0].File, m.Origins[0].Line)
		}
		fmt.Println(c.Ledger.Units, c.Ledger.Kept, c.Ledger.Unknown, c.Ledger.Balanced())
	}
	// Output:
	// atm7cgn9vt5o Why does the lamp flicker?
	// user Why does the lamp flicker? ~/.chatlog/lamp.log:1
	// assistant The button bounces. ~/.chatlog/lamp.log:2
	// 3 2 1 true
}
