//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package dataset

import (
	"errors"
	"os"
)

// mapFloat32 says that this system does not map files.
func mapFloat32(*os.File, int64, int) ([]float32, func() error, error) {
	return nil, nil, errors.ErrUnsupported
}
