package lore

import (
	"fmt"
	"strings"
	"time"
)

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
	return string(t.append(nil))
}

func (t Time) append(dst []byte) []byte {
	const layout = "2006-01-02T15:04:05.000000000"
	n := len("2006-01-02T15:04:05")
	if t.digits > 0 {
		n += 1 + int(t.digits)
	}
	dst = t.Time().AppendFormat(dst, layout[:n])
	if !t.naive {
		dst = append(dst, 'Z')
	}
	return dst
}

// MarshalText returns what String does. It never fails.
func (t Time) MarshalText() ([]byte, error) {
	if !t.set {
		return []byte{}, nil
	}
	return t.append(nil), nil
}

// UnmarshalText reads what String writes, with the number of digits and the absence of a zone; a zone other than "Z" is
// converted to UTC. An empty text is an absent time.
func (t *Time) UnmarshalText(text []byte) error {
	s := string(text)
	if s == "" {
		*t = Time{}
		return nil
	}
	at, err := time.Parse("2006-01-02T15:04:05Z07:00", s)
	naive := false
	if err != nil {
		at, err = time.Parse("2006-01-02T15:04:05", s)
		naive = true
	}
	if err != nil {
		return fmt.Errorf("%q is not a time: write it as 2006-01-02T15:04:05Z", s)
	}
	if !time.Unix(0, at.UnixNano()).Equal(at) {
		return fmt.Errorf("%q is not a time: the years are 1678 to 2261", s)
	}
	*t = NewTime(at.UnixNano(), fractionDigits(s), naive)
	return nil
}

// fractionDigits counts the digits after the seconds' point.
func fractionDigits(s string) int {
	_, fraction, ok := strings.Cut(s, ".")
	if !ok {
		return 0
	}
	for i := range len(fraction) {
		if c := fraction[i]; c < '0' || c > '9' {
			return i
		}
	}
	return len(fraction)
}
