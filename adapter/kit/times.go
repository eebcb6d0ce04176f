package kit

import "lore"

// ParseTime reads a time as sources write it: an ISO string, a number, or a number in a string. A number is seconds
// below 1e11, milliseconds below 1e14, microseconds below 1e17, else nanoseconds. False when it cannot be read.
func ParseTime(v Value) (lore.Time, bool) { return lore.Time{}, false }

// ParseTimeString reads an ISO 8601 time with or without zone, or a number. Without a zone it is naive.
func ParseTimeString(s string) (lore.Time, bool) { return lore.Time{}, false }

// TimeFrom says where a time that stands in the unit itself comes from: source, source_naive, or none when absent.
func TimeFrom(t lore.Time) lore.TimeFrom { return lore.FromNone }
