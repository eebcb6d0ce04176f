package adaptertest

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"

	"lore"
	"lore/adapter"
)

// How much damage is tried: bytes that are read in all, and tries for each evidence within them.
const (
	damageBytes = 8 << 20
	damageMost  = 100
	damageLeast = 8
)

// checkDamage reads evidence that is cut, has flipped bytes, holes and runs of NULs, and wants the contract to hold all
// the same. Which bytes are hit is the same on every run.
func checkDamage(a adapter.Adapter, all []*evidence) (list problems) {
	for _, e := range all {
		if len(e.data()) == 0 {
			continue
		}
		tries := min(max(damageBytes/len(all)/len(e.data()), damageLeast), damageMost)
		seed := fnv.New64a()
		seed.Write([]byte(e.home.name + "\x00" + e.source.Path))
		r := rand.New(rand.NewPCG(seed.Sum64(), 1))
		for i := range tries {
			what, data := damage(r, e.data(), i)
			for _, p := range checkDamaged(a, e, data) {
				list = append(list, fmt.Sprintf("case %s, %s: %s: %s", e.home.name, e.source.Path, what, p))
			}
		}
	}
	return list
}

// damage makes one damaged copy and says what it did. The first tries are those that hit most often in the field.
func damage(r *rand.Rand, whole []byte, try int) (string, []byte) {
	at := r.IntN(len(whole))
	switch kind := try % 5; {
	case kind == 0:
		return fmt.Sprintf("cut at byte %d", at), bytes.Clone(whole[:at])
	case kind == 1:
		b := bytes.Clone(whole)
		b[at] ^= byte(1 + r.IntN(255))
		return fmt.Sprintf("byte %d is %#x", at, b[at]), b
	case kind == 2:
		n := 1 + r.IntN(2000)
		return fmt.Sprintf("%d NULs at byte %d", n, at), slices.Concat(whole[:at], make([]byte, n), whole[at:])
	case kind == 3:
		end := min(at+1+r.IntN(200), len(whole))
		return fmt.Sprintf("bytes %d to %d are gone", at, end), slices.Concat(whole[:at], whole[end:])
	default:
		end := min(at+1+r.IntN(200), len(whole))
		b := bytes.Clone(whole)
		clear(b[at:end])
		return fmt.Sprintf("bytes %d to %d are NULs", at, end), b
	}
}

// checkDamaged reads one damaged copy. A line that is still being written must be told, and once.
func checkDamaged(a adapter.Adapter, e *evidence, data []byte) problems {
	r := read(a, e.changed(data))
	list := checkResult(a.Info(), e, data, r)
	if r.err != nil || r.panicked != "" || !e.isLines() {
		return list
	}
	good, _, tail, err := countLines(e, data)
	if err != nil {
		return append(list, err.Error())
	}
	if n := countLosses(r, lore.PartialTail); n > 1 || n == 0 && tail != nil && !bytes.Contains(tail[1:], []byte(`{"`)) && len(r.records) > 0 {
		list = append(list, fmt.Sprintf("partial_tail is told %d times", n))
	}
	if n := countUnits(r); n < good {
		list = append(list, fmt.Sprintf("%d records in the file, %d units in the ledgers", good, n))
	}
	return list
}
