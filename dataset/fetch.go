package dataset

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxFetch bounds a download of unknown size.
const maxFetch = 4 << 30

// Source describes a file that can be fetched.
type Source struct {
	Name   string // the file's name in the cache folder
	URL    string
	SHA256 string // of the content, in hexadecimal; required
	Size   int64  // in bytes; 0 when not known, which means at most 4 GiB
}

// FetchError says which file could not be had, and where to put it by hand.
type FetchError struct {
	Source Source
	Path   string // where the file is looked for
	Err    error
}

// Error names the cause and the way around it.
func (e *FetchError) Error() string {
	return fmt.Sprintf("dataset: fetch %s: %v; get it from %s (SHA-256 %s) and put it at %s by hand",
		e.Source.Name, e.Err, e.Source.URL, e.Source.SHA256, e.Path)
}

// Unwrap gives the cause to errors.Is and errors.As.
func (e *FetchError) Unwrap() error { return e.Err }

// Fetch makes sure that cacheDir, which is created where needed, holds the
// source's file, and returns its path. A file that is there and has the right
// SHA-256 is used without the network; otherwise it is downloaded, checked,
// and only then takes its name, so that a broken download never looks like a
// file. Nothing else in this package uses the network.
//
// A failure is a *FetchError. It wraps ErrChecksum (another content),
// ErrTooLarge, ErrTruncated, ErrServer (any status but 200),
// context.Canceled, or the error of the network; a source without a usable Name or SHA256 is ErrOption.
func Fetch(ctx context.Context, src Source, cacheDir string) (path string, err error) {
	return (&fetcher{client: http.DefaultClient}).fetch(ctx, src, cacheDir)
}

// FetchPlanetoid fetches the eight Planetoid files of "cora", "citeseer" or
// "pubmed" into cacheDir and returns the folder for [OpenPlanetoid]. See
// [Fetch]; the sums are part of this package.
func FetchPlanetoid(ctx context.Context, name, cacheDir string) (dir string, err error) {
	return (&fetcher{client: http.DefaultClient}).planetoid(ctx, planetoidBase, name, cacheDir)
}

// fetcher holds what a test replaces.
type fetcher struct{ client *http.Client }

func (f *fetcher) planetoid(ctx context.Context, base, name, cacheDir string) (string, error) {
	files, ok := planetoidFiles[name]
	if !ok {
		known := slices.Sorted(maps.Keys(planetoidFiles))
		return "", fmt.Errorf("dataset: no Planetoid dataset %q, there are %s: %w", name, strings.Join(known, ", "), ErrOption)
	}
	for k, part := range planetoidParts {
		file := planetoidFile(name, part)
		src := Source{Name: file, URL: base + file, SHA256: files[k].sha256, Size: files[k].size}
		if _, err := f.fetch(ctx, src, cacheDir); err != nil {
			return "", err
		}
	}
	return cacheDir, nil
}

func (f *fetcher) fetch(ctx context.Context, src Source, cacheDir string) (string, error) {
	sum, err := hex.DecodeString(src.SHA256)
	if err != nil || len(sum) != sha256.Size {
		return "", fmt.Errorf("dataset: fetch %s: %q is not a SHA-256: %w", src.Name, src.SHA256, ErrOption)
	}
	if !filepath.IsLocal(src.Name) || filepath.Base(src.Name) != src.Name || src.Name == "." {
		return "", fmt.Errorf("dataset: fetch: %q is not a file name: %w", src.Name, ErrOption)
	}
	if ctx == nil {
		return "", fmt.Errorf("dataset: fetch: the context is nil: %w", ErrOption)
	}
	path := filepath.Join(cacheDir, src.Name)
	fail := func(err error) (string, error) {
		return "", &FetchError{Source: src, Path: path, Err: err}
	}
	have, err := fileSum(path)
	if err == nil && have == [sha256.Size]byte(sum) {
		return path, nil
	}
	wrong := err == nil // a file of another content; the download replaces it
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fail(err)
	}
	if err := os.MkdirAll(cacheDir, 0o777); err != nil {
		return fail(err)
	}
	err = writeFile(path, func(w io.Writer) error { return f.download(ctx, src, sum, w) })
	if err != nil && wrong {
		err = fmt.Errorf("the file there has another content (%w), and a new one could not be had: %w", ErrChecksum, err)
	}
	if err != nil {
		return fail(err)
	}
	return path, nil
}

func fileSum(path string) (sum [sha256.Size]byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return sum, err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return sum, err
	}
	return [sha256.Size]byte(h.Sum(nil)), nil
}

// download copies the body to w and fails unless it is what src says.
func (f *fetcher) download(ctx context.Context, src Source, sum []byte, w io.Writer) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, src.URL, nil)
	if err != nil {
		return err
	}
	resp, err := f.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%w: it answers %s", ErrServer, resp.Status)
	}
	limit := src.Size
	if limit <= 0 {
		limit = maxFetch
	}
	h := sha256.New()
	n, err := io.Copy(io.MultiWriter(w, h), io.LimitReader(resp.Body, limit+1))
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%w after %d bytes", ErrTruncated, n)
	case err != nil:
		return err
	case n > limit:
		return fmt.Errorf("more than %d bytes: %w", limit, ErrTooLarge)
	case n < src.Size:
		return fmt.Errorf("%w after %d of %d bytes", ErrTruncated, n, src.Size)
	}
	if got := h.Sum(nil); [sha256.Size]byte(got) != [sha256.Size]byte(sum) {
		return fmt.Errorf("SHA-256 of the download is %x: %w", got, ErrChecksum)
	}
	return nil
}
