package service_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lore"
	"lore/internal/service"
)

// A fork whose origin is not here says so, wherever its losses are told, until the origin comes.
func TestForkWithoutItsOrigin(t *testing.T) {
	const (
		folder = ".codex/sessions/2026/03/02/rollout-2026-03-02T09-00-0"
		origin = "019c7c2f-0000-7000-8000-000000000001"
		fork   = "019c7c2f-0001-7000-8000-000000000002"
	)
	meta := func(id, more string) string {
		return `{"timestamp":"2026-03-02T09:50:00.000Z","type":"session_meta","payload":{"id":"` + id + `","timestamp":"2026-03-02T09:00:00.000Z","cwd":"/proj/lantern","cli_version":"0.140.0","source":"cli"` + more + `}}` + "\n"
	}
	say := func(minute, text string) string {
		return `{"timestamp":"2026-03-02T09:` + minute + `:00.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"` + text + `"}]}}` + "\n"
	}
	m := newMachine(t)
	m.write(folder+"1-"+fork+".jsonl", meta(fork, `,"forked_from_id":"`+origin+`"`)+meta(origin, "")+say("50", "trim the wick")+
		`{"timestamp":"2026-03-02T09:51:00.000Z","type":"turn_context","payload":{"cwd":"/proj/lantern","turn_id":"`+fork+`"}}`+"\n"+say("52", "fill the oil"))
	m.imports()

	listed := func() (native map[string]int, id string) {
		t.Helper()
		res, err := m.svc.List(t.Context(), service.ListRequest{})
		if err != nil {
			t.Fatal(err)
		}
		native = map[string]int{}
		for _, c := range res.Conversations {
			native[c.NativeID] = c.Losses
			if c.NativeID == fork {
				id = c.ID.String()
			}
		}
		return native, id
	}
	all, id := listed()
	if d := cmp.Diff(map[string]int{fork: 1}, all); d != "" {
		t.Errorf("losses listed (-want +got):\n%s", d)
	}
	shown, err := m.svc.Show(t.Context(), service.ShowRequest{ID: id})
	if err != nil {
		t.Fatal(err)
	}
	want := []lore.Loss{{Code: lore.MissingParent, Severity: lore.Info, Source: "codex", File: "~/" + folder + "1-" + fork + ".jsonl",
		What: `the conversation that this one was forked from is not here: "` + origin + `"`, Count: 1}}
	if d := cmp.Diff(want, shown.Conversation.Losses); d != "" {
		t.Errorf("losses shown (-want +got):\n%s", d)
	}
	var out bytes.Buffer
	if _, err := m.svc.Export(t.Context(), service.ExportRequest{IDs: []string{id}, Format: "json", Out: &out}); err != nil {
		t.Fatal(err)
	}
	var exported struct{ Losses []lore.Loss }
	if err := json.Unmarshal(out.Bytes(), &exported); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, exported.Losses); d != "" {
		t.Errorf("losses exported (-want +got):\n%s", d)
	}
	m.sound("without the origin")

	m.write(folder+"0-"+origin+".jsonl", meta(origin, "")+say("10", "trim the wick"))
	m.imports()
	if all, _ := listed(); cmp.Diff(map[string]int{fork: 0, origin: 0}, all) != "" {
		t.Errorf("with the origin: %v, want no losses", all)
	}
}
