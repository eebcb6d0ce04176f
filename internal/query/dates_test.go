package query

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// bounds returns the bounds of a question that is one time, in UTC.
func bounds(t *testing.T, text string, env Env) string {
	t.Helper()
	q, _, err := Parse(text, env)
	if err != nil {
		return err.Error()
	}
	w, ok := q.Root.(When)
	if !ok {
		return "no time"
	}
	var from, to string
	if !w.From.IsZero() {
		from = w.From.UTC().Format(time.RFC3339Nano)
	}
	if !w.To.IsZero() {
		to = w.To.UTC().Format(time.RFC3339Nano)
	}
	again, _, err := Parse(w.String(), env)
	if err != nil {
		t.Errorf("%s prints as %s: %v", text, w, err)
	} else if v := again.Root.(When); !v.From.Equal(w.From) || !v.To.Equal(w.To) {
		t.Errorf("%s prints as %s, which is %v", text, w, v)
	}
	return from + " .. " + to
}

// The clocks of Los Angeles are put forward at 02:00 on 8 March 2026, which has 23 hours.
func TestSE09DaysOfTheUsersZone(t *testing.T) {
	angeles := Env{Zone: zone(t, "America/Los_Angeles")}
	for _, c := range []struct {
		text string
		env  Env
		want string
	}{
		{"since:2026-03-07", angeles, "2026-03-07T08:00:00Z .. "},
		{"until:2026-03-07", angeles, " .. 2026-03-08T08:00:00Z"},
		{"on:2026-03-08", angeles, "2026-03-08T08:00:00Z .. 2026-03-09T07:00:00Z"},
		{"on:2026-11-01", angeles, "2026-11-01T07:00:00Z .. 2026-11-02T08:00:00Z"},
		{"on:2026-03-08", Env{}, "2026-03-08T00:00:00Z .. 2026-03-09T00:00:00Z"},
		{"on:2018-11-04", Env{Zone: zone(t, "America/Sao_Paulo")}, "2018-11-04T03:00:00Z .. 2018-11-05T02:00:00Z"}, // no midnight
		{"on:2026-11-01", Env{Zone: zone(t, "America/Havana")}, "2026-11-01T04:00:00Z .. 2026-11-02T05:00:00Z"},    // two of them
		{"on:2011-12-30", Env{Zone: zone(t, "Pacific/Apia")}, "2011-12-30T10:00:00Z .. 2011-12-30T10:00:00Z"},      // no such day
	} {
		if diff := cmp.Diff(c.want, bounds(t, c.text, c.env)); diff != "" {
			t.Errorf("%s in %v (-want +got):\n%s", c.text, c.env.Zone, diff)
		}
	}
}

