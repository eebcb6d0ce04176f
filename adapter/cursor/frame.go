package cursor

import (
	"strings"
	"time"

	"lore"
)

// The frame that Cursor puts around what a person wrote, and the time that newer versions put before it. What else
// stands around it is attached context.
const (
	frameOpen  = "<user_query>"
	frameClose = "</user_query>"
	timeOpen   = "<timestamp>"
	timeClose  = "</timestamp>"
)

// framed is a text of a user's turn, taken apart.
type framed struct {
	before, words, after string
	at                   lore.Time // absent when there is none
	badTime              bool      // a time stands there that cannot be read; it stays in before
	frame                bool
}

// unframe takes a text apart. Without the frame all of it is the person's words, but for a time that stands first. The
// frame is the outer one: it begins the text or stands behind other tags, so that a person may quote the tag.
func unframe(text string) framed {
	open := strings.Index(text, frameOpen)
	end := strings.LastIndex(text, frameClose)
	lead := ""
	if open >= 0 {
		lead = strings.TrimSpace(text[:open])
	}
	if open < 0 || end < open+len(frameOpen) || lead != "" && lead[0] != '<' && lead[0] != '[' {
		f := framed{words: text}
		if at, rest, ok := leadingTime(text); ok {
			f.at, f.words = at, strings.TrimLeft(rest, "\r\n")
		}
		return f
	}
	f := framed{frame: true, before: lead, words: strings.Trim(text[open+len(frameOpen):end], "\r\n"),
		after: strings.TrimSpace(text[end+len(frameClose):])}
	if at, rest, ok := leadingTime(lead); ok {
		f.at, f.before = at, strings.TrimSpace(rest)
	} else {
		f.badTime = strings.HasPrefix(lead, timeOpen)
	}
	return f
}

// leadingTime cuts a time off the head of a text.
func leadingTime(text string) (at lore.Time, rest string, ok bool) {
	rest, ok = strings.CutPrefix(strings.TrimLeft(text, " \r\n"), timeOpen)
	if !ok {
		return lore.Time{}, text, false
	}
	stamp, rest, ok := strings.Cut(rest, timeClose)
	if !ok {
		return lore.Time{}, text, false
	}
	if at, ok = parseStamp(stamp); !ok {
		return lore.Time{}, text, false
	}
	return at, rest, true
}

// parseStamp reads "Monday, Mar 2, 2026, 2:07 PM (UTC+3)". Without a zone in brackets the time is naive.
func parseStamp(s string) (lore.Time, bool) {
	s = strings.Join(strings.Fields(s), " ")
	zone, naive := time.UTC, true
	if head, tail, ok := strings.Cut(s, " ("); ok {
		offset, ok := parseOffset(strings.TrimSuffix(tail, ")"))
		if !ok {
			return lore.Time{}, false
		}
		s, zone, naive = head, time.FixedZone("", offset), false
	}
	if _, date, ok := strings.Cut(s, "day, "); ok {
		s = date
	}
	for _, layout := range []string{"Jan 2, 2006, 3:04 PM", "January 2, 2006, 3:04 PM", "Jan 2, 2006, 3:04:05 PM", "Jan 2, 2006, 15:04"} {
		if t, err := time.ParseInLocation(layout, s, zone); err == nil {
			return lore.NewTime(t.UnixNano(), 0, naive), true
		}
	}
	return lore.Time{}, false
}

// parseOffset reads "UTC", "UTC+3", "UTC-4" and "GMT+5:30": seconds east of Greenwich.
func parseOffset(s string) (int, bool) {
	rest, ok := strings.CutPrefix(s, "UTC")
	if !ok {
		if rest, ok = strings.CutPrefix(s, "GMT"); !ok {
			return 0, false
		}
	}
	if rest == "" {
		return 0, true
	}
	sign := 1
	switch rest[0] {
	case '+':
	case '-':
		sign = -1
	default:
		return 0, false
	}
	hours, minutes, colon := strings.Cut(rest[1:], ":")
	h, ok := twoDigits(hours, 23)
	m := 0
	if ok && colon {
		m, ok = twoDigits(minutes, 59)
	}
	return sign * (h*3600 + m*60), ok
}

func twoDigits(s string, most int) (int, bool) {
	if s == "" || len(s) > 2 {
		return 0, false
	}
	n := 0
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = n*10 + int(s[i]-'0')
	}
	return n, n <= most
}
