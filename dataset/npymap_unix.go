//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package dataset

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// mapFloat32 maps count little-endian numbers that begin at a byte of a file, or returns
// errors.ErrUnsupported where they cannot be used as they lie.
func mapFloat32(f *os.File, offset int64, count int) (*mapping, error) {
	if offset%4 != 0 || binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		return nil, errors.ErrUnsupported
	}
	// A mapping begins at a page, so the header is mapped too.
	all, err := unix.Mmap(int(f.Fd()), 0, int(offset)+4*count, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("mapping %d bytes: %w", int(offset)+4*count, err)
	}
	return &mapping{
		data:   unsafe.Slice((*float32)(unsafe.Pointer(&all[offset])), count),
		unmap:  func() error { return os.NewSyscallError("unmapping "+f.Name(), unix.Munmap(all)) },
		forget: func() error { return os.NewSyscallError("forgetting "+f.Name(), unix.Madvise(all, unix.MADV_DONTNEED)) },
	}, nil
}
