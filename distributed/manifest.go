package distributed

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"sync"

	"coles"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
)

// A Manifest describes a folder that [Run] wrote. The files lie in a folder of the attempt that made them, within the folder.
// The manifest is written last, in one go: all files that it names are whole.
type Manifest struct {
	Key      string         `json:"key"`              // hash of settings, grid, kernel, program, and content of the inputs
	Step     string         `json:"step"`             // name of the pipeline, as in Report
	Nodes    int64          `json:"nodes"`            // n
	Columns  int            `json:"columns"`          // d
	Grid     Grid           `json:"grid"`             // with its defaults filled in
	Settings coles.Settings `json:"settings"`         // of the fit
	Counters Counters       `json:"counters"`         // of this step
	Inputs   []InputFile    `json:"inputs,omitempty"` // features, edges, names
	Files    []File         `json:"files"`            // by name
}

// An InputFile is a file that a job read. A file with the same path, length and time is not read again to hash its content.
type InputFile struct {
	Path     string `json:"path"`
	Bytes    int64  `json:"bytes"`
	Modified int64  `json:"modified"` // nanoseconds since 1970, 0 where the file system does not say
	SHA256   string `json:"sha256"`
}

const (
	manifestName = "manifest.json"
	listName     = "files.json" // of the pipeline, for the launching program, which makes the manifest
)

// ReadManifest reads the manifest of a folder that [Run] wrote.
//
// Errors: the file system's, and coles.ErrFormat.
func ReadManifest(ctx context.Context, folder string) (*Manifest, error) {
	path := within(folder, manifestName)
	text, err := readFile(ctx, path)
	if err != nil {
		return nil, err
	}
	m := &Manifest{}
	if err := json.Unmarshal(text, m); err != nil {
		return nil, fmt.Errorf("distributed: %s: %w: %w", path, coles.ErrFormat, err)
	}
	for _, f := range m.Files {
		if !filepath.IsLocal(f.Name) {
			return nil, fmt.Errorf("distributed: %s: %w: file %q", path, coles.ErrFormat, f.Name)
		}
	}
	return m, nil
}

// Check compares every file of a folder with its manifest.
//
// Errors: coles.ErrChecksum, also for a file that is not there, and the file system's.
func (m *Manifest) Check(ctx context.Context, folder string) error {
	if err := m.present(ctx, folder); err != nil {
		return err
	}
	return each(ctx, len(m.Files), func(ctx context.Context, k int) error {
		_, err := m.Files[k].read(ctx, folder)
		return err
	})
}

// present compares the lengths of all files.
func (m *Manifest) present(ctx context.Context, folder string) error {
	return each(ctx, len(m.Files), func(ctx context.Context, k int) error {
		size, _, err := sizeOf(ctx, within(folder, m.Files[k].Name))
		if err != nil && ctx.Err() == nil {
			return fmt.Errorf("%w: %w", coles.ErrChecksum, err)
		}
		if err == nil && size != m.Files[k].Bytes {
			err = fmt.Errorf("distributed: %s: %w: %d bytes, the manifest says %d", m.Files[k].Name, coles.ErrChecksum, size, m.Files[k].Bytes)
		}
		return err
	})
}

// whole returns the manifest of a folder if it has this key and all files have their sizes, or nil.
func whole(ctx context.Context, folder, key string) *Manifest {
	m, err := ReadManifest(ctx, folder)
	if err != nil || m.Key != key || m.present(ctx, folder) != nil {
		return nil
	}
	return m
}

// attemptOf is the name of the folder for the files of a key. Equal keys make equal bytes, so an attempt that still runs
// somewhere, or was given up, does no harm to the next.
func attemptOf(key string) string { return "coles-" + key[:16] }

// attempts are the files of attempts.
var attempts = regexp.MustCompile(`(^|/)coles-[0-9a-f]{16}/[^/]*$`)

