package index

import (
	"strconv"
	"strings"
	"time"
)

// timeAsked is a time that a question names in its own words: "last week", "in May", "7 May 2023", "2022". The zero value
// is none.
type timeAsked struct {
	from, to time.Time // from <= t < to
	month    time.Month
	day      int            // of the month; 0: none
	zone     *time.Location // of a month without a year, which is that month of any year
	set      bool
}

var monthNames = func() map[string]time.Month {
	m := map[string]time.Month{"sept": time.September}
	for i := time.January; i <= time.December; i++ {
		name := strings.ToLower(i.String())
		m[name], m[name[:3]] = i, i
	}
	return m
}()

// findTime takes a time out of a question. The verb "march" and the modal "may" are no months: a month that may be a word
// needs a capital, or a number beside it.
func findTime(tokens []token, now time.Time, zone *time.Location) (timeAsked, []token) {
	if zone == nil {
		zone = time.UTC
	}
	for i := range tokens {
		if t, n := timeAt(tokens, i, now, zone); n > 0 {
			rest := append(append([]token(nil), tokens[:i]...), tokens[i+n:]...)
			return t, rest
		}
	}
	return timeAsked{}, tokens
}

// timeAt reads a time at a token and returns how many tokens it takes; 0: there is none.
func timeAt(tokens []token, i int, now time.Time, zone *time.Location) (timeAsked, int) {
	word := func(k int) string {
		if k < 0 || k >= len(tokens) {
			return ""
		}
		return tokens[k].term
	}
	if !now.IsZero() {
		if t, n := relativeTime(word(i), word(i+1), now.In(zone)); n > 0 {
			return t, n
		}
	}
	if d := dayNumber(word(i)); d > 0 {
		k := i + 1
		if word(k) == "of" {
			k++
		}
		if m, ok := monthNames[word(k)]; ok {
			if y := yearNumber(word(k + 1)); y > 0 {
				return dayOf(y, m, d, zone), k + 2 - i
			}
			return timeAsked{month: m, day: d, zone: zone, set: true}, k + 1 - i
		}
	}
	if m, ok := monthNames[word(i)]; ok {
		if y := yearNumber(word(i + 1)); y > 0 {
			return monthOf(y, m, zone), 2
		}
		if d := dayNumber(word(i + 1)); d > 0 {
			if y := yearNumber(word(i + 2)); y > 0 {
				return dayOf(y, m, d, zone), 3
			}
			return timeAsked{month: m, day: d, zone: zone, set: true}, 2
		}
		doubtful := word(i) == "may" || word(i) == "march" || word(i) == "mar" || word(i) == "sun" || len(word(i)) == 3
		if !doubtful || tokens[i].capital && word(i) != "mar" || monthFollows[word(i-1)] && len(word(i)) > 3 {
			return timeAsked{month: m, zone: zone, set: true}, 1
		}
	}
	if y := yearNumber(word(i)); y > 0 {
		return timeAsked{from: time.Date(y, 1, 1, 0, 0, 0, 0, zone), to: time.Date(y+1, 1, 1, 0, 0, 0, 0, zone), set: true}, 1
	}
	return timeAsked{}, 0
}

var monthFollows = map[string]bool{"in": true, "last": true, "since": true, "early": true, "late": true, "mid": true}

// relativeTime reads a time that counts from now.
func relativeTime(first, second string, now time.Time) (timeAsked, int) {
	y, m, d := now.Date()
	day := time.Date(y, m, d, 0, 0, 0, 0, now.Location())
	week := day.AddDate(0, 0, -(int(day.Weekday())+6)%7)
	month := time.Date(y, m, 1, 0, 0, 0, 0, now.Location())
	year := time.Date(y, 1, 1, 0, 0, 0, 0, now.Location())
	between := func(from, to time.Time) timeAsked { return timeAsked{from: from, to: to, set: true} }
	switch first {
	case "yesterday":
		return between(day.AddDate(0, 0, -1), day), 1
	case "today":
		return between(day, day.AddDate(0, 0, 1)), 1
	case "last":
		switch second {
		case "week":
			return between(week.AddDate(0, 0, -7), week), 2
		case "month":
			return between(month.AddDate(0, -1, 0), month), 2
		case "year":
			return between(year.AddDate(-1, 0, 0), year), 2
		}
	case "this":
		switch second {
		case "week":
			return between(week, week.AddDate(0, 0, 7)), 2
		case "month":
			return between(month, month.AddDate(0, 1, 0)), 2
		case "year":
			return between(year, year.AddDate(1, 0, 0)), 2
		}
	}
	return timeAsked{}, 0
}

func dayNumber(s string) int {
	for _, end := range []string{"st", "nd", "rd", "th"} {
		s = strings.TrimSuffix(s, end)
	}
	if n, err := strconv.Atoi(s); err == nil && len(s) <= 2 && n >= 1 && n <= 31 {
		return n
	}
	return 0
}

func yearNumber(s string) int {
	if n, err := strconv.Atoi(s); err == nil && len(s) == 4 && n >= 1990 && n < 2100 {
		return n
	}
	return 0
}

func monthOf(y int, m time.Month, zone *time.Location) timeAsked {
	from := time.Date(y, m, 1, 0, 0, 0, 0, zone)
	return timeAsked{from: from, to: from.AddDate(0, 1, 0), set: true}
}

func dayOf(y int, m time.Month, d int, zone *time.Location) timeAsked {
	from := time.Date(y, m, d, 0, 0, 0, 0, zone)
	return timeAsked{from: from, to: from.AddDate(0, 0, 1), set: true}
}

// near returns how well a conversation fits the time: 1 inside of it, up to 0.5 after it and 0.25 before it.
func (t timeAsked) near(w *window) float64 {
	if !t.set || w.to == 0 {
		return 0
	}
	best := 0.0
	first, last := time.Unix(0, w.from).UTC(), time.Unix(0, w.to).UTC()
	if t.month == 0 {
		return closeTo(t.from, t.to, first, last)
	}
	for y := first.Year() - 1; y <= last.Year()+1 && y < first.Year()+20; y++ {
		span := monthOf(y, t.month, t.zone)
		if t.day > 0 {
			span = dayOf(y, t.month, t.day, t.zone)
		}
		best = max(best, closeTo(span.from, span.to, first, last))
	}
	return best
}

func closeTo(from, to, first, last time.Time) float64 {
	days := func(d time.Duration) float64 { return d.Hours() / 24 }
	switch {
	case first.Before(to) && !last.Before(from):
		return 1
	case !first.Before(to):
		return afterBest * max(0, 1-days(first.Sub(to))/daysAfter)
	}
	return beforeBest * max(0, 1-days(from.Sub(last))/daysBefore)
}

// prefer adds to the scores of the conversations near the time that was asked for.
func (t timeAsked) prefer(all []window) {
	if !t.set || len(all) == 0 {
		return
	}
	best := 0.0
	for i := range all {
		best = max(best, all[i].score)
	}
	for i := range all {
		all[i].time = best * t.near(&all[i])
		all[i].score += all[i].time
	}
}

// hit reports whether a conversation lies in the time that was asked for.
func (t timeAsked) hit(w *window) bool { return t.set && t.near(w) == 1 && t.month == 0 }
