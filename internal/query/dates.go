package query

import (
	"sort"
	"strconv"
	"strings"
	"time"
)

// interval is the time that a date names: from <= t < to, or a moment, with from == to.
type interval struct {
	from, to time.Time
	moment   bool
}

// words for days and longer times, besides the days of the week.
var namedTimes = []string{"now", "today", "yesterday", "this-week", "last-week", "this-month", "last-month", "this-year", "last-year"}

var weekdays = []string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"}

// datelike reports whether a value is meant as a date.
func datelike(value string) bool {
	switch c := value[0]; {
	case c >= '0' && c <= '9', strings.IndexByte("[{<>", c) >= 0:
		return true
	}
	low := strings.ToLower(value)
	for _, names := range [][]string{namedTimes, weekdays} {
		for _, n := range names {
			if low == n {
				return true
			}
		}
	}
	return false
}

// clock reads dates.
type clock struct {
	now  time.Time
	zone *time.Location
}

func (e Env) clock() clock {
	zone := e.Zone
	if zone == nil {
		zone = time.UTC
	}
	return clock{e.Now.Round(0).In(zone), zone}
}

// read returns the interval that a date names.
func (c clock) read(s string) (interval, bool) {
	low := strings.ToLower(s)
	for _, read := range []func(string) (interval, bool){c.named, c.ago, c.iso} {
		if iv, ok := read(low); ok {
			const first, last = 1000, 9999 // years of four digits, so that every date can be written again
			from, to := iv.from.UTC().Year(), iv.to.UTC().Year()
			return iv, from >= first && to <= last && iv.to.In(c.zone).Year() <= last && iv.from.In(c.zone).Year() >= first
		}
	}
	return interval{}, false
}

// days returns the interval of n days from a date.
func (c clock) days(year int, month time.Month, day, n int) interval {
	return interval{from: c.midnight(year, month, day), to: c.midnight(year, month, day+n)}
}

// midnight returns when a day begins in the zone: not at 00:00 where the clocks are put forward then.
func (c clock) midnight(year int, month time.Month, day int) time.Time {
	noon := time.Date(year, month, day, 12, 0, 0, 0, c.zone)
	wanted := time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	const window = 16 * 3600
	start := noon.Add(-window * time.Second)
	n := sort.Search(window, func(i int) bool {
		y, m, d := start.Add(time.Duration(i) * time.Second).Date()
		return !time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Before(wanted)
	})
	return start.Add(time.Duration(n) * time.Second)
}

// named reads words: yesterday, last-month, monday (the last one, today included).
func (c clock) named(s string) (interval, bool) {
	y, m, d := c.now.Date()
	monday := d - (int(c.now.Weekday())+6)%7
	switch s {
	case "now":
		return interval{c.now, c.now, true}, true
	case "today":
		return c.days(y, m, d, 1), true
	case "yesterday":
		return c.days(y, m, d-1, 1), true
	case "this-week":
		return c.days(y, m, monday, 7), true
	case "last-week":
		return c.days(y, m, monday-7, 7), true
	case "this-month":
		return interval{from: c.midnight(y, m, 1), to: c.midnight(y, m+1, 1)}, true
	case "last-month":
		return interval{from: c.midnight(y, m-1, 1), to: c.midnight(y, m, 1)}, true
	case "this-year":
		return interval{from: c.midnight(y, 1, 1), to: c.midnight(y+1, 1, 1)}, true
	case "last-year":
		return interval{from: c.midnight(y-1, 1, 1), to: c.midnight(y, 1, 1)}, true
	}
	for i, name := range weekdays {
		if s == name {
			return c.days(y, m, d-(int(c.now.Weekday())-i+7)%7, 1), true
		}
	}
	return interval{}, false
}

// farthest is the greatest number of units that a date counts back.
const farthest = 10_000

// ago reads spans that count back from now: 7d is the day seven days ago, 12h the moment twelve hours ago.
func (c clock) ago(s string) (interval, bool) {
	unit := strings.TrimLeft(s, "0123456789")
	n, err := strconv.Atoi(s[:len(s)-len(unit)])
	if err != nil || n > farthest {
		return interval{}, false
	}
	y, m, d := c.now.Date()
	switch unit {
	case "min":
		t := c.now.Add(-time.Duration(n) * time.Minute)
		return interval{t, t, true}, true
	case "h":
		t := c.now.Add(-time.Duration(n) * time.Hour)
		return interval{t, t, true}, true
	case "d":
		return c.days(y, m, d-n, 1), true
	case "w":
		return c.days(y, m, d-7*n, 1), true
	case "mo":
		return c.sameDay(y, int(m)-n, d), true
	case "y":
		return c.sameDay(y-n, int(m), d), true
	}
	return interval{}, false
}

// sameDay returns a day of a month, the last one where the month is shorter.
func (c clock) sameDay(year, month, day int) interval {
	last := time.Date(year, time.Month(month+1), 0, 12, 0, 0, 0, time.UTC).Day()
	return c.days(year, time.Month(month), min(day, last), 1)
}

// dateLayouts are the forms of dates of days and longer.
var dateLayouts = []string{"2006-01-02", "2006-1-2", "2006/01/02", "2006/1/2", "2006-01", "2006-1", "2006/01", "2006"}

// timeLayouts are the forms of times of day, with what one step of them is. Seconds may have a fraction.
var timeLayouts = []struct {
	layout string
	step   time.Duration
}{
	{"2006-01-02t15", time.Hour}, {"2006-01-02 15", time.Hour},
	{"2006-01-02t15:04", time.Minute}, {"2006-01-02 15:04", time.Minute},
	{"2006-01-02t15:04:05", time.Second}, {"2006-01-02 15:04:05", time.Second},
}

// iso reads ISO dates, also partial ones and those with a zone.
func (c clock) iso(s string) (interval, bool) {
	for _, layout := range dateLayouts {
		t, err := time.Parse(layout, s)
		if err != nil {
			continue
		}
		y, m, d := t.Date()
		switch strings.Count(layout, "-") + strings.Count(layout, "/") {
		case 0:
			return interval{from: c.midnight(y, 1, 1), to: c.midnight(y+1, 1, 1)}, true
		case 1:
			return interval{from: c.midnight(y, m, 1), to: c.midnight(y, m+1, 1)}, true
		}
		return c.days(y, m, d, 1), true
	}
	for _, l := range timeLayouts {
		if strings.Contains(s, ".") {
			l.step = time.Nanosecond
		}
		if t, err := time.ParseInLocation(l.layout, s, c.zone); err == nil {
			return interval{from: t, to: t.Add(l.step)}, true
		}
		for _, zone := range []string{"z07:00", "z0700", "z07"} {
			if t, err := time.Parse(l.layout+strings.ToUpper(zone), strings.Replace(s, "z", "Z", 1)); err == nil {
				return interval{from: t.In(c.zone), to: t.Add(l.step).In(c.zone)}, true
			}
		}
	}
	return interval{}, false
}
