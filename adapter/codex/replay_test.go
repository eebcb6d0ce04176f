package codex

import (
	"fmt"
	"strings"
	"testing"

	"lore"
)

// at writes records with the given times.
func at(timed ...string) string {
	var b strings.Builder
	for i := 0; i+1 < len(timed); i += 2 {
		fmt.Fprintf(&b, "{\"timestamp\":%q,%s\n", "2026-03-02T"+timed[i]+"Z", timed[i+1])
	}
	return b.String()
}

func parentMeta() string {
	return envelope("session_meta", `{"id":"`+parentID+`","timestamp":"2026-03-01T08:00:00.000Z","cwd":"/proj/old","source":"cli"}`)
}

// stamps lists role, time and where the time comes from.
func stamps(c *lore.Conversation) []string {
	var list []string
	for _, m := range c.Messages {
		list = append(list, fmt.Sprintf("%s %s %s", m.Role, m.At, m.AtFrom))
	}
	return list
}

// TestCX07ForkReplaysItsParent: the copies are told from the new turns by the burst in which they were written, or by
// their turns' ids.
func TestCX07ForkReplaysItsParent(t *testing.T) {
	fork := meta(`,"forked_from_id":"` + parentID + `"`)
	oldTurn, newTurn := "019a0000-0000-7000-8000-00000000000a", "019a0000-0002-7000-8000-00000000000b"
	copied := "2026-03-01T08:00:00.000Z inherited"
	cases := []struct {
		name   string
		file   string
		want   []string
		shared int
	}{{
		"by the burst",
		at("09:50:00.000", fork, "09:50:00.000", parentMeta(), "09:50:00.010", userItem("origin"), "09:50:00.900", botItem("answer"), "09:52:00.000", userItem("more"), "09:53:00.000", botItem("yes")),
		[]string{"user " + copied, "assistant " + copied, "user 2026-03-02T09:52:00.000Z source", "assistant 2026-03-02T09:53:00.000Z source"}, 2,
	}, {
		"by the turns",
		at("09:50:00.000", fork, "09:50:00.000", parentMeta(), "09:50:00.000", turnStart(oldTurn), "09:50:00.000", userItem("origin"), "09:50:00.001", turnStart(newTurn), "09:50:00.002", userItem("more")),
		[]string{"user " + copied, "user 2026-03-02T09:50:00.002Z source"}, 1,
	}, {
		"slowly written, by the turns",
		at("09:50:00.000", fork, "09:50:00.000", parentMeta(), "09:50:09.000", turnStart(oldTurn), "09:50:09.000", userItem("origin"), "09:59:00.001", turnStart(newTurn), "09:59:00.002", userItem("more")),
		[]string{"user " + copied, "user 2026-03-02T09:59:00.002Z source"}, 1,
	}, {
		"with the original times",
		at("09:50:00.000", fork, "09:50:00.000", parentMeta(), "08:01:00.000", userItem("origin"), "08:02:00.000", botItem("answer"), "09:52:00.000", userItem("more")),
		[]string{"user 2026-03-02T08:01:00.000Z source", "assistant 2026-03-02T08:02:00.000Z source", "user 2026-03-02T09:52:00.000Z source"}, 2,
	}, {
		"nothing copied",
		at("09:50:00.000", fork, "09:50:00.001", userItem("fresh")),
		[]string{"user 2026-03-02T09:50:00.001Z source"}, 0,
	}, {
		"a fork of a fork",
		at("09:50:00.000", fork, "09:50:00.000", parentMeta(), "09:50:00.000", envelope("session_meta", `{"id":"first","timestamp":"2026-01-01T08:00:00.000Z"}`), "09:50:00.000", userItem("origin"), "09:52:00.000", userItem("more")),
		[]string{"user " + copied, "user 2026-03-02T09:52:00.000Z source"}, 1,
	}}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := readFile(t, filePath, c.file)
			same(t, c.want, stamps(got))
			same(t, selfID, got.Native)
			same(t, "/proj/lantern", got.Project.Dir)
			if got.Lineage == nil || got.Lineage.OfNative != parentID || got.Lineage.Kind != lore.Fork || got.Lineage.Shared != c.shared {
				t.Errorf("lineage %+v", got.Lineage)
			}
		})
	}
}

