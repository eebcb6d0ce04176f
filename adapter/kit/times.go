package kit

import (
	"math"
	"strconv"
	"strings"
	"time"

	"lore"
	"lore/adapter"
)

// ParseTime reads a time as sources write it: an ISO string, a number, or a number in a string. A number is seconds
// below 1e11, milliseconds below 1e14, microseconds below 1e17, else nanoseconds. False when it cannot be read.
func ParseTime(v Value) (lore.Time, bool) {
	switch v.Kind() {
	case String:
		return ParseTimeString(string(v.text()))
	case Number:
		return parseNumber(string(v.Raw()))
	}
	return lore.Time{}, false
}

// TimeFrom says where a time that stands in the unit itself comes from: source, source_naive, or none when absent.
func TimeFrom(t lore.Time) lore.TimeFrom {
	switch {
	case t.IsZero():
		return lore.FromNone
	case t.Naive():
		return lore.FromSourceNaive
	}
	return lore.FromSource
}

// FileTime returns when the evidence's file was last written: the last resort where nothing in it has a time. Absent when
// it is not known.
func FileTime(in adapter.Input) lore.Time {
	if in.Source.Info == nil || in.Source.Info.ModTime().Unix() <= 0 {
		return lore.Time{}
	}
	return lore.NewTime(in.Source.Info.ModTime().Unix()*1e9, 0, false)
}

// ParseTimeString reads an ISO 8601 time with or without zone, a date alone, or a number. Without a zone it is naive.
// More than nine fraction digits are cut to nine.
func ParseTimeString(s string) (lore.Time, bool) {
	s = strings.TrimSpace(s)
	c := clock{rest: s}
	if !c.date() {
		return parseNumber(s)
	}
	if c.rest == "" {
		return c.time(0, true)
	}
	if !c.oneOf("Tt ") || !c.ofDay() {
		return lore.Time{}, false
	}
	c.oneOf(" ") // "2026-03-02 09:00:00 +0100"
	if c.rest == "" {
		return c.time(0, true)
	}
	offset, ok := c.zone()
	if !ok {
		return lore.Time{}, false
	}
	return c.time(offset, false)
}

// clock reads the fields of an ISO time from the head of rest.
type clock struct {
	rest                                 string
	year, month, day, hour, minute, secs int
	nanos, digits                        int
}

func (c *clock) date() bool {
	return c.number(4, &c.year) && c.oneOf("-/") && c.number(2, &c.month) && c.oneOf("-/") && c.number(2, &c.day) &&
		c.month >= 1 && c.month <= 12 && c.day >= 1 && c.day <= 31
}

// ofDay reads HH:MM with optional seconds and fraction.
func (c *clock) ofDay() bool {
	if !c.number(2, &c.hour) || !c.oneOf(":") || !c.number(2, &c.minute) {
		return false
	}
	if c.oneOf(":") {
		if !c.number(2, &c.secs) {
			return false
		}
		if c.oneOf(".,") && !c.fraction() {
			return false
		}
	}
	return c.hour <= 24 && c.minute <= 59 && c.secs <= 60
}

func (c *clock) fraction() bool {
	n := 0
	for ; n < len(c.rest) && isDigit(c.rest[n]); n++ {
		if n < 9 {
			c.nanos = c.nanos*10 + int(c.rest[n]-'0')
			c.digits++
		}
	}
	for i := c.digits; i < 9; i++ {
		c.nanos *= 10
	}
	c.rest = c.rest[n:]
	return n > 0
}

// zone reads Z, +HH:MM, +HHMM, +HH, or UTC and returns the seconds east of UTC.
func (c *clock) zone() (int, bool) {
	switch c.rest {
	case "Z", "z", "UTC", "GMT":
		return 0, true
	}
	sign := 1
	if strings.HasPrefix(c.rest, "-") {
		sign = -1
	}
	var hours, minutes int
	if !c.oneOf("+-") || !c.number(2, &hours) {
		return 0, false
	}
	if c.rest != "" {
		c.oneOf(":")
		if !c.number(2, &minutes) {
			return 0, false
		}
	}
	return sign * (hours*3600 + minutes*60), c.rest == "" && hours <= 23 && minutes <= 59
}

// time puts the fields together. A day that its month does not have is no time.
func (c *clock) time(offset int, naive bool) (lore.Time, bool) {
	t := time.Date(c.year, time.Month(c.month), c.day, c.hour, c.minute, c.secs, 0, time.UTC)
	day := time.Date(c.year, time.Month(c.month), c.day, 0, 0, 0, 0, time.UTC)
	if day.Day() != c.day {
		return lore.Time{}, false
	}
	return fromSeconds(t.Unix()-int64(offset), int64(c.nanos), c.digits, naive)
}

func (c *clock) number(digits int, to *int) bool {
	if len(c.rest) < digits {
		return false
	}
	n := 0
	for i := range digits {
		if !isDigit(c.rest[i]) {
			return false
		}
		n = n*10 + int(c.rest[i]-'0')
	}
	c.rest, *to = c.rest[digits:], n
	return true
}

func (c *clock) oneOf(set string) bool {
	if c.rest == "" || strings.IndexByte(set, c.rest[0]) < 0 {
		return false
	}
	c.rest = c.rest[1:]
	return true
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// fromSeconds makes a time; false outside of the years that nanoseconds since 1970 can say.
func fromSeconds(seconds, nanos int64, digits int, naive bool) (lore.Time, bool) {
	const most = math.MaxInt64/1_000_000_000 - 1
	if seconds > most || seconds < -most {
		return lore.Time{}, false
	}
	return lore.NewTime(seconds*1_000_000_000+nanos, digits, naive), true
}

// parseNumber reads a count of seconds, milli-, micro- or nanoseconds by its size. The digits of a fraction are kept
// without rounding. Zero and less are no times: sources write 0 where they know none.
func parseNumber(s string) (lore.Time, bool) {
	whole, fraction, _ := strings.Cut(s, ".")
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || strings.HasPrefix(s, "+") || !allDigits(fraction) {
		f, ferr := strconv.ParseFloat(s, 64)
		if ferr != nil || !strings.ContainsAny(s, "eE") || f < 1 || f >= math.MaxInt64 {
			return lore.Time{}, false
		}
		n, fraction = int64(f), ""
	}
	if n <= 0 {
		return lore.Time{}, false
	}
	digits := 0
	switch {
	case n >= 1e17:
		digits = 9
	case n >= 1e14:
		digits = 6
	case n >= 1e11:
		digits = 3
	}
	fraction = strings.TrimRight(fraction, "0")
	fraction = fraction[:min(len(fraction), 9-digits)]
	unit, nanos := int64(math.Pow10(digits)), int64(0)
	if fraction != "" {
		nanos, _ = strconv.ParseInt((fraction + "000000000")[:9-digits], 10, 64)
	}
	return fromSeconds(n/unit, n%unit*(1_000_000_000/unit)+nanos, digits+len(fraction), false)
}

func allDigits(s string) bool {
	for i := range len(s) {
		if !isDigit(s[i]) {
			return false
		}
	}
	return true
}
