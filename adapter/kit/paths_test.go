package kit

import (
	"testing"

	"lore"
)

func TestProjectName(t *testing.T) {
	for path, want := range map[string]string{
		"/proj/lantern":       "lantern",
		"/proj/lantern/":      "lantern",
		`C:\proj\lantern\`:    "lantern",
		`c:/proj/lantern`:     "lantern",
		`C:\`:                 "",
		`C:`:                  "",
		`\\host\share\harbor`: "harbor",
		`/proj/odd\name`:      `odd\name`,
		`lantern`:             "lantern",
		"/":                   "",
		"":                    "",
		".":                   "",
		"/proj/海图":            "海图",
	} {
		if got := ProjectName(path); got != want {
			t.Errorf("ProjectName(%q) = %q, want %q", path, got, want)
		}
	}
}

func TestFileURI(t *testing.T) {
	tests := []struct {
		in, want string
		ok       bool
	}{
		{"file:///proj/a%20b", "/proj/a b", true},
		{"file:///c%3A/proj/a", "c:/proj/a", true},
		{"file:///C:/proj/a", "C:/proj/a", true},
		{"file://host/share/a", "//host/share/a", true},
		{"file://localhost/proj", "/proj", true},
		{"vscode-remote://ssh-remote%2Bhost/proj/a", "/proj/a", true},
		{"file:///proj/a%zz", "/proj/a%zz", true},
		{"file:///proj/a?x#y", "/proj/a", true},
		{"untitled:x", "untitled:x", false},
		{"/proj/a", "/proj/a", false},
		{`C:\a`, `C:\a`, false},
		{"", "", false},
	}
	for _, tt := range tests {
		if got, ok := FileURI(tt.in); got != tt.want || ok != tt.ok {
			t.Errorf("FileURI(%q) = %q, %v; want %q, %v", tt.in, got, ok, tt.want, tt.ok)
		}
	}
}

func TestSplitNative(t *testing.T) {
	if got := SplitNative(lore.Tool, "m-1"); got != "tool:m-1" {
		t.Errorf("got %q", got)
	}
	if got := SplitNative(lore.Tool, ""); got != "" {
		t.Errorf("an absent id became %q", got)
	}
}
