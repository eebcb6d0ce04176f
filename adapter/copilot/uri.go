package copilot

import (
	"net/url"
	"strings"

	"lore/adapter/kit"
)

// uriOf reads a place as the editor writes it: a URI, its components, or a location or symbol that holds one. ref is the
// URI as written, name what people read: the decoded path of a file, else the decoded URI.
func uriOf(v kit.Value) (ref, name string, ok bool) {
	for _, key := range []string{"location", "uri"} {
		if in := v.Get(key); in.Exists() && !in.IsNull() {
			if ref, name, ok := uriOf(in); ok {
				return ref, name, true
			}
		}
	}
	switch {
	case v.IsString():
		ref = v.String()
	case v.Get("external").IsString():
		ref = v.Get("external").String()
	case v.Get("scheme").IsString():
		return composed(v)
	case v.Get("fsPath").IsString():
		ref = v.Get("fsPath").String()
	}
	if ref == "" {
		return "", "", false
	}
	return ref, shown(ref), true
}

// composed puts the components of a URI together. Their path is not encoded.
func composed(v kit.Value) (ref, name string, ok bool) {
	scheme, path := v.Get("scheme").String(), v.Get("path").String()
	ref = scheme + "://" + v.Get("authority").String() + path
	if query := v.Get("query").String(); query != "" {
		ref += "?" + query
	}
	if scheme == "file" {
		return ref, drive(path), path != ""
	}
	return ref, ref, path != "" || v.Get("authority").IsString()
}

// drive takes the slash off a Windows path.
func drive(path string) string {
	if len(path) > 2 && path[0] == '/' && path[2] == ':' {
		return path[1:]
	}
	return path
}

// shown returns what people read for a URI.
func shown(ref string) string {
	if strings.HasPrefix(ref, "file:") {
		path, _ := kit.FileURI(ref)
		return path
	}
	return decoded(ref)
}

// decoded takes the percent code out of a text, if it is sound.
func decoded(ref string) string {
	if !strings.Contains(ref, "%") {
		return ref
	}
	if plain, err := url.PathUnescape(ref); err == nil {
		return plain
	}
	return ref
}
