package codex

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// orders returns each non-empty choice out of the records in each order.
func orders(records []string) [][]string {
	var list [][]string
	var grow func(chosen, left []string)
	grow = func(chosen, left []string) {
		if len(chosen) > 0 {
			list = append(list, append([]string(nil), chosen...))
		}
		for i := range left {
			rest := append(append([]string(nil), left[:i]...), left[i+1:]...)
			grow(append(append([]string(nil), chosen...), left[i]), rest)
		}
	}
	grow(nil, records)
	return list
}

// TestEveryRepresentation: whatever representations of a fact a file has, in whatever order, it is one message, and the
// best of them stands.
func TestEveryRepresentation(t *testing.T) {
	facts := []struct {
		name    string
		records []string // best first
		want    string
	}{
		{"prompt", []string{userItem("do  it\n"), userDone("do it"), userEvent("do it")}, "user: do it"},
		{"answer", []string{botItem("did it"), botDone("did it"), botEvent("did it")}, "assistant: did it"},
		{"thought", []string{thinkItem("hm"), thinkDone("hm"), thinkEvent("hm")}, "assistant: <thinking hm>"},
		{"compaction", []string{envelope("compacted", `{"message":"sum"}`), done(`"type":"ContextCompaction"`), event(`{"type":"context_compacted"}`)}, "system(compaction): "},
		{"abort", []string{userItem("<turn_aborted>\nstop\n</turn_aborted>"), event(`{"type":"turn_aborted","reason":"stop"}`)}, "system(notice): "},
		{"end of a turn", []string{botItem("did it"), turnEnd(`"did it"`)}, "assistant: did it"},
	}
	for _, fact := range facts {
		for _, order := range orders(fact.records) {
			if fact.name == "end of a turn" && len(order) == 2 && order[1] != fact.records[1] {
				continue // nothing of a turn comes after its end
			}
			c := readOne(t, append([]string{meta("")}, order...)...)
			if len(c.Messages) != 1 || !strings.HasPrefix(strings.Join(strings.Fields(render(c)[0]), " ")+" ", fact.want) {
				t.Errorf("%s as %s: %q", fact.name, order, render(c))
				continue
			}
			same(t, [6]int{len(order) + 1, 2, len(order) - 1, 0, 0, 0}, counts(c))
			if len(c.Messages[0].Origins) != len(order) {
				t.Errorf("%s as %s: %d origins", fact.name, order, len(c.Messages[0].Origins))
			}
			for n, best := range order {
				if best == bestOf(fact.records, order) && c.Messages[0].Origins[0].Line != n+2 {
					t.Errorf("%s as %s: the words of line %d stand", fact.name, order, c.Messages[0].Origins[0].Line)
				}
			}
		}
	}
}

func bestOf(ranked, among []string) string {
	for _, r := range ranked {
		for _, a := range among {
			if a == r {
				return r
			}
		}
	}
	return ""
}

// TestCX05ContinueThreeTimes: the same words said again stay another message, in each representation, with and without
// marks of turns, while the two representations of one are paired.
func TestCX05ContinueThreeTimes(t *testing.T) {
	pairs := [][]string{
		{userItem("continue"), userEvent("continue")}, {userEvent("continue"), userItem("continue")},
		{userItem("continue")}, {userEvent("continue")}, {userDone("continue")}, {userDone("continue"), userEvent("continue")},
	}
	answers := [][]string{
		{botEvent("ok"), botItem("ok")}, {botItem("ok"), botEvent("ok")}, {botItem("ok")}, {botEvent("ok")}, {botDone("ok")},
		{callItem("c", "shell", "{}"), botItem("ok")},
	}
	for _, marked := range []bool{false, true} {
		for _, prompt := range pairs {
			for _, answer := range answers {
				records := []string{meta("")}
				for turn := range 3 {
					if marked {
						records = append(records, turnStart(fmt.Sprint("turn-", turn)))
					}
					records = append(append(records, prompt...), answer...)
					if marked {
						records = append(records, turnEnd("null"))
					}
				}
				said := map[string]int{}
				for _, line := range render(readOne(t, records...)) {
					said[line]++
				}
				if said["user: continue"] != 3 || said["assistant: ok"] != 3 {
					t.Errorf("marked %v, %q, %q: %v", marked, prompt, answer, said)
				}
			}
		}
	}
}

