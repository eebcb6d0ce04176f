package codex

import (
	"github.com/cespare/xxhash/v2"

	"lore"
	"lore/adapter/kit"
)

// usage counts the tokens of each call of the model once. The tool repeats its running total on many lines: only a new
// total is a new call. A total that comes before the model has done anything here was inherited.
type usage struct {
	seen  map[uint64]struct{} // totals, by their bytes
	total lore.Usage          // the latest total
	spent []spent
	sum   lore.Usage // of all that was counted
	loose bool       // some of it belongs to no message
}

// spent is what one call of the model took, at the unit that it wrote last.
type spent struct {
	unit  int32
	usage lore.Usage
}

// verdict is what a token count proved to be.
type verdict uint8

const (
	usageNew    verdict = iota + 1 // a call of the model, counted
	usageAgain                     // the same call again, or one of another file
	usageAbsent                    // it says no tokens
)

// count reads a token_count. The unit is the last one that the model wrote, -1 for none; foreign says that nothing of
// this file can have caused the tokens.
func (u *usage) count(body kit.Value, unit int32, foreign bool) verdict {
	info := body.Get("info")
	if !info.Exists() {
		info = body
	}
	total := info.Get("total_token_usage")
	if !total.IsObject() {
		return usageAbsent
	}
	digest := xxhash.Sum64(total.Raw())
	if _, again := u.seen[digest]; again {
		return usageAgain
	}
	if u.seen == nil {
		u.seen = map[uint64]struct{}{}
	}
	u.seen[digest] = struct{}{}
	before := u.total
	u.total = tokens(total)
	if foreign {
		return usageAgain
	}
	took := tokens(info.Get("last_token_usage"))
	if !info.Get("last_token_usage").IsObject() {
		took = less(u.total, before)
	}
	if took == (lore.Usage{}) {
		return usageAbsent
	}
	plus(&u.sum, took)
	switch n := len(u.spent); {
	case unit < 0:
		u.loose = true
	case n > 0 && u.spent[n-1].unit == unit:
		plus(&u.spent[n-1].usage, took)
	default:
		u.spent = append(u.spent, spent{unit, took})
	}
	return usageNew
}

// tokens reads the counts as the source writes them: input includes what was read from the cache.
func tokens(v kit.Value) lore.Usage {
	n := func(key string) int64 {
		n, _ := v.Get(key).Int()
		return max(n, 0)
	}
	return lore.Usage{
		Input: n("input_tokens"), Output: n("output_tokens"),
		CacheRead: n("cached_input_tokens"), CacheWrite: n("cache_write_input_tokens"),
	}
}

func plus(a *lore.Usage, b lore.Usage) {
	a.Input += b.Input
	a.Output += b.Output
	a.CacheRead += b.CacheRead
	a.CacheWrite += b.CacheWrite
}

// less returns what a total has grown by; a total that was begun anew counts whole.
func less(a, b lore.Usage) lore.Usage {
	d := lore.Usage{Input: a.Input - b.Input, Output: a.Output - b.Output, CacheRead: a.CacheRead - b.CacheRead, CacheWrite: a.CacheWrite - b.CacheWrite}
	if min(d.Input, d.Output, d.CacheRead, d.CacheWrite) < 0 {
		return a
	}
	return d
}
