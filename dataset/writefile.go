package dataset

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"

	"coles/internal/link"
)

// WriteFile writes the file at path by way of write. The content goes to a new
// file beside it, is flushed to the disk, and takes its name only then: on any
// error, a panic of write included, what stood at path before stands there
// still, and no partial file is left. An existing file keeps its permissions;
// a symbolic link keeps pointing at its file, there already or not, which is the one
// replaced. What is not a regular file, such as a pipe, is written to directly, and so
// are /dev/stdout and /dev/stderr, wherever they lead.
func WriteFile(path string, write func(io.Writer) error) error {
	if err := writeFile(path, write); err != nil {
		return fmt.Errorf("dataset: write %s: %w", path, err)
	}
	return nil
}

func writeFile(path string, write func(io.Writer) error) (err error) {
	if write == nil {
		return fmt.Errorf("nothing that writes it: %w", ErrOption)
	}
	switch filepath.Clean(path) {
	case "/dev/stdout":
		return write(os.Stdout)
	case "/dev/stderr":
		return write(os.Stderr)
	}
	mode := fs.FileMode(0o666) // less the umask
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		path = link.Target(path)
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("is a folder: %w", ErrOption)
	case !info.Mode().IsRegular():
		return writeDevice(path, write)
	default:
		mode = info.Mode().Perm()
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return err
		}
	}
	f, err := createBeside(path, mode)
	if err != nil {
		return err
	}
	done := false
	defer func() {
		if !done {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if err := write(f); err != nil {
		return err
	}
	if info != nil { // the umask does not apply to a file that was there
		if err := f.Chmod(mode); err != nil {
			return err
		}
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	done = true
	syncDir(filepath.Dir(path))
	return nil
}

// maxName keeps the name of a partial file within the 255 bytes that file systems allow.
const maxName = 200

// createBeside creates a new file in the folder of path.
func createBeside(path string, mode fs.FileMode) (*os.File, error) {
	dir, base := filepath.Split(path)
	if len(base) > maxName { // room for what is added
		base = base[:maxName]
	}
	for {
		// The name is random so that two programs do not meet; it decides nothing.
		name := fmt.Sprintf("%s.%s.%016x.partial", dir, base, rand.Uint64())
		f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

// syncDir makes the new name last through a power cut where the system can;
// the content is on the disk by then, so that a refusal costs nothing.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		d.Sync()
		d.Close()
	}
}

func writeDevice(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}
