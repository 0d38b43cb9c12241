//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package dataset

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// mapFile maps the first bytes of a file, or returns errors.ErrUnsupported where its numbers cannot be
// used as they lie.
func mapFile(f *os.File, size int) (*mapping, error) {
	if !littleEndian {
		return nil, errors.ErrUnsupported
	}
	all, err := unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("mapping %d bytes: %w", size, err)
	}
	return &mapping{
		bytes:  all,
		unmap:  func() error { return os.NewSyscallError("unmapping "+f.Name(), unix.Munmap(all)) },
		forget: func() error { return os.NewSyscallError("forgetting "+f.Name(), unix.Madvise(all, unix.MADV_DONTNEED)) },
	}, nil
}