// swap turns the list of files that a pipeline wrote into the manifest of the folder. Then it removes the remains of other
// attempts.
func (m *Manifest) swap(ctx context.Context, folder string) error {
	attempt := attemptOf(m.Key)
	list := within(folder, attempt+"/"+listName)
	text, err := readFile(ctx, list)
	if err != nil {
		return fmt.Errorf("the pipeline ended without its result: %w", err)
	}
	if err := json.Unmarshal(text, &m.Files); err != nil {
		return fmt.Errorf("distributed: %s: %w: %w", list, coles.ErrFormat, err)
	}
	keep := map[string]bool{}
	for k := range m.Files {
		m.Files[k].Name = attempt + "/" + m.Files[k].Name
		keep[m.Files[k].Name] = true
	}
	if err := m.present(ctx, folder); err != nil {
		return err
	}
	if text, err = json.MarshalIndent(m, "", "\t"); err != nil {
		return err
	}
	if _, err = put(ctx, folder, manifestName, append(text, '\n')); err != nil {
		return err
	}
	remove(ctx, within(folder, "coles-*/*"), func(name string) bool {
		return attempts.MatchString(name) && !keep[path.Join(path.Base(path.Dir(name)), path.Base(name))]
	})
	remove(ctx, within(folder, "coles-*"), func(name string) bool { // folders that are empty
		return attempts.MatchString(name+"/") && path.Base(name) != attempt
	})
	return nil
}

// remove removes files as far as it can be done: nothing depends on it.
func remove(ctx context.Context, glob string, which func(name string) bool) {
	onFiles(ctx, glob, func(fs filesystem.Interface) error {
		remover, is := fs.(filesystem.Remover)
		names, _ := fs.List(ctx, glob)
		return each(ctx, len(names), func(ctx context.Context, k int) error {
			if name := filepath.ToSlash(names[k]); is && which(name) {
				remover.Remove(ctx, names[k])
			}
			return nil
		})
	})
}

// probe tries what a step will do with a folder.
func probe(ctx context.Context, folder string) error {
	file, err := put(ctx, folder, ".probe-"+rand.Text(), []byte("probe"))
	if err != nil {
		return err
	}
	return onFiles(ctx, within(folder, file.Name), func(fs filesystem.Interface) error {
		remover, is := fs.(filesystem.Remover)
		if !is {
			return fmt.Errorf("%w: the file system cannot remove files", coles.ErrSetting)
		}
		return remover.Remove(ctx, within(folder, file.Name))
	})
}

// keyOf hashes values by their JSON.
func keyOf(values ...any) (string, error) {
	text, err := json.Marshal(values)
	if err != nil {
		return "", fmt.Errorf("distributed: %w", err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// hashOf is the SHA-256 of a file as it is.
func hashOf(ctx context.Context, path string) (string, error) {
	hash := sha256.New()
	err := onFiles(ctx, path, func(fs filesystem.Interface) error {
		file, err := fs.OpenRead(ctx, path)
		if err == nil {
			_, err = io.Copy(hash, file)
			err = cmp.Or(err, file.Close())
		}
		return err
	})
	return hex.EncodeToString(hash.Sum(nil)), err
}

// identify adds to files their length, time and content. Known files are not read. It reports how many
// are done, one call after the other.
func identify(ctx context.Context, files []InputFile, known map[string]InputFile, tell func(done int)) error {
	var mutex sync.Mutex
	done := 0
	return each(ctx, len(files), func(ctx context.Context, k int) (err error) {
		f := &files[k]
		if f.Bytes, f.Modified, err = sizeOf(ctx, f.Path); err != nil {
			return err
		}
		before := known[f.Path]
		if f.SHA256 = before.SHA256; f.Modified == 0 || *f != before {
			f.SHA256, err = hashOf(ctx, f.Path)
		}
		mutex.Lock()
		defer mutex.Unlock()
		done++
		tell(done)
		return err
	})
}

// listed writes the list of all files of a folder, each a value of its own with the key 0.
func listed(s beam.Scope, folder string, files ...beam.PCollection) {
	s = s.Scope("List")
	beam.ParDo0(s, &listFiles{folder}, beam.GroupByKey(s, beam.Flatten(s, files...)))
}

type listFiles struct{ Folder string }

func (f *listFiles) ProcessElement(ctx context.Context, _ int64, next func(*File) bool) error {
	var list []File
	for v := (File{}); next(&v); v = (File{}) {
		list = append(list, v)
	}
	slices.SortFunc(list, func(a, b File) int { return cmp.Compare(a.Name, b.Name) })
	text, err := json.Marshal(list)
	if err == nil {
		_, err = put(ctx, f.Folder, listName, text)
	}
	return err
}

// put writes a file of a folder.
func put(ctx context.Context, folder, name string, content []byte) (File, error) {
	return writeFile(ctx, folder, name, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}
