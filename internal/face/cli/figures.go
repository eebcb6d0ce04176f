package cli

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"lore"
)

// ago tells how long before now a moment was, as a person says it; "" when it is absent.
func (pg *page) ago(t lore.Time) string {
	if t.IsZero() {
		return ""
	}
	at := t.Time()
	switch d := pg.now.Sub(at); {
	case d < -time.Minute:
		return pg.day(t)
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return count(int(d/time.Minute), "minute") + " ago"
	case d < 24*time.Hour:
		return count(int(d/time.Hour), "hour") + " ago"
	case d < 14*24*time.Hour:
		return count(int(d/(24*time.Hour)), "day") + " ago"
	case d < 60*24*time.Hour:
		return count(int(d/(7*24*time.Hour)), "week") + " ago"
	}
	return pg.day(t)
}

// day returns the date, clock the time of the day, both in the zone of the page, but a time without a zone as it was
// written.
func (pg *page) day(t lore.Time) string   { return pg.local(t).Format("2006-01-02") }
func (pg *page) clock(t lore.Time) string { return pg.local(t).Format("15:04:05") }

func (pg *page) local(t lore.Time) time.Time {
	if t.Naive() {
		return t.Time()
	}
	return t.Time().In(pg.zone)
}

// count puts a number before a word: "1 message", "1,204 messages".
func count(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	switch {
	case strings.HasSuffix(word, "ry"):
		word = strings.TrimSuffix(word, "y") + "ies"
	case strings.HasSuffix(word, "s"):
		word += "es"
	default:
		word += "s"
	}
	return number(int64(n)) + " " + word
}

// number groups the digits by threes.
func number(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// size tells a number of bytes with three digits at most.
func size(n int64) string {
	if n < 1000 {
		return strconv.FormatInt(n, 10) + " B"
	}
	f, units := float64(n), "kMGTPE"
	i := -1
	for f >= 999.5 && i+1 < len(units) {
		f /= 1000
		i++
	}
	digits := 0
	if f < 9.95 {
		digits = 1
	}
	return fmt.Sprintf("%.*f %cB", digits, f, units[i])
}

// lapse tells a duration roughly.
func lapse(d time.Duration) string {
	switch {
	case d < time.Second:
		return strconv.Itoa(int(d/time.Millisecond)) + " ms"
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < 2*time.Minute:
		return strconv.Itoa(int(d/time.Second)) + " s"
	}
	return strconv.Itoa(int(d/time.Minute)) + " min"
}
