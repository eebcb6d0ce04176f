package codex

import (
	"path"
	"strings"

	"lore"
	"lore/adapter/kit"
)

// fileName is what the name of a rollout says: rollout-2026-03-02T09-00-00-UUID.jsonl, in the earliest generation with
// a date alone.
type fileName struct {
	rollout bool      // it has the form of a rollout's name
	id      string    // the uuid at the end; empty when there is none
	time    lore.Time // in the writer's zone, which the name does not say; absent when there is none
}

func parseName(file string) fileName {
	stem := strings.TrimSuffix(path.Base(file), ".zst")
	stem = strings.TrimSuffix(strings.TrimSuffix(stem, ".jsonl"), ".json")
	var n fileName
	rest, found := strings.CutPrefix(stem, "rollout-")
	n.rollout = found
	if at := len(rest) - uuidLen; at >= 0 && isUUID(rest[at:]) && (at == 0 || rest[at-1] == '-') {
		n.id = rest[at:]
		rest = strings.TrimSuffix(rest[:at], "-")
	}
	if found {
		n.time = nameTime(rest)
	}
	return n
}

// nameTime reads "2026-03-02T09-00-00" or "2026-03-02".
func nameTime(s string) lore.Time {
	day, clock, ok := strings.Cut(s, "T")
	if ok {
		day += "T" + strings.ReplaceAll(clock, "-", ":")
	} else {
		day += "T00:00:00"
	}
	t, _ := kit.ParseTimeString(day)
	return t
}

const uuidLen = 36

func isUUID(s string) bool {
	if len(s) != uuidLen {
		return false
	}
	for i := range len(s) {
		switch i {
		case 8, 13, 18, 23:
			if s[i] != '-' {
				return false
			}
		default:
			if hexDigit(s[i]) < 0 {
				return false
			}
		}
	}
	return true
}

// hexDigit returns the value of a hexadecimal digit, or -1.
func hexDigit(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// uuidTime returns the milliseconds since 1970 that a uuid of version 7 begins with.
func uuidTime(s string) (ms int64, ok bool) {
	if !isUUID(s) || s[14] != '7' {
		return 0, false
	}
	for i := range 13 {
		if d := hexDigit(s[i]); d >= 0 {
			ms = ms<<4 | int64(d)
		}
	}
	return ms, true
}
