//go:build !linux

package dataset

import (
	"errors"
	"io/fs"
	"os"
)

// Files without a name are Linux's.

func createUnnamed(string, fs.FileMode) (*os.File, error) { return nil, errors.ErrUnsupported }

func giveName(*os.File, string) error { return errors.ErrUnsupported }
