// Package symlink follows symbolic links.
package symlink

import (
	"os"
	"path/filepath"
)

// most is how many links are followed, as Linux does.
const most = 40

// Target is the name of the file that a path leads to, which need not be there.
func Target(path string) string {
	for range most {
		to, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	return path
}
