package codex

import (
	"testing"

	"lore"
)

// TestCX06InjectedIsContext: what the client injects is no speech, by its beginning or by its place.
func TestCX06InjectedIsContext(t *testing.T) {
	agents := "# AGENTS.md instructions for /proj/lantern\n\n<INSTRUCTIONS>\nsing\n</INSTRUCTIONS>"
	env := "<environment_context>\n<cwd>/proj/lantern</cwd>\n</environment_context>"
	cases := []struct {
		name    string
		records []string
		want    []string
	}{{
		"by beginning",
		[]string{userItem(agents), userItem("\n" + env), userItem("<user_action>\nx"), userItem("<skill>x"), userItem("tune the harp")},
		[]string{"system(context): " + agents, "system(context): \n" + env, "system(context): <user_action>\nx", "system(context): <skill>x", "user: tune the harp"},
	}, {
		"notices",
		[]string{userItem("<turn_aborted>\nx"), userItem("<subagent_notification>x")},
		[]string{"system(notice): <turn_aborted>\nx", "system(notice): <subagent_notification>x"},
	}, {
		"before a typed prompt, whatever the text",
		[]string{userItem("some files of the project"), userItem("tune it"), userEvent("tune it"), botItem("ok")},
		[]string{"system(context): some files of the project", "user: tune it", "assistant: ok"},
	}, {
		"before a typed prompt whose event comes first",
		[]string{userEvent("tune it"), userItem("some files"), userItem("tune it"), botItem("ok")},
		[]string{"system(context): some files", "user: tune it", "assistant: ok"},
	}, {
		"an answer breaks the run",
		[]string{userItem("first"), botItem("ok"), userItem("second"), userEvent("second")},
		[]string{"user: first", "assistant: ok", "user: second"},
	}, {
		"after the typed prompt the beginning alone decides",
		[]string{userItem("first"), userEvent("first"), userItem("second"), botItem("ok")},
		[]string{"user: first", "user: second", "assistant: ok"},
	}, {
		"a person may quote a tag",
		[]string{userItem("<skill> is what tag?"), userEvent("<skill> is what tag?")},
		[]string{"user: <skill> is what tag?"},
	}, {
		"an event that says what it is",
		[]string{userItem(env), event(`{"type":"user_message","kind":"environment_context","message":` + quote(env) + `}`), userItem("hi"), event(`{"type":"user_message","kind":"plain","message":"hi"}`)},
		[]string{"system(context): " + env, "user: hi"},
	}, {
		"roles of the client",
		[]string{item(`{"type":"message","role":"developer","content":[{"type":"input_text","text":"be terse"}]}`), item(`{"type":"message","role":"system","content":"be kind"}`)},
		[]string{"system(context): be terse", "system(context): be kind"},
	}}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			same(t, c.want, render(readOne(t, append([]string{meta("")}, c.records...)...)))
		})
	}
}

// TestCX02NoEvents: newer versions write no events at all.
func TestCX02NoEvents(t *testing.T) {
	c := readOne(t, meta(`,"base_instructions":{"text":"be terse"}`),
		item(`{"type":"message","role":"developer","content":[{"type":"input_text","text":"<permissions>ro</permissions>"}]}`),
		userItem("<environment_context>\n<cwd>/proj/lantern</cwd>\n</environment_context>"), userItem("Map the cave"), botItem("Mapped"))
	same(t, []string{
		"system(context): <permissions>ro</permissions>",
		"system(context): <environment_context>\n<cwd>/proj/lantern</cwd>\n</environment_context>",
		"user: Map the cave", "assistant: Mapped",
	}, render(c))
	same(t, "Map the cave", c.Title)
	same(t, lore.TitleFromPrompt, c.TitleFrom)
}

