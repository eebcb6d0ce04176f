package redact

import "strings"

// label says what the name beside a value makes of it.
type label int

const (
	plain    label = iota
	keyed          // a key or token: made by a machine, so the value has to look like it
	password       // whatever is beside it is secret
)

// kind is what a value under the label is called in its marker.
func (l label) kind() string {
	if l == password {
		return "password"
	}
	return "secret"
}

// greatestName bounds the name beside a value; greatestValue is how much of a value decides whether it is one.
const (
	greatestName  = 64
	greatestValue = 1024
)

// passwords and keys are the ends of names, without their separators and in small letters.
var (
	passwords = []string{"password", "passwd", "passphrase", "pwd", "secret", "dbpass", "mysqlpass", "smtppass", "userpass", "authpass"}
	keys      = []string{"token", "apikey", "accesskey", "secretkey", "privatekey", "accountkey", "encryptionkey", "signingkey", "authkey",
		"subscriptionkey", "authorization", "xauth", "secretkeybase", "masterkey", "credential"}
	harmless = []string{"pagetoken", "nexttoken", "synctoken", "continuationtoken", "eostoken", "bostoken", "padtoken", "stoptoken",
		"cursortoken", "canceltoken", "cancellationtoken", "csstoken", "designtoken"}
)

// classify returns what a name says of the value beside it.
func classify(name string) label {
	if name == "PWD" || name == "OLDPWD" {
		return plain // where a shell stands
	}
	var b [greatestName]byte
	n := 0
	for i := 0; i < len(name) && n < len(b); i++ {
		if c := name[i]; c >= 'A' && c <= 'Z' {
			b[n], n = c|0x20, n+1
		} else if c != '_' && c != '-' && c != '.' {
			b[n], n = c, n+1
		}
	}
	short := string(b[:n])
	ends := func(list []string) bool {
		for _, end := range list {
			if strings.HasSuffix(short, end) {
				return true
			}
		}
		return false
	}
	switch {
	case ends(passwords):
		return password
	case ends(keys) && !ends(harmless), short == "sig":
		return keyed
	}
	return plain
}

func naming(c byte) bool { return word(c) || c == '.' }

// nameBefore returns the name whose value is assigned at i: password = , "password": , ['password'] => , and with a type
// between them, password: string = . It is empty where there is none.
func nameBefore(s string, i int) string {
	for range 2 {
		end := back(s, i, 4, func(c byte) bool { return c == ' ' || c == '\t' })
		end = back(s, end, 1, func(c byte) bool { return c == ']' })
		end = back(s, end, 1, func(c byte) bool { return c == '"' || c == '\'' || c == '`' })
		end = back(s, end, 7, func(c byte) bool { return c == '\\' })
		from := back(s, end, greatestName, naming)
		name := s[from:end]
		if kind := strings.ToLower(name); kind != "str" && kind != "string" {
			return name
		}
		colon := back(s, from, 4, func(c byte) bool { return c == ' ' })
		if colon == 0 || s[colon-1] != ':' {
			return ""
		}
		i = colon - 1
	}
	return ""
}

// back returns where the bytes of the class that end at i begin, at most n before it.
func back(s string, i, n int, class func(byte) bool) int {
	for k := 0; k < n && i > 0 && class(s[i-1]); k++ {
		i--
	}
	return i
}

// assigned returns the secret value of the assignment whose sign ('=' or ':') is at i.
func assigned(s string, i int) (match, bool) {
	sign, next := s[i], i+1
	if next < len(s) && (s[next] == '=' || s[next] == ':') || i > 0 && strings.IndexByte("=!<>~", s[i-1]) >= 0 {
		return match{}, false // a comparison, or := of which the second sign counts
	}
	if i > 0 && s[i-1] == ':' {
		if sign == ':' {
			return match{}, false
		}
		i--
	}
	l := classify(nameBefore(s, i))
	if l == plain {
		return match{}, false
	}
	if sign == '=' && next < len(s) && s[next] == '>' {
		next++
	}
	from := next
	for from < len(s) && from-next < 8 && (s[from] == ' ' || s[from] == '\t') {
		from++
	}
	tight := sign == '=' && from == next && (i == 0 || s[i-1] != ' ')
	return value(s, from, l, tight)
}

// flag returns the secret value of an option on a command line: --password VALUE, and curl's -u NAME:VALUE.
func flag(s string, i int) (match, bool) {
	if !boundary(s, i) || i > 0 && s[i-1] == '-' {
		return match{}, false
	}
	if strings.HasPrefix(s[i:], "-u ") || strings.HasPrefix(s[i:], "--user ") {
		return login(s, i, i+strings.IndexByte(s[i:], ' ')+1)
	}
	if !strings.HasPrefix(s[i:], "--") {
		return match{}, false
	}
	end := i + 2
	for end < len(s) && end-i < greatestName && word(s[end]) {
		end++
	}
	if end == len(s) || s[end] != ' ' {
		return match{}, false
	}
	l := classify(s[i+2 : end])
	if l == plain || end+1 < len(s) && s[end+1] == '-' {
		return match{}, false
	}
	return value(s, end+1, l, false)
}

// login returns the password of NAME:PASSWORD at from, where the command is curl.
func login(s string, i, from int) (match, bool) {
	if !strings.Contains(s[max(0, i-256):i], "curl") {
		return match{}, false
	}
	quote := byte(' ')
	if from < len(s) && (s[from] == '"' || s[from] == '\'') {
		quote = s[from]
		from++
	}
	colon := run(s, from, func(c byte) bool { return naming(c) || c == '@' || c == '+' })
	if colon == from || colon >= len(s) || s[colon] != ':' {
		return match{}, false
	}
	to := run(s, colon+1, func(c byte) bool { return c > ' ' && c != '"' && c != '\'' && c != '\\' && c != quote })
	if placeholder(s[colon+1 : to]) {
		return match{}, false
	}
	return match{colon + 1, to, "password"}, true
}

// element returns the secret text of an XML element whose opening tag ends at i.
func element(s string, i int) (match, bool) {
	from := back(s, i, greatestName, naming)
	if from == 0 || s[from-1] != '<' || classify(s[from:i]) == plain {
		return match{}, false
	}
	to := i + 1
	for to < len(s) && to-i < greatestValue && s[to] >= ' ' && strings.IndexByte("<>\"'\\", s[to]) < 0 {
		to++
	}
	if !strings.HasPrefix(s[to:], "</") || placeholder(s[i+1:to]) {
		return match{}, false
	}
	return match{i + 1, to, classify(s[from:i]).kind()}, true
}
