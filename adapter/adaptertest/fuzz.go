package adaptertest

import (
	"testing"

	"lore/adapter"
)

// maxSeed is how large an evidence may be to seed a fuzz target.
const maxSeed = 64 << 10

// Fuzz runs a fuzz target that puts other bytes in the place of an evidence's own and wants the contract to hold. It is
// seeded from testdata.
func Fuzz(f *testing.F, a adapter.Adapter) {
	var all []*evidence
	homes := testdataHomes(f)
	for _, name := range sortedKeys(homes) {
		for _, e := range find(a, openHome(f, name, homes[name])).evidence {
			if data := e.data(); len(data) > 0 && len(data) <= maxSeed && len(all) < 256 {
				f.Add(byte(len(all)), data)
				all = append(all, e)
			}
		}
	}
	if len(all) == 0 {
		f.Skip("no evidence in testdata")
	}
	f.Fuzz(func(t *testing.T, which byte, data []byte) {
		report(t, checkDamaged(a, all[int(which)%len(all)], data))
	})
}
