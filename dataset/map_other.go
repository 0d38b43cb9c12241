//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package dataset

import (
	"errors"
	"os"
)

// mapFile reports that this system does not map files.
func mapFile(*os.File, int) (*mapping, error) { return nil, errors.ErrUnsupported }
