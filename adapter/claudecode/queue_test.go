package claudecode

import "testing"

func enqueue(content any) rec {
	return record("queue-operation", "operation", "enqueue", "content", content)
}

func operation(op string, more ...any) rec {
	return record("queue-operation", append([]any{"operation", op}, more...)...)
}

func command(uuid, parent string, prompt any, more ...any) rec {
	a := rec{"type": "queued_command", "commandMode": "prompt", "prompt": prompt}
	for i := 0; i < len(more); i += 2 {
		a[more[i].(string)] = more[i+1]
	}
	r := record("attachment", "attachment", a)
	if uuid != "" {
		r["uuid"], r["parentUuid"] = uuid, parent
	}
	return r
}

func TestCC19QueuedPromptsAreSpeech(t *testing.T) {
	holds(t, session(t,
		user("u1", "", "run"), answer("a1", "u1", "m1", []rec{callBlock("t1", "Bash", rec{})}),
		command("", "", "also lint"), user("r1", "a1", []rec{resultBlock("t1", "made")}), enqueue("and push"), answer("a2", "r1", "m2", says("done")),
	), `
		main s1
		  + user u1: [text] "run"
		  + assistant m1 < u1: [call Bash t1] "{}"
		  + user/queued : [text] "also lint"
		  + tool r1 < m1: [result t1] "made"
		  + user/queued : [text] "and push"
		  + assistant m2 < r1: [text] "done"
	`)
}

func TestCC20QueuedPromptOnce(t *testing.T) {
	tests := []struct {
		name    string
		records []any
		want    string
	}{
		{"told three times, and again on purpose", []any{
			user("u1", "", "begin"), enqueue("check"), command("", "", "check"), answer("a1", "u1", "m1", says("begun")), operation("dequeue"),
			user("u2", "a1", "check"), answer("a2", "u2", "m2", says("fine")), user("u3", "a2", "check"),
		}, `
			main s1
			  + user u1: [text] "begin"
			  + assistant m1 < u1: [text] "begun"
			  + user u2 < m1: [text] "check"
			  + assistant m2 < u2: [text] "fine"
			  + user u3 < m2: [text] "check"
			  2 merged
			  1 skipped
		`},
		{"only enqueued and sent", []any{
			user("u1", "", "begin"), enqueue(says("check")), operation("dequeue"), answer("a1", "u1", "m1", says("begun")), user("u2", "a1", "check\n"),
		}, `
			main s1
			  + user u1: [text] "begin"
			  + assistant m1 < u1: [text] "begun"
			  + user u2 < m1: [text] "check\n"
			  1 merged
			  1 skipped
		`},
		{"handed to the running turn; the same words later are another prompt", []any{
			user("u1", "", "begin"), enqueue("check"), command("q1", "u1", "check"), operation("remove", "reason", "absorbed_mid_turn", "content", "check"),
			answer("a1", "q1", "m1", says("begun")), user("u2", "a1", "check"),
		}, `
			main s1
			  + user u1: [text] "begin"
			  + user/queued q1 < u1: [text] "check"
			  + assistant m1 < q1: [text] "begun"
			  + user u2 < m1: [text] "check"
			  1 merged
			  1 skipped
		`},
		{"the command names the record that it became", []any{
			user("u1", "", "begin"), command("q1", "u1", "check them", "source_uuid", "u2"), answer("a1", "q1", "m1", says("begun")), user("u2", "a1", "check  them"),
		}, `
			main s1
			  + user u1: [text] "begin"
			  + assistant m1 < u1: [text] "begun"
			  + user u2 < m1: [text] "check  them"
			  1 merged
		`},
		{"withdrawn, and another one that waits", []any{
			user("u1", "", "begin"), enqueue("no"), enqueue("yes"), operation("remove"), answer("a1", "u1", "m1", says("begun")), operation("dequeue"), user("u2", "a1", "yes"),
		}, `
			main s1
			  + user u1: [text] "begin"
			  - user/queued : [text] "no"
			  + assistant m1 < u1: [text] "begun"
			  + user u2 < m1: [text] "yes"
			  1 merged
			  2 skipped
		`},
		{"all taken back into the editor", []any{
			user("u1", "", "begin"), enqueue("one"), enqueue("two"), operation("popAll"), user("u2", "u1", "one and two"),
		}, `
			main s1
			  + user u1: [text] "begin"
			  - user/queued : [text] "one"
			  - user/queued : [text] "two"
			  + user u2 < u1: [text] "one and two"
			  1 skipped
		`},
		{"a task's notification is nobody's words", []any{
			user("u1", "", "begin"), enqueue("<task-notification>done"), command("q1", "u1", "<task-notification>done", "commandMode", "task-notification"),
			command("q2", "q1", "from a peer", "origin", rec{"kind": "peer"}),
		}, `
			main s1
			  + user u1: [text] "begin"
			  + system/notice q1 < u1: [text] "<task-notification>done"
			  + system/notice q2 < q1: [text] "from a peer"
			  1 merged
		`},
		{"in two sub-agents of one file", []any{
			user("u1", "", "begin"), enqueue("check"), user("s1", "", "check", "isSidechain", true), user("u2", "u1", "check"),
		}, `
			main s1
			  + user u1: [text] "begin"
			  + user u2 < u1: [text] "check"
			  1 merged
			subagent s1/s1 of s1 by ""
			  + user s1: [text] "check"
		`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { holds(t, session(t, tt.records...), tt.want) })
	}
}

func TestCC21QueuedImageIdenticalLines(t *testing.T) {
	q := command("q1", "u1", []rec{textBlock("see"), {"type": "image", "source": rec{"type": "base64", "media_type": "image/png", "data": "aWNlIGJlcmc="}}})
	q["timestamp"] = "2026-04-01T10:00:00Z"
	holds(t, session(t, user("u1", "", "one"), q, q, q), `
		main s1
		  + user u1: [text] "one"
		  + user/queued q1 < u1: [text] "see" [image image/png] sha256:6e79f4e4
		  2 merged
		  ! info duplicate_line line 3: 2 lines repeat one before them byte for byte (2)
	`)
}
