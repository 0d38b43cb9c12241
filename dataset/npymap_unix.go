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
func mapFloat32(f *os.File, offset int64, count int) ([]float32, func() error, error) {
	if offset%4 != 0 || binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		return nil, nil, errors.ErrUnsupported
	}
	// A mapping begins at a page, so the header is mapped too.
	all, err := unix.Mmap(int(f.Fd()), 0, int(offset)+4*count, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, nil, fmt.Errorf("mapping %d bytes: %w", int(offset)+4*count, err)
	}
	data := unsafe.Slice((*float32)(unsafe.Pointer(&all[offset])), count)
	unmap := func() error {
		if err := unix.Munmap(all); err != nil {
			return fmt.Errorf("unmapping %s: %w", f.Name(), err)
		}
		return nil
	}
	return data, unmap, nil
}
