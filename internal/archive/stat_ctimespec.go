//go:build darwin || freebsd || netbsd

package archive

import (
	"io/fs"
	"syscall"
)

// changed returns the time at which the system itself says the file changed, in nanoseconds, and the inode.
func changed(info fs.FileInfo) (ctime int64, inode uint64) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0
	}
	return int64(st.Ctimespec.Sec)*1e9 + int64(st.Ctimespec.Nsec), uint64(st.Ino)
}
