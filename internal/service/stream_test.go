package service_test

import (
	"context"
	"fmt"
	"testing"

	"lore/internal/service"
)

// fill writes n sessions that each say one sentence with the word lantern.
func (m *machine) fill(n int) {
	for i := range n {
		m.write(fmt.Sprintf(".claude/projects/-proj-lantern/5d1f0c3a-0000-4000-8000-%012d.jsonl", i),
			fmt.Sprintf(`{"type":"user","uuid":"u%d","parentUuid":null,"sessionId":"5d1f0c3a-0000-4000-8000-%012d","cwd":"/proj/lantern","timestamp":"2026-03-02T09:00:00.000Z","message":{"role":"user","content":"lantern number %d"}}`+"\n", i, i, i))
	}
}

func TestImportEvents(t *testing.T) {
	m := newMachine(t)
	m.fill(30)
	var last service.ImportEvent
	for e, err := range m.svc.ImportEvents(context.Background(), service.ImportRequest{}) {
		if err != nil {
			t.Fatal(err)
		}
		if last.Report != nil {
			t.Error("something comes behind the report")
		}
		last = e
	}
	if last.Report == nil || last.Report.Conversations.New != 30 {
		t.Errorf("the last event is %+v, want the report of 30 new conversations", last)
	}
	// Whoever has enough can import again at once.
	for range m.svc.ImportEvents(context.Background(), service.ImportRequest{Verify: true}) {
		break
	}
	if res := m.imports(); res.Conversations.Total != 30 {
		t.Errorf("%+v after a stream was broken off", res.Conversations)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var got error
	for _, err := range m.svc.ImportEvents(ctx, service.ImportRequest{Verify: true}) {
		got = err
	}
	if got == nil {
		t.Error("an import whose context has ended tells no error")
	}
}

func TestSearchHits(t *testing.T) {
	m := newMachine(t)
	m.fill(30)
	m.imports()
	met := map[string]bool{}
	for h, err := range m.svc.SearchHits(context.Background(), service.SearchRequest{Query: "lantern", Limit: 7}) {
		if err != nil {
			t.Fatal(err)
		}
		if id := h.ID.String(); met[id] {
			t.Errorf("%s comes twice", id)
		} else {
			met[id] = true
		}
	}
	if len(met) != 30 {
		t.Errorf("%d hits, want 30", len(met))
	}
	n := 0
	for range m.svc.SearchHits(context.Background(), service.SearchRequest{Query: "lantern", Limit: 7}) {
		if n++; n == 8 {
			break
		}
	}
	if n != 8 {
		t.Errorf("%d hits before the break", n)
	}
	for _, err := range m.svc.SearchHits(context.Background(), service.SearchRequest{Query: "role:banana"}) {
		if err == nil {
			t.Error("a query that is wrong usage gives hits")
		}
	}
}