// TestEditorContextIsSplit: the editor's part is context, the person's part the prompt, in each representation.
func TestEditorContextIsSplit(t *testing.T) {
	wrapped := "# Context from my IDE setup:\n\n## Open tabs:\n- a.go\n\n## My request for Codex:\nfix a.go\n"
	want := []string{"system(context): # Context from my IDE setup:\n\n## Open tabs:\n- a.go", "user: fix a.go\n"}
	for _, records := range [][]string{
		{userItem(wrapped)}, {userEvent(wrapped)}, {userItem(wrapped), userEvent(wrapped)}, {userItem(wrapped), userEvent("fix a.go")},
	} {
		c := readOne(t, append([]string{meta("")}, records...)...)
		same(t, want, render(c))
		same(t, []int{0, 1}, []int{c.Messages[0].Units, c.Messages[1].Units})
	}
	c := readOne(t, meta(""), item(`{"type":"message","id":"m1","role":"user","content":[{"type":"input_text","text":`+quote(wrapped)+`}]}`))
	same(t, []string{"system:m1", "m1"}, []string{c.Messages[0].Native, c.Messages[1].Native})
	c = readOne(t, meta(""), userItem("# Context from my IDE setup: what is it?"))
	same(t, []string{"user: # Context from my IDE setup: what is it?"}, render(c))
}

// TestAbortAndEcho: a prompt that is written once more after an interruption is the same one, unless something came
// between.
func TestAbortAndEcho(t *testing.T) {
	abort := event(`{"type":"turn_aborted","reason":"interrupted"}`)
	note := userItem("<turn_aborted>\nyou were interrupted\n</turn_aborted>")
	cases := []struct {
		name    string
		records []string
		want    []string
	}{{
		"at once",
		[]string{userItem("go"), userEvent("go"), abort, userItem("go"), userEvent("go"), botItem("ok")},
		[]string{"user: go", "system(notice): interrupted", "assistant: ok"},
	}, {
		"after both forms of the notice",
		[]string{userItem("go"), userEvent("go"), note, abort, userItem("go"), botItem("ok")},
		[]string{"user: go", "system(notice): <turn_aborted>\nyou were interrupted\n</turn_aborted>", "assistant: ok"},
	}, {
		"something came between",
		[]string{userItem("go"), userEvent("go"), abort, turnStart("t2"), userItem("go"), userEvent("go"), botItem("ok")},
		[]string{"user: go", "system(notice): interrupted", "user: go", "assistant: ok"},
	}, {
		"two interruptions",
		[]string{userItem("a"), abort, userItem("b"), abort},
		[]string{"user: a", "system(notice): interrupted", "user: b", "system(notice): interrupted"},
	}}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			same(t, c.want, render(readOne(t, append([]string{meta("")}, c.records...)...)))
		})
	}
}

// TestCX12Compaction: one marker with the summary; what was before stays, the replacement history is no conversation.
func TestCX12Compaction(t *testing.T) {
	replaced := `{"message":"Summary: well ready","replacement_history":[{"type":"message","role":"user","content":[{"type":"input_text","text":"dig well"}]}]}`
	c := readOne(t, meta(""), userItem("dig well"), botItem("dug"), envelope("compacted", replaced), event(`{"type":"context_compacted"}`), userItem("draw water"))
	same(t, []string{"user: dig well", "assistant: dug", "system(compaction): Summary: well ready", "user: draw water"}, render(c))
	c = readOne(t, meta(""), envelope("compacted", `{"message":""}`), botItem("ok"), envelope("compacted", `{"message":"b"}`))
	same(t, []string{"system(compaction): ", "assistant: ok", "system(compaction): b"}, render(c))
}

// TestRollback: the last turns are taken back, and stay in the record.
func TestRollback(t *testing.T) {
	back := func(n string) string { return event(`{"type":"thread_rolled_back","num_turns":` + n + `}`) }
	c := readOne(t, meta(""), userItem("a"), botItem("1"), userItem("b"), botItem("2"), userItem("c"), botItem("3"), back("1"),
		userItem("d"), botItem("4"), back("2"), userItem("e"), botItem("5"))
	same(t, []string{
		"user: a", "assistant: 1", "user inactive: b", "assistant inactive: 2", "user inactive: c", "assistant inactive: 3",
		"user inactive: d", "assistant inactive: 4", "user: e", "assistant: 5",
	}, render(c))
	c = readOne(t, meta(""), userItem("a"), back("7"))
	same(t, []string{"user inactive: a"}, render(c))
	same(t, []string{"unknown_rewind@3"}, lost(c))
}
