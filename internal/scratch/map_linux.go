package scratch

import (
	"bytes"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// mapped maps a file and allocates its bytes on the disk: otherwise a write to memory would meet
// the full disk and end the program.
func mapped(f *os.File, size int64) ([]byte, error) {
	if err := unix.Fallocate(int(f.Fd()), 0, 0, size); err != nil {
		return nil, err
	}
	return unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
}

// anonymous is memory of no file.
func anonymous(size int64) ([]byte, error) {
	return unix.Mmap(-1, 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
}

func unmap(m []byte) error { return os.NewSyscallError("munmap", unix.Munmap(m)) }

// forget is a hint: where it fails, pages stay in memory.
func forget(m []byte) { _ = unix.Madvise(m, unix.MADV_DONTNEED) }

// resident is how many bytes of files, of all that are mapped, the process has in its memory.
func resident() int64 {
	text, _ := os.ReadFile("/proc/self/statm") // size, resident, shared, ... in pages
	fields := bytes.Fields(text)
	if len(fields) < 3 {
		return 0
	}
	pages, _ := strconv.ParseInt(string(fields[2]), 10, 64)
	return pages * int64(os.Getpagesize())
}

// Free is the number of bytes that the disk of a folder has left.
func Free(dir string) (int64, error) {
	var of unix.Statfs_t
	err := unix.Statfs(dir, &of)
	return int64(of.Bavail) * int64(of.Bsize), err
}
