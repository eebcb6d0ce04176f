package archive

import "io/fs"

// StatOf returns the facts that a file's info holds. Facts that this system, or a file system that is no disk, does not
// tell are 0.
func StatOf(info fs.FileInfo) Stat {
	s := Stat{Size: info.Size()}
	if t := info.ModTime(); !t.IsZero() {
		s.MTime = t.UnixNano()
	}
	s.CTime, s.Inode = changed(info)
	return s
}