// TestReplayKeepsTheTimeOfCompletedItems: they carry it inside.
func TestReplayKeepsTheTimeOfCompletedItems(t *testing.T) {
	c := readFile(t, filePath, at("09:50:00.000", meta(`,"forked_from_id":"`+parentID+`"`), "09:50:00.000", parentMeta(),
		"09:50:00.000", event(`{"type":"item_completed","completed_at_ms":1772352060000,"item":{"type":"UserMessage","content":[{"type":"text","text":"origin"}]}}`)))
	same(t, []string{"user 2026-03-01T08:01:00.000Z inherited"}, stamps(c))
}

// TestReplayedTokensAreNotCounted: nor are the titles of the parent news.
func TestReplayedTokensAreNotCounted(t *testing.T) {
	c := readFile(t, filePath, at("09:50:00.000", meta(`,"forked_from_id":"`+parentID+`"`), "09:50:00.000", parentMeta(),
		"09:50:00.000", userItem("origin"), "09:50:00.000", botItem("answer"), "09:50:00.000", tokenCount(100, 100),
		"09:50:00.000", event(`{"type":"thread_name_updated","thread_id":"`+parentID+`","thread_name":"Old"}`),
		"09:52:00.000", tokenCount(100, 100), "09:52:00.000", userItem("more"), "09:53:00.000", botItem("yes"), "09:53:00.000", tokenCount(107, 7)))
	same(t, int64(7), c.Usage.Output)
	same(t, (*lore.Usage)(nil), c.Messages[1].Usage)
	same(t, int64(7), c.Messages[3].Usage.Output)
	same(t, "origin", c.Title)
}

// TestResumeGoesOn: several metas with one id are one conversation.
func TestResumeGoesOn(t *testing.T) {
	c := readOne(t, meta(""), userItem("a"), botItem("1"), meta(`,"git":{"branch":"later"}`), userItem("b"))
	same(t, []string{"user: a", "assistant: 1", "user: b"}, render(c))
	same(t, (*lore.Lineage)(nil), c.Lineage)
	same(t, "later", c.Project.Branch)
	c = readOne(t, meta(""), userItem("a"), parentMeta(), userItem("b"))
	same(t, []string{"user: a", "user: b"}, render(c))
	same(t, []string{"foreign_session_record@3"}, lost(c))
}

// TestCX21SubagentNamesItsParent: by its source, a string or an object; the parent names the call.
func TestCX21SubagentNamesItsParent(t *testing.T) {
	cases := []struct {
		fields string
		kind   lore.Kind
		parent string
	}{
		{``, lore.Main, ""},
		{`,"source":"cli"`, lore.Main, ""},
		{`,"source":"exec"`, lore.Automation, ""},
		{`,"source":"mcp"`, lore.Automation, ""},
		{`,"source":{"subagent":"review"}`, lore.Subagent, ""},
		{`,"source":{"subagent":{"other":"guardian"}}`, lore.Subagent, ""},
		{`,"source":{"subagent":{"thread_spawn":{"parent_thread_id":"p","depth":1}}}`, lore.Subagent, "p"},
		{`,"source":{"subagent":{"other":"x"}},"parent_thread_id":"p"`, lore.Subagent, "p"},
		{`,"source":"cli","thread_source":"subagent"`, lore.Subagent, ""},
	}
	for _, c := range cases {
		got := readOne(t, meta(c.fields), userItem("do it"))
		parent := ""
		if got.Parent != nil {
			parent = got.Parent.Native
		}
		same(t, c.kind, got.Kind)
		same(t, c.parent, parent)
		same(t, lore.User, got.Messages[0].Role)
	}
	for _, records := range [][]string{
		{callItem("s1", "spawn_agent", `{"message":"do it"}`), outItem("s1", `{"agent_id":"child"}`)},
		{event(`{"type":"collab_agent_spawn_end","call_id":"s1","new_thread_id":"child","prompt":"do it"}`)},
		{callItem("s1", "spawn_agent", "{}"), event(`{"type":"collab_agent_spawn_end","call_id":"s1","new_thread_id":"child"}`), outItem("s1", `{"agent_id":"child"}`)},
	} {
		list, err := readAs(t, filePath, rollout(append([]string{meta("")}, records...)...))
		if err != nil || len(list) != 2 {
			t.Fatalf("%d records, %v", len(list), err)
		}
		fact := list[1]
		same(t, true, fact.Partial)
		same(t, "child", fact.Native)
		same(t, lore.Parent{Native: selfID, Call: "s1"}, *fact.Parent)
		same(t, lore.Ledger{}, fact.Ledger)
	}
}
