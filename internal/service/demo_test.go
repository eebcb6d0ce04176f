package service

import (
	"context"
	"runtime"
	"testing"
	"time"

	"lore/adapter/all"
)

// Every adapter that looks into a home on this system has a sample there; a data export is read where it is named.
func TestDemoHasASampleOfEverySource(t *testing.T) {
	s := &Service{Adapters: all.Adapters(), Env: func(string) string { return "" }, Now: time.Now, Zone: time.UTC, Build: "test"}
	res, err := s.Demo(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]bool{}
	for _, source := range res.Import.Sources {
		shown[source.Source] = source.Conversations > 0
	}
	for _, a := range s.Adapters {
		info, here, sample := a.Info(), false, false
		for _, root := range info.Roots {
			here = here || root.Path != "" && (root.OS == "" || root.OS == runtime.GOOS)
			sample = sample || shown[root.Source]
		}
		if here && !sample {
			t.Errorf("%q has no conversation in the demo", info.Name)
		}
	}
	for _, l := range res.Import.Losses {
		if l.Severity != "info" {
			t.Errorf("a sample that is not whole: %+v", l)
		}
	}
}
