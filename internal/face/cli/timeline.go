package cli

import (
	"time"

	"lore/internal/service"
)

// timeline is how many messages there are in each stretch of time, none left out.
type timeline struct {
	unit        string // "day", "week" or "month": what a number is of
	first, last time.Time
	numbers     []int
}

// timelineOf puts days into at most n stretches: of a day, a week, a month, or several months. Days that are no dates
// are left out.
func timelineOf(days []service.FacetShare, n int) timeline {
	var dates []time.Time
	var counts []int
	for _, d := range days {
		if at, err := time.Parse(time.DateOnly, d.Value); err == nil {
			dates, counts = append(dates, at), append(counts, d.Messages)
		}
	}
	if len(dates) == 0 {
		return timeline{}
	}
	t := timeline{first: dates[0], last: dates[len(dates)-1]}
	for _, unit := range []struct {
		name string
		of   func(time.Time) int
	}{
		{"day", daysSince}, {"week", func(at time.Time) int { return (daysSince(at) + 3) / 7 }},
		{"month", func(at time.Time) int { return at.Year()*12 + int(at.Month()) - 1 }},
		{"year", time.Time.Year},
	} {
		from, to := unit.of(t.first), unit.of(t.last)
		if to-from >= n && unit.name != "year" {
			continue
		}
		t.unit = unit.name
		size := (to-from)/n + 1 // more than one only for thousands of years
		t.numbers = make([]int, (to-from)/size+1)
		for i, at := range dates {
			t.numbers[(unit.of(at)-from)/size] += counts[i]
		}
		break
	}
	return t
}

// daysSince numbers days; day 0 was a Thursday, so that weeks of seven from day -3 on begin on Mondays.
func daysSince(at time.Time) int { return int(at.Unix() / 86400) }
