package opencode

import (
	"path"
	"strings"

	"lore/adapter"
)

// settle fills in the source and store of an evidence that a user named, by where it stands and what it is. Trusted says
// that Find has found it.
func settle(in adapter.Input) (_ adapter.Input, trusted bool, _ error) {
	if in.Source.Store != "" {
		return in, true, nil
	}
	product := productOf(in.Name(in.Source.Path))
	if in.Source.Product != "" && in.Source.Product != product {
		return in, false, adapter.ErrNotMine
	}
	in.Source.Product, in.Source.Store = product, storeDB
	if strings.EqualFold(path.Ext(in.Source.Path), ".json") {
		in.Source.Store = storeTree
	}
	return in, false, nil
}
