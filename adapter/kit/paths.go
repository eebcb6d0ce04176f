package kit

import (
	"crypto/md5"
	"encoding/hex"
	"net/url"
	"strings"

	"lore"
)

// Base returns the last element of a path of any operating system: "/a/b", `C:\a\b`, a trailing separator ignored.
// Empty for a root, a drive, and an empty path. A backslash separates only in a path that is Windows' own: under a
// drive, a share, or without any slash.
func Base(path string) string {
	separators := "/"
	if isWindows(path) {
		separators = `/\`
	}
	path = strings.TrimRight(path, separators)
	path = path[strings.LastIndexAny(path, separators)+1:]
	if path == "." || path == ".." || len(path) == 2 && path[1] == ':' {
		return ""
	}
	return path
}

func isWindows(path string) bool {
	if len(path) >= 2 && path[1] == ':' && isLetter(path[0]) {
		return true
	}
	return strings.HasPrefix(path, `\\`) || !strings.Contains(path, "/")
}

func isLetter(c byte) bool { c |= 0x20; return c >= 'a' && c <= 'z' }

// ProjectName returns the name of a project by its folder: its last element, "" for a root or an empty path.
func ProjectName(dir string) string { return Base(dir) }

// FileURI turns the URI of a file or folder into its path: "file:///proj/a%20b" is "/proj/a b", "file:///c%3A/a" is
// "c:/a", "file://host/a" is "//host/a"; of a remote one ("vscode-remote://ssh-remote%2Bhost/a") the path on that
// machine. A text that is no URI is returned as it is, with false.
func FileURI(uri string) (path string, ok bool) {
	scheme, rest, found := strings.Cut(uri, "://")
	if !found || len(scheme) < 2 || !isScheme(scheme) {
		return uri, false
	}
	host, path := "", rest
	if slash := strings.IndexByte(rest, '/'); slash >= 0 {
		host, path = rest[:slash], rest[slash:]
	} else {
		host, path = rest, ""
	}
	if end := strings.IndexAny(path, "?#"); end >= 0 {
		path = path[:end]
	}
	if plain, err := url.PathUnescape(path); err == nil {
		path = plain
	}
	if len(path) >= 3 && path[0] == '/' && isLetter(path[1]) && path[2] == ':' {
		path = path[1:]
	}
	if strings.EqualFold(scheme, "file") && host != "" && host != "localhost" {
		path = "//" + host + path
	}
	return path, true
}

func isScheme(s string) bool {
	for i := range len(s) {
		if !isLetter(s[i]) && !isDigit(s[i]) && !strings.ContainsRune("+-.", rune(s[i])) {
			return false
		}
	}
	return isLetter(s[0])
}

// SplitNative returns the native id of a message whose source gives the same id to a message before it: "tool:ID". An
// absent id stays absent.
func SplitNative(role lore.Role, id string) string {
	if id == "" {
		return ""
	}
	return string(role) + ":" + id
}

// PathMD5 returns the MD5 of a path in hexadecimal, as some tools name the folder in which they keep what belongs to it.
func PathMD5(path string) string {
	sum := md5.Sum([]byte(path)) // the tools' choice; nothing is made safe by it
	return hex.EncodeToString(sum[:])
}
