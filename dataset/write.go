package dataset

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"coles"
	"coles/internal/setting"
	"coles/internal/source"
	"coles/internal/symlink"

	"gonum.org/v1/gonum/mat"
)

// writing names the file to be written, in an error.
func writing(format string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("dataset: write %s: %w", format, err)
}

// buffered writes a file of a format once check has found nothing.
func buffered(w io.Writer, format string, check error, write func(b *bufio.Writer) error) error {
	b := bufio.NewWriterSize(w, source.Chunk)
	err := check
	if err == nil {
		err = write(b)
	}
	if err == nil {
		err = b.Flush()
	}
	return writing(format, err)
}

// sides are the rows and columns of a matrix that is to have some.
func sides(m mat.Matrix) (r, c int, err error) {
	if r, c = m.Dims(); r == 0 || c == 0 {
		err = fmt.Errorf("an empty matrix, %d × %d: %w", r, c, coles.ErrShape)
	}
	return r, c, err
}

// checkIDs looks at the ids of the rows before anything is written.
func checkIDs(ids []string, m mat.Matrix, bad func(rune) bool) error {
	rows, _ := m.Dims()
	if ids == nil {
		return nil
	}
	if len(ids) != rows {
		return fmt.Errorf("%d ids for %d rows: %w", len(ids), rows, coles.ErrShape)
	}
	for i, id := range ids {
		if id == "" || strings.ContainsFunc(id, bad) || !utf8.ValidString(id) {
			return fmt.Errorf("row %d, id %q: %w", i, id, coles.ErrIDs)
		}
	}
	return nil
}

// checkFinite looks at all numbers as they are to be written, after an error that there may be already.
func checkFinite(err error, m mat.Matrix, narrow bool) error {
	if err != nil {
		return err
	}
	return eachRow(m, func(i int, row []float64) error {
		for j, v := range row {
			if v-v != 0 || narrow && math.IsInf(float64(float32(v)), 0) {
				return fmt.Errorf("%v at (%d, %d): %w", v, i, j, coles.ErrNotFinite)
			}
		}
		return nil
	})
}

// rowID is the id of a row, or its number.
func rowID(ids []string, i int) string {
	if ids == nil {
		return strconv.Itoa(i)
	}
	return ids[i]
}

// WriteFile writes the file at path by way of write. The content goes to a new file next to it, which is flushed to the
// disk and then takes the name. After an error or a panic of write the old file is still there, and no partial one is
// left. On Linux a program that is killed leaves none either. An existing file keeps its permissions, and a symbolic link
// keeps pointing at its file, which is replaced. A pipe and the like are written to directly, and so are /dev/stdout and
// /dev/stderr, wherever they lead.
func WriteFile(path string, write func(io.Writer) error) error {
	return writing(path, writeFile(path, write))
}

func writeFile(path string, write func(io.Writer) error) (err error) {
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
		path = symlink.Target(path)
	case err != nil:
		return err
	case info.IsDir():
		return setting.Bad("path", path, "a file, not a folder")
	case !info.Mode().IsRegular():
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(write(f), f.Close())
	default:
		mode = info.Mode().Perm()
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return err
		}
	}
	f, err := createPartial(path, mode)
	if err != nil {
		return nameless(err)
	}
	defer f.discard() // unless it has the name by then
	if err := write(f); err != nil {
		return err
	}
	if info != nil { // the umask does not apply to a file that was there
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = f.rename(path)
	}
	if err == nil {
		syncDir(filepath.Dir(path))
	}
	return nameless(err)
}

// nameless removes the meaningless name of a partial file from an error of package os.
func nameless(err error) error {
	if cause := errors.Unwrap(err); cause != nil {
		return cause
	}
	return err
}

// A partial is a file that is to take a name when it is whole.
type partial struct {
	*os.File
	name string // "" while it has none
}

func (p *partial) Write(b []byte) (int, error) {
	n, err := p.File.Write(b)
	return n, nameless(err)
}

// createPartial creates a new file in the folder of path, without a name where the system can.
func createPartial(path string, mode fs.FileMode) (*partial, error) {
	if f, err := createUnnamed(filepath.Dir(path), mode); err == nil {
		return &partial{File: f}, nil
	}
	name := partialName(path)
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	return &partial{f, name}, err
}

// maxName keeps the name of a partial file within the 255 bytes that file systems allow.
const maxName = 200

// partialName is a name next to path. It is random so that two programs do not meet, and decides nothing.
func partialName(path string) string {
	dir, base := filepath.Split(path)
	return fmt.Sprintf("%s.%s.%016x.partial", dir, base[:min(len(base), maxName)], rand.Uint64())
}

// rename closes the file and has it replace the one at path. A name cannot be given to a file in
// the place of another, hence by way of a file next to it.
func (p *partial) rename(path string) error {
	if p.name == "" {
		name := partialName(path)
		if err := giveName(p.File, name); err != nil {
			return err
		}
		p.name = name
	}
	err := p.Close()
	if err == nil {
		err = os.Rename(p.name, path)
	}
	if err == nil {
		p.name = ""
	}
	return err
}

// discard closes the file and removes its name.
func (p *partial) discard() {
	p.Close()
	if p.name != "" {
		os.Remove(p.name)
	}
}

// syncDir makes the new name last through a power cut where the system can; the content is on the
// disk by then, so that a refusal costs nothing.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		d.Sync()
		d.Close()
	}
}
