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
// still, and no partial file is left. On Linux the new file has no name until it is whole,
// so that none is left by a program that is killed either. An existing file keeps its permissions;
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
	f, err := createPartial(path, mode)
	if err != nil {
		return err
	}
	defer f.discard() // unless it has the name by then
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
	if err := f.rename(path); err != nil {
		return err
	}
	syncDir(filepath.Dir(path))
	return nil
}

// A partial is a file that is to take a name when it is whole.
type partial struct {
	*os.File
	beside func() string // another name beside that one at every call
	name   string        // "" while it has none
}

// createPartial creates a new file in the folder of path, without a name where the system can.
func createPartial(path string, mode fs.FileMode) (*partial, error) {
	dir, base := filepath.Split(path)
	if len(base) > maxName { // room for what is added
		base = base[:maxName]
	}
	// The name is random so that two programs do not meet; it decides nothing.
	p := &partial{beside: func() string { return fmt.Sprintf("%s.%s.%016x.partial", dir, base, rand.Uint64()) }}
	var err error
	if p.File, err = createUnnamed(filepath.Clean(filepath.Dir(path)), mode); err == nil {
		return p, nil
	}
	err = p.take(func(name string) error {
		p.File, err = os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
		return err
	})
	return p, err
}

// take looks for a name beside that is free.
func (p *partial) take(give func(name string) error) error {
	for {
		name := p.beside()
		switch err := give(name); {
		case err == nil:
			p.name = name
			return nil
		case !errors.Is(err, fs.ErrExist):
			return err
		}
	}
}

// rename closes the file and has it replace the one at path. A name cannot be given to a file
// in the place of another, hence by way of one of its own.
func (p *partial) rename(path string) error {
	if p.name == "" {
		if err := p.take(func(name string) error { return giveName(p.File, name) }); err != nil {
			return err
		}
	}
	if err := p.Close(); err != nil {
		return err
	}
	if err := os.Rename(p.name, path); err != nil {
		return err
	}
	p.name = ""
	return nil
}

// discard closes the file and removes its name.
func (p *partial) discard() {
	p.Close()
	if p.name != "" {
		os.Remove(p.name)
	}
}

// maxName keeps the name of a partial file within the 255 bytes that file systems allow.
const maxName = 200

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
