package index

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lore"
)

// alike lists what is similar, in short: messages as native id, how and likeness; conversations as native id, copies and
// the first reasons.
func alike(t *testing.T, r *Reader, of SimilarTo, all ...*lore.Conversation) (messages, related []string) {
	t.Helper()
	res, err := r.Similar(context.Background(), of)
	if err != nil {
		t.Fatal(err)
	}
	name := map[lore.ID]string{}
	for _, c := range all {
		name[c.ID] = c.Native
		for i := range c.Messages {
			name[c.Messages[i].ID] = c.Native + "/" + c.Messages[i].Native
		}
	}
	for _, m := range res.Messages {
		messages = append(messages, fmt.Sprintf("%s %s %.1f %.1f", name[m.Message], m.How, m.Likeness, m.Held))
	}
	for _, c := range res.Related {
		s := fmt.Sprintf("%s %d", name[c.Conversation.ID], c.Copies)
		for _, x := range c.Reasons[:min(len(c.Reasons), 2)] {
			s += " " + x.What + ":" + x.Value
		}
		related = append(related, s)
	}
	return messages, related
}

func TestSimilar(t *testing.T) {
	const said = "the lantern relay overheats when the harbour pump starts in the morning fog"
	one := spoken("one", said, "replace the relay by a bigger one")
	two := spoken("two", said, "unrelated words about a garden")
	three := spoken("three", "the lantern relay overheats when the harbour pump starts in the evening fog", "what then")
	four := spoken("four", "He wrote to us: "+said+". That is all we know so far about it, and nobody has looked at the thing since.")
	five := spoken("five", "a zeppelin over the meadow", "it was green")
	six := talk("six", say("a", lore.Assistant, lore.Part{Kind: lore.Call, Name: "Edit", Text: `{"file_path":"/proj/relay/main.go","old":"x"}`}),
		say("b", lore.Tool, lore.Part{Kind: lore.Result, Text: "error: quokka overflow at line 7"}))
	seven := talk("seven", say("a", lore.Assistant, lore.Part{Kind: lore.Call, Name: "Edit", Text: `{"file_path":"/proj/relay/main.go","old":"y"}`}),
		say("b", lore.User, words("what is a quokka overflow")))
	all := []*lore.Conversation{one, two, three, four, five, six, seven}
	r := stored(t, all...)

	messages, related := alike(t, r, SimilarTo{Message: one.Messages[0].ID}, all...)
	if diff := cmp.Diff([]string{"two/a copy 1.0 1.0", "three/a near 0.7 0.8", "four/a holds 0.3 1.0"}, messages); diff != "" {
		t.Errorf("to a message (-want +got):\n%s", diff)
	}
	if len(related) < 3 {
		t.Errorf("related to the message's conversation: %v", related)
	}
	messages, _ = alike(t, r, SimilarTo{Text: "A ZEPPELIN, over the meadow!"}, all...)
	if diff := cmp.Diff([]string{"five/a same 1.0 1.0"}, messages); diff != "" {
		t.Errorf("to a text (-want +got):\n%s", diff)
	}
	messages, related = alike(t, r, SimilarTo{Conversation: two.ID}, all...)
	if len(messages) != 0 || len(related) == 0 || related[0][:5] != "one 1" {
		t.Errorf("to a conversation with a copy: %v, %v", messages, related)
	}
	_, related = alike(t, r, SimilarTo{Conversation: six.ID}, all...)
	if diff := cmp.Diff([]string{"seven 0 error:overflow error:quokka"}, related); diff != "" {
		t.Errorf("to an error (-want +got):\n%s", diff)
	}
	if messages, related = alike(t, r, SimilarTo{Text: "wombat"}, all...); len(messages)+len(related) != 0 {
		t.Errorf("to nothing: %v, %v", messages, related)
	}
	for _, odd := range []string{"\x00\xff", "。", "a", "\x1b[31m", "   "} {
		alike(t, r, SimilarTo{Text: odd}, all...)
	}
	if _, err := r.Similar(context.Background(), SimilarTo{Conversation: lore.ID{1}}); err == nil {
		t.Error("no error for an id that is not there")
	}
}
