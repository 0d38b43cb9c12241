package dataset

import (
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// createUnnamed creates a file in a folder that has no name there until [giveName]: however the
// program ends before, nothing is left. Not all file systems can.
func createUnnamed(dir string, mode fs.FileMode) (*os.File, error) {
	if _, err := os.Stat("/proc/self/fd"); err != nil { // where giveName finds it
		return nil, err
	}
	fd, err := unix.Open(dir, unix.O_TMPFILE|unix.O_WRONLY|unix.O_CLOEXEC, uint32(mode.Perm()))
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), dir), nil
}

// giveName fails where the name is taken.
func giveName(f *os.File, name string) error {
	return unix.Linkat(unix.AT_FDCWD, fmt.Sprintf("/proc/self/fd/%d", f.Fd()), unix.AT_FDCWD, name, unix.AT_SYMLINK_FOLLOW)
}
