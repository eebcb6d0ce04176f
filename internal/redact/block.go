package redact

import "strings"

// webToken returns the JSON web token that begins at i: a head, claims and a signature (a sealed one has five parts).
func webToken(s string, i int) (match, bool) {
	if !strings.HasPrefix(s[i:], "eyJ") || i > 0 && (s[i-1] == '-' || s[i-1] == '_') {
		return match{}, false // behind a hyphen it is a piece of a longer token, which no rule may walk over twice
	}
	to := run(s, i, word)
	parts := 1
	for parts < 5 && to < len(s) && s[to] == '.' {
		end := run(s, to+1, word)
		if end == to+1 && parts != 1 && parts != 2 {
			break
		}
		to = end
		parts++
	}
	if parts < 3 || to-i < 30 || !strings.Contains(s[i:to], ".ey") && parts != 5 {
		return match{}, false
	}
	return match{i, to, "jwt"}, true
}

// header returns the credential behind the word Bearer or Basic that begins at i.
func header(s string, i int) (match, bool) {
	kind, least := "bearer-token", 16
	from := i + len("bearer ")
	if !folded(s, i, "bearer ") {
		kind, least = "basic-auth", 12
		from = i + len("basic ")
		if !folded(s, i, "basic ") {
			return match{}, false
		}
	}
	if m, ok := known(s, from); ok {
		return m, true
	}
	to := run(s, from, token)
	if to < len(s) && (s[to] == '(' || s[to] == '[') || reference(s[from:to]) {
		return match{}, false
	}
	v := s[from:to]
	if !generated(v, least) && !(kind == "basic-auth" && len(v) >= least && len(v)%4 == 0 && mixed(v[1:])) {
		return match{}, false // a word of a sentence
	}
	return match{from, to, kind}, true
}

// known returns the credential that is known by its own form, whatever stands before it, and begins at i.
func known(s string, i int) (match, bool) {
	if i >= len(s) {
		return match{}, false
	}
	if m, ok := webToken(s, i); ok {
		return m, true
	}
	return issued(s, i)
}

func folded(s string, i int, lower string) bool {
	return len(s)-i >= len(lower) && strings.EqualFold(s[i:i+len(lower)], lower)
}

// telegram returns the token of a bot, whose number ends at the colon at i.
func telegram(s string, i int) (match, bool) {
	from := i
	for from > 0 && i-from < 11 && digit(s[from-1]) {
		from--
	}
	if i-from < 8 || i-from > 10 || !strings.HasPrefix(s[i+1:], "AA") {
		return match{}, false
	}
	to := run(s, i+1, word)
	if to-i-1 != 35 {
		return match{}, false
	}
	return match{i + 1, to, "telegram-token"}, true
}

// greatestAddress bounds how far the name and password of an address reach.
const greatestAddress = 512

// address returns the password of an address like postgres://app:secret@db.example/x, whose "://" begins at i.
func address(s string, i int) (match, bool) {
	if !strings.HasPrefix(s[i:], "://") || i == 0 || !alnum(s[i-1]) {
		return match{}, false
	}
	from := i + len("://")
	colon, at := -1, -1
	for k := from; k < len(s) && k-from < greatestAddress; k++ {
		c := s[k]
		if c <= ' ' || c == 0x7f || strings.IndexByte("/\\?#\"'`<>(),;|", c) >= 0 {
			break
		}
		if c == '[' && colon < 0 {
			break // a marker, or the number of a host
		}
		if c == ':' && colon < 0 {
			colon = k
		}
		if c == '@' {
			at = k
		}
	}
	if colon < 0 || at <= colon+1 || at+1 >= len(s) || placeholder(s[colon+1:at]) {
		return match{}, false
	}
	return match{colon + 1, at, "password"}, true
}

// greatestKey bounds the text of a private key.
const greatestKey = 64 << 10

// privateKey returns the block of a private key whose head begins at i. One that breaks off is taken as far as it goes, a
// head alone (in a pattern, in an explanation) is none.
func privateKey(s string, i int) (match, bool) {
	const begin, rule = "-----BEGIN ", "-----"
	if !strings.HasPrefix(s[i:], begin) {
		return match{}, false
	}
	head := run(s, i+len(begin), func(c byte) bool { return c == ' ' || capital(c) })
	if name := s[i+len(begin) : head]; !strings.HasSuffix(strings.TrimSuffix(name, " BLOCK"), "PRIVATE KEY") ||
		!strings.HasPrefix(s[head:], rule) {
		return match{}, false
	}
	head += len(rule)
	letters, to := 0, head
	for k := head; k < len(s) && k-head < greatestKey; {
		switch c := s[k]; {
		case strings.HasPrefix(s[k:], "-----END "):
			end := run(s, k+len("-----END "), func(c byte) bool { return c == ' ' || capital(c) })
			if letters == 0 || !strings.HasPrefix(s[end:], rule) {
				return match{}, false
			}
			return match{i, end + len(rule), "private-key"}, true
		case strings.HasPrefix(s[k:], "-----BEGIN "):
			k = len(s)
		case c == '\\' && k+1 < len(s) && (s[k+1] == 'n' || s[k+1] == 'r' || s[k+1] == 't'):
			k += 2
		case strings.HasPrefix(s[k:], "→"): // between the number of a line and the line
			k += len("→")
		case alnum(c) || c == '+' || c == '/' || c == '=':
			letters++
			k++
			to = k
		case strings.IndexByte(" \t\r\n-:,.|>#*@()", c) >= 0:
			k++
		default:
			k = len(s)
		}
	}
	if letters < 64 {
		return match{}, false
	}
	return match{i, to, "private-key"}, true
}
