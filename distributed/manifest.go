package distributed

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"coles"
	"coles/internal/archive"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
)

// A Manifest describes a folder that [Run] wrote. It is written last: where it is, the folder is whole.
type Manifest struct {
	Key      string         `json:"key"`      // hash of settings, grid, kernel, and inputs with their sizes and times
	Step     string         `json:"step"`     // name of the pipeline, as in Report
	Nodes    int64          `json:"nodes"`    // n
	Columns  int            `json:"columns"`  // d
	Grid     Grid           `json:"grid"`     // with its defaults filled in
	Settings coles.Settings `json:"settings"` // of the fit
	Counters Counters       `json:"counters"` // of this step
	Files    []File         `json:"files"`    // all others of the folder, by name
}

// A File describes a file of a folder.
type File struct {
	Name   string `json:"name"`   // without the folder
	First  int64  `json:"first"`  // number of its first row; of a block's state, number of the block
	Rows   int64  `json:"rows"`   // 0 in files of no rows
	Bytes  int64  `json:"bytes"`  // its length
	SHA256 string `json:"sha256"` // of its content, in hexadecimal
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
	return m, nil
}

// Check compares every file of a folder with its manifest.
//
// Errors: coles.ErrChecksum, and the file system's.
func (m *Manifest) Check(ctx context.Context, folder string) error {
	for _, f := range m.Files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if _, err := f.read(ctx, folder); err != nil {
			return err
		}
	}
	return nil
}

// read reads a file of a folder and compares its content with the SHA-256.
func (f File) read(ctx context.Context, folder string) ([]byte, error) {
	content, err := readFile(ctx, within(folder, f.Name))
	if sum := sha256.Sum256(content); err == nil && hex.EncodeToString(sum[:]) != f.SHA256 {
		err = fmt.Errorf("distributed: %s: %w: not the bytes of the manifest", f.Name, coles.ErrChecksum)
	}
	return content, err
}

// whole returns the manifest of a folder if it has this key and all files have their sizes, or nil.
func whole(ctx context.Context, folder, key string) *Manifest {
	m, err := ReadManifest(ctx, folder)
	if err != nil || m.Key != key {
		return nil
	}
	err = onFiles(ctx, folder, func(fs filesystem.Interface) error {
		for _, f := range m.Files {
			if size, err := fs.Size(ctx, within(folder, f.Name)); err != nil || size != f.Bytes {
				return cmp.Or(err, coles.ErrChecksum)
			}
		}
		return nil
	})
	if err != nil {
		return nil
	}
	return m
}

// write completes a folder: it takes over the list of files that the pipeline wrote, and removes
// what attempts that were given up have left.
func (m *Manifest) write(ctx context.Context, folder string) error {
	list := within(folder, listName)
	text, err := readFile(ctx, list)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, &m.Files); err != nil {
		return fmt.Errorf("distributed: %s: %w: %w", list, coles.ErrFormat, err)
	}
	remove(ctx, list, within(folder, ".part-*"))
	if text, err = json.MarshalIndent(m, "", "\t"); err == nil {
		_, err = put(ctx, folder, manifestName, append(text, '\n'))
	}
	return err
}

// remove removes files as far as it can be done: nothing depends on it.
func remove(ctx context.Context, globs ...string) {
	for _, glob := range globs {
		onFiles(ctx, glob, func(fs filesystem.Interface) error {
			if remover, ok := fs.(filesystem.Remover); ok {
				names, _ := fs.List(ctx, glob)
				for _, name := range names {
					remover.Remove(ctx, name)
				}
			}
			return nil
		})
	}
}

// keyOf hashes values by their JSON, and the version of this module.
func keyOf(values []any) (string, error) {
	text, err := json.Marshal(append(values, archive.ModuleVersion()))
	if err != nil {
		return "", fmt.Errorf("distributed: %w", err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// A stamp identifies the content of an input file.
type stamp struct {
	Path     string
	Bytes    int64
	Modified int64 // nanoseconds, 0 where the file system does not say
}

func stamps(ctx context.Context, paths []string) ([]stamp, error) {
	all := make([]stamp, len(paths))
	for k, path := range paths {
		err := onFiles(ctx, path, func(fs filesystem.Interface) (err error) {
			all[k].Path = path
			if all[k].Bytes, err = fs.Size(ctx, path); err != nil {
				return err
			}
			if dated, ok := fs.(filesystem.LastModifiedGetter); ok {
				at, failed := dated.LastModified(ctx, path)
				all[k].Modified, err = at.UnixNano(), failed
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
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