// TestTwiceInOneTurn: twins are paired one to one and in order also inside a turn.
func TestTwiceInOneTurn(t *testing.T) {
	c := readOne(t, meta(""), turnStart("t1"), userItem("go"), userEvent("go"),
		botEvent("step"), botEvent("step"), botItem("step"), botItem("step"), botItem("step"))
	same(t, []string{"user: go", "assistant: step", "assistant: step", "assistant: step"}, render(c))
	same(t, [6]int{9, 5, 3, 1, 0, 0}, counts(c))
}

// TestTwinAcrossTheStartOfATurn: what was said just before a turn is marked belongs to it.
func TestTwinAcrossTheStartOfATurn(t *testing.T) {
	c := readOne(t, meta(""), turnStart("t1"), userItem("go"), botItem("ok"),
		userEvent("more"), turnStart("t2"), envelope("turn_context", `{"turn_id":"t2","cwd":"/proj/lantern"}`), userItem("more"), botItem("ok"))
	same(t, []string{"user: go", "assistant: ok", "user: more", "assistant: ok"}, render(c))
}

// TestTurnIDsKeepApart: an event of another turn is no twin, even where only the records name their turns.
func TestTurnIDsKeepApart(t *testing.T) {
	in := func(turn, text string) string {
		return item(`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"` + text + `"}],"metadata":{"turn_id":"` + turn + `"}}`)
	}
	c := readOne(t, meta(""), in("a", "ok"), event(`{"type":"item_completed","turn_id":"b","item":{"type":"AgentMessage","content":[{"type":"text","text":"ok"}]}}`))
	same(t, []string{"assistant: ok", "assistant: ok"}, render(c))
}

// TestManyEventsOneSummary: several events may equal one list of summaries, one for each or one for all.
func TestManyEventsOneSummary(t *testing.T) {
	want := []string{"assistant: <thinking a> <thinking b>"}
	for _, records := range [][]string{
		{thinkEvent("a"), thinkEvent("b"), thinkItem("a", "b")},
		{thinkItem("a", "b"), thinkEvent("a"), thinkEvent("b")},
		{thinkEvent("a"), thinkItem("a", "b"), thinkEvent("b")},
		{thinkEvent("a\n\nb"), thinkItem("a", "b")},
		{thinkItem("a", "b"), thinkEvent("a\n\nb")},
		{thinkEvent("a"), thinkDone("a", "b"), thinkEvent("b"), thinkItem("a", "b")},
	} {
		c := readOne(t, append([]string{meta("")}, records...)...)
		same(t, want, render(c))
		same(t, len(records)-1, c.Ledger.Merged)
	}
	c := readOne(t, meta(""), thinkItem("a"), thinkEvent("a"), thinkEvent("c"))
	same(t, []string{"assistant: <thinking a>", "assistant: <thinking c>"}, render(c))
}

// TestReasoningIsNeverLost: a list that only partly equals another one stays.
func TestReasoningIsNeverLost(t *testing.T) {
	c := readOne(t, meta(""), thinkDone("a", "b"), thinkItem("a"))
	if text := strings.Join(render(c), "\n"); !strings.Contains(text, "<thinking b>") {
		t.Errorf("b is gone: %s", text)
	}
}

// TestWindowIsFast: many equal texts in one turn do not cost the square of their number.
func TestWindowIsFast(t *testing.T) {
	records := []string{meta("")}
	for range 20_000 {
		records = append(records, thinkItem())
	}
	if n := len(readOne(t, records...).Messages); n != 20_000 {
		t.Errorf("%d messages", n)
	}
}

// TestWindowNeverLosesWords reads files of random representations: each text that an item holds is in the record as
// often as items hold it, and the ledger adds up.
func TestWindowNeverLosesWords(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		records, items := []string{meta("")}, map[string]int{}
		for range 1 + r.IntN(12) {
			text := string(rune('a' + r.IntN(3)))
			switch r.IntN(8) {
			case 0:
				records, items["user: "+text] = append(records, userItem(text)), items["user: "+text]+1
			case 1:
				records = append(records, userEvent(text))
			case 2:
				records, items["assistant: "+text] = append(records, botItem(text)), items["assistant: "+text]+1
			case 3:
				records = append(records, botEvent(text))
			case 4:
				records = append(records, botDone(text))
			case 5:
				records = append(records, userDone(text))
			case 6:
				records = append(records, turnStart(fmt.Sprint(r.IntN(5))))
			case 7:
				records = append(records, turnEnd(quote(text)))
			}
		}
		said := map[string]int{}
		for _, line := range render(readOne(t, records...)) {
			said[strings.Replace(line, "system(context)", "user", 1)]++
		}
		for line, n := range items {
			if said[line] < n {
				t.Fatalf("%q stands %d times, items say it %d times: %q", line, said[line], n, records)
			}
		}
	}
}
