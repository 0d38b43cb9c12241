//go:build !linux

package scratch

import (
	"errors"
	"os"
)

// There is no memory in files on this system.

func mapped(*os.File, int64) ([]byte, error) { return nil, errors.ErrUnsupported }

func anonymous(int64) ([]byte, error) { return nil, errors.ErrUnsupported }

func unmap([]byte) error { return nil }

func forget([]byte) {}

func resident() int64 { return 0 }

// Free is the number of bytes that the disk of a folder has left.
func Free(string) (int64, error) { return 0, errors.ErrUnsupported }
