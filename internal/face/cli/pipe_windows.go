package cli

import "syscall"

// errNoData is what Windows says of a pipe whose reader has gone: ERROR_NO_DATA.
const errNoData = syscall.Errno(232)
