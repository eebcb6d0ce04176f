package lore

import "time"

// TimeFrom says where the time of a message comes from.
type TimeFrom string

// Where a time comes from: the unit itself; the unit itself, without a zone; a neighbour or the conversation; the
// file's own time; nowhere.
const (
	FromSource      TimeFrom = "source"
	FromSourceNaive TimeFrom = "source_naive"
	FromInherited   TimeFrom = "inherited"
	FromFile        TimeFrom = "file"
	FromNone        TimeFrom = "none"
)

// Time is a moment as a source wrote it: to the nanosecond, with the number of fraction digits that it had, and whether
// it had a zone. The zero Time is absent. A Time without a zone sorts as UTC and is printed without "Z".
type Time struct {
	nanos  int64
	digits uint8
	naive  bool
	set    bool
}

// NewTime makes a Time from nanoseconds since 1970 with the given number of fraction digits (0 to 9).
func NewTime(nanos int64, digits int, naive bool) Time {
	return Time{nanos: nanos, digits: uint8(min(max(digits, 0), 9)), naive: naive, set: true}
}

// IsZero reports whether the time is absent.
func (t Time) IsZero() bool { return !t.set }

// UnixNano returns nanoseconds since 1970; 0 when absent.
func (t Time) UnixNano() int64 { return t.nanos }

// Naive reports whether the source gave no zone.
func (t Time) Naive() bool { return t.naive }

// Digits returns how many fraction digits the source had.
func (t Time) Digits() int { return int(t.digits) }

// Time returns the moment in UTC.
func (t Time) Time() time.Time { return time.Unix(0, t.nanos).UTC() }

// Before reports whether t is earlier than u; an absent time is before every other.
func (t Time) Before(u Time) bool {
	if t.set != u.set {
		return u.set
	}
	return t.nanos < u.nanos
}

// String returns RFC 3339 in UTC with the fraction that the source had, without "Z" when it had no zone; "" when absent.
func (t Time) String() string {
	if !t.set {
		return ""
	}
	layout := "2006-01-02T15:04:05"
	if t.digits > 0 {
		layout += ".000000000"[:1+t.digits]
	}
	if !t.naive {
		layout += "Z"
	}
	return t.Time().Format(layout)
}