func TestDates(t *testing.T) {
	env := Env{Now: time.Date(2026, 3, 31, 14, 30, 0, 0, time.UTC)} // a Tuesday
	const wrong = "wrong"
	for _, c := range []struct{ text, want string }{
		{"on:2026", "2026-01-01T00:00:00Z .. 2027-01-01T00:00:00Z"},
		{"on:2026-03", "2026-03-01T00:00:00Z .. 2026-04-01T00:00:00Z"},
		{"on:2026-3-7", "2026-03-07T00:00:00Z .. 2026-03-08T00:00:00Z"},
		{"on:2026/03/07", "2026-03-07T00:00:00Z .. 2026-03-08T00:00:00Z"},
		{"since:2026-03-07T15:04", "2026-03-07T15:04:00Z .. "},
		{`since:"2026-03-07 15:04"`, "2026-03-07T15:04:00Z .. "},
		{"since:2026-03-07T15:04:05.25-08:00", "2026-03-07T23:04:05.25Z .. "},
		{"before:2026-03-07t15:04:05z", " .. 2026-03-07T15:04:05Z"},
		{"until:2026-03-07T15", " .. 2026-03-07T16:00:00Z"},
		{"after:2026-03-07", "2026-03-08T00:00:00Z .. "},
		{"after:2026-02", "2026-03-01T00:00:00Z .. "},
		{"before:2026-03-07", " .. 2026-03-07T00:00:00Z"},
		{"on:>2026-03-07", "2026-03-08T00:00:00Z .. "},
		{"on:>=2026-03-07", "2026-03-07T00:00:00Z .. "},
		{"on:<2026-03-07", " .. 2026-03-07T00:00:00Z"},
		{"on:<=2026-03-07", " .. 2026-03-08T00:00:00Z"},
		{"on:[2026-03-01 TO 2026-03-07]", "2026-03-01T00:00:00Z .. 2026-03-08T00:00:00Z"},
		{"on:{2026-03-01 TO 2026-03-07}", "2026-03-02T00:00:00Z .. 2026-03-07T00:00:00Z"},
		{"on:[2026-03-01 TO *]", "2026-03-01T00:00:00Z .. "},
		{"on:[* TO 2026-02]", " .. 2026-03-01T00:00:00Z"},
		{"on:[2026-03-01T10:00 TO 2026-03-02]", "2026-03-01T10:00:00Z .. 2026-03-03T00:00:00Z"},
		{"on:today", "2026-03-31T00:00:00Z .. 2026-04-01T00:00:00Z"},
		{"on:yesterday", "2026-03-30T00:00:00Z .. 2026-03-31T00:00:00Z"},
		{"on:tuesday", "2026-03-31T00:00:00Z .. 2026-04-01T00:00:00Z"},
		{"on:wednesday", "2026-03-25T00:00:00Z .. 2026-03-26T00:00:00Z"},
		{"on:this-week", "2026-03-30T00:00:00Z .. 2026-04-06T00:00:00Z"},
		{"on:last-week", "2026-03-23T00:00:00Z .. 2026-03-30T00:00:00Z"},
		{"on:last-month", "2026-02-01T00:00:00Z .. 2026-03-01T00:00:00Z"},
		{"on:last-year", "2025-01-01T00:00:00Z .. 2026-01-01T00:00:00Z"},
		{"since:7d", "2026-03-24T00:00:00Z .. "},
		{"since:2w", "2026-03-17T00:00:00Z .. "},
		{"on:1mo", "2026-02-28T00:00:00Z .. 2026-03-01T00:00:00Z"},
		{"before:1y", " .. 2025-03-31T00:00:00Z"},
		{"since:12h", "2026-03-31T02:30:00Z .. "},
		{"on:90min", "2026-03-31T13:00:00Z .. "},
		{"since:now", "2026-03-31T14:30:00Z .. "},
		{"since:3m", wrong}, {"since:2026-13", wrong}, {"since:10001d", wrong}, {"since:9999y", wrong}, {"on:9999", wrong},
		{"on:[2026-03-01 2026-03-07]", wrong}, {"on:[* TO *]", wrong}, {"since:[2026 TO 2027]", wrong}, {"on:>", wrong},
	} {
		got := bounds(t, c.text, env)
		if strings.HasPrefix(got, "cannot read the date of ") {
			got = wrong
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.text, diff)
		}
	}
}

// Whatever a question is made of, its canonical text is the same question.
func TestRoundTrip(t *testing.T) {
	pieces := []string{
		"lamp", "a_b", "灯塔", "us*", "*", "--x", "->", "-", "(", ")", "()", "\"", "“", "”", "\"a b\"", "OR", "AND", "NOT", "TO", "\\", "//",
		"role:", "user", "title:", "file:", "*.go", "on:", "since:", "2026-03-07", "12h", "[", "]", "{", "}", " TO ", ">", "<=", ",", ":", "foo:",
		"project:", "~/x", ".", "source:", "codex", "\xff", "é", "'", " ", " ", " ", " ", " ",
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		var b strings.Builder
		for range 1 + rnd.IntN(14) {
			b.WriteString(pieces[rnd.IntN(len(pieces))])
		}
		q, _, err := Parse(b.String(), testEnv(t))
		if err != nil {
			continue
		}
		if checkRoundTrip(t, q.Root); t.Failed() {
			t.Fatalf("from %q", b.String())
		}
	}
}
