package index

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"lore"
)

// TestQuality asks the questions of testdata/quality.txt and fails when right answers come later than they did, or when
// answers are called weak that are not, or the other way round. The bounds are what was reached, less one question.
func TestQuality(t *testing.T) {
	text, err := os.ReadFile("testdata/quality.txt")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Unix(1_700_000_000, 0)
	type question struct{ text, of string }
	var questions []question
	var all []*lore.Conversation
	var name string
	var at time.Time
	var messages []lore.Message
	finish := func() {
		if name != "" {
			all = append(all, talk(name, messages...))
		}
	}
	for line := range strings.Lines(string(text)) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch word {
		case "==":
			finish()
			days := ""
			name, days, _ = strings.Cut(rest, " ")
			ago, err := strconv.Atoi(days)
			if err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			messages, at = nil, now.AddDate(0, 0, -ago)
		case "user:", "assistant:", "tool:":
			m := say(fmt.Sprint(len(messages)), lore.Role(strings.TrimSuffix(word, ":")), words(rest))
			m.At, m.AtFrom = lore.NewTime(at.UnixNano(), 3, false), lore.FromSource
			messages = append(messages, m)
		case "?":
			questions = append(questions, question{rest, name})
		case "!":
			questions = append(questions, question{rest, ""})
		}
	}
	finish()
	r := stored(t, all...)
	var asked, first, five, weak, unknown, known int
	for _, q := range questions {
		res := ask(t, r, q.text, Options{Limit: 20, Now: now, Zone: time.UTC})
		isWeak := res.Weak || len(res.Hits) == 0
		if q.of == "" {
			if unknown++; !isWeak {
				known++
				t.Logf("not weak: %s: %q", q.text, res.Hits[0].Snippet)
			}
			continue
		}
		asked++
		place := 0
		for i, h := range res.Hits {
			if c, err := h.Conversation.Conversation(); err == nil && c.Native == q.of {
				place = i + 1
				break
			}
		}
		if place == 1 {
			first++
		} else {
			t.Logf("place %d: %s", place, q.text)
		}
		if place >= 1 && place <= 5 {
			five++
		}
		if isWeak {
			weak++
			t.Logf("weak: %s", q.text)
		}
	}
	t.Logf("%d questions: %d first, %d among five, %d weak; %d of %d without an answer are not weak", asked, first, five, weak, known, unknown)
	for name, ok := range map[string]bool{"first": first >= asked, "among five": five >= asked, "weak": weak <= 0, "not weak": known <= 0} {
		if !ok {
			t.Errorf("worse: %s", name)
		}
	}
}
