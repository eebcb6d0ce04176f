package kit

import "lore"

// Base returns the last element of a path of any operating system: "/a/b", `C:\a\b`, a trailing separator ignored.
// Empty when there is none.
func Base(path string) string { return "" }

// ProjectName returns the name of a project by its folder: its last element, "" for a root or an empty path.
func ProjectName(dir string) string { return "" }

// FileURI turns a file URI ("file:///c%3A/a", "vscode-remote://ssh-remote%2Bhost/a") into its path; a text that is no
// URI is returned as it is, with false.
func FileURI(uri string) (path string, ok bool) { return uri, false }

// SplitNative returns the native id of a message whose source gives the same id to another role's message before it.
func SplitNative(role lore.Role, id string) string { return string(role) + ":" + id }
