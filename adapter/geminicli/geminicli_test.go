package geminicli

import (
	"context"
	"iter"
	"strings"
	"testing"

	"lore"
	"lore/adapter"
	"lore/adapter/adaptertest"
)

func TestContract(t *testing.T) { adaptertest.Run(t, New(), adaptertest.Options{}) }

func FuzzRead(f *testing.F) { adaptertest.Fuzz(f, linesAlone{New()}) }

// linesAlone takes a file with a log's name for a log alone: what the contract wants of lines does not hold for a
// document that has such a name.
type linesAlone struct{ adapter.Adapter }

func (a linesAlone) Read(ctx context.Context, in adapter.Input) iter.Seq2[*lore.Conversation, error] {
	if f, err := openFile(in, in.Source.Path); err == nil {
		defer f.close()
		if strings.HasSuffix(in.Source.Path, ".jsonl") && isDocument(f) {
			return func(yield func(*lore.Conversation, error) bool) { yield(nil, adapter.ErrNotMine) }
		}
	}
	return a.Adapter.Read(ctx, in)
}
