//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package dataset

import (
	"errors"
	"os"
)

// mapFloat32 says that this system does not map files.
func mapFloat32(*os.File, int64, int) (*mapping, error) { return nil, errors.ErrUnsupported }
