package published

import (
	"bytes"
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

	"coles"
	"coles/dataset"
	"coles/internal/setting"
)

// ErrServer: a server does not hand out the file asked for.
var ErrServer = errors.New("the server does not give the file")

// A remoteFile is one that can be fetched.
type remoteFile struct {
	Name   string // the file's name in the cache folder
	URL    string
	SHA256 string // of the content, in hexadecimal
	Size   int64  // in bytes
}

// fetchFile makes sure that cacheDir, which is created where needed, holds the file, and returns its path.
func fetchFile(ctx context.Context, src remoteFile, cacheDir string) (path string, err error) {
	path = filepath.Join(cacheDir, src.Name)
	if err := fetch(ctx, src, path); err != nil {
		return "", fmt.Errorf("fetch %s: %w; get it from %s (SHA-256 %s) and put it at %s by hand",
			src.Name, err, src.URL, src.SHA256, path)
	}
	return path, nil
}

// fetch makes sure that the file stands at path.
func fetch(ctx context.Context, src remoteFile, path string) error {
	sum, err := hex.DecodeString(src.SHA256)
	if err != nil {
		return err
	}
	have, err := fileSum(path)
	if bytes.Equal(have, sum) || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	wrong := err == nil // a file of another content; the download replaces it
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	err = dataset.WriteFile(path, func(w io.Writer) error { return download(ctx, src, sum, w) })
	if err != nil && wrong {
		err = fmt.Errorf("the file there has another content (%w), and a new one could not be had: %w", coles.ErrChecksum, err)
	}
	return err
}

// Planetoid fetches the eight Planetoid files of "cora", "citeseer" or "pubmed" into cacheDir, which
// is created where needed, and returns it, the folder for [dataset.OpenPlanetoid]. A file with the right SHA-256,
// which is part of this package, is used without the network. Any other is downloaded, checked, and only
// then takes its name.
//
// An error names the place to put the file by hand. It wraps coles.ErrChecksum (another content, or less of
// it), coles.ErrTooLarge, ErrServer (any status but 200), or the error of ctx or the network; another
// name is coles.ErrSetting.
func Planetoid(ctx context.Context, name, cacheDir string) (dir string, err error) {
	return planetoid(ctx, planetoidBase, name, cacheDir)
}

func planetoid(ctx context.Context, base, name, cacheDir string) (string, error) {
	files, ok := planetoidFiles[name]
	if !ok {
		known := slices.Sorted(maps.Keys(planetoidFiles))
		return "", fmt.Errorf("planetoid: %w", setting.Bad("name", name, "%s", strings.Join(known, ", ")))
	}
	for k, part := range planetoidParts {
		file := "ind." + name + "." + part
		src := remoteFile{Name: file, URL: base + file, SHA256: files[k].sha256, Size: files[k].size}
		if _, err := fetchFile(ctx, src, cacheDir); err != nil {
			return "", err
		}
	}
	return cacheDir, nil
}

func fileSum(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return h.Sum(nil), err
}

// download copies the body to w and fails unless src describes it.
func download(ctx context.Context, src remoteFile, sum []byte, w io.Writer) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, src.URL, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%w: it answers %s", ErrServer, resp.Status)
	}
	h := sha256.New()
	n, err := io.Copy(io.MultiWriter(w, h), io.LimitReader(resp.Body, src.Size+1))
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%w after %d bytes", coles.ErrChecksum, n)
	case err != nil:
		return err
	case n > src.Size:
		return fmt.Errorf("more than %d bytes: %w", src.Size, coles.ErrTooLarge)
	case n < src.Size:
		return fmt.Errorf("%w after %d of %d bytes", coles.ErrChecksum, n, src.Size)
	}
	if got := h.Sum(nil); !bytes.Equal(got, sum) {
		return fmt.Errorf("SHA-256 of the download is %x: %w", got, coles.ErrChecksum)
	}
	return nil
}

// planetoidBase is where the Planetoid files are published.
const planetoidBase = "https://github.com/kimiyoung/planetoid/raw/master/data/"

// planetoidParts are the files of one dataset, in the order they are fetched.
var planetoidParts = []string{"x", "tx", "allx", "y", "ty", "ally", "graph", "test.index"}

// identity tells a published file.
type identity struct {
	size   int64
	sha256 string
}

// planetoidFiles are the sizes and SHA-256 sums of the Planetoid files, by name, in the order of
// planetoidParts.
var planetoidFiles = map[string][]identity{
	"cora": {
		{22119, "23cfa55d91c6f624233f5eb7b6e3f141f1bd2b2ae39608a63cf5d084bb27baab"},
		{148025, "b9afbaa4a400df991f6f02ef677e1e44da55ffc04801fd02f9e673987829226a"},
		{257305, "9419ba2f26f5c35243db64aba110e0f35a04851609e0dc5433450676ca6b8543"},
		{4054, "94465c14eb53e04ca262198dcbb2521ee8af60fb3f3d546cd6ca24a511b0e7d1"},
		{28135, "41f5ac76596a1699cc33f53084a2419e92961c42bb75f36fc38e616d348532ad"},
		{47959, "2b998f5cc7fedc86e7f97ca2498f47a1ffc1462c29e2d578b23bf3f62b6e7d71"},
		{59847, "58f13302f39dde8852dad6fe6d15b89b077b6d7f837626bce671ef80344b383d"},
		{5000, "297ce89af2b51a6a194181c7dbe1796c6a1cf9cd9349a88383b1b1e227867875"},
	},
	"citeseer": {
		{31087, "d20de19150741e555de0ed037195630fc194114ebc7fd72ced62810148aa22f6"},
		{260321, "539a8906a2da97628d212f2fdd668c109a8b3f0d36574b59e5d3fd5b5303da21"},
		{595021, "2ac30345d95c9ec933a817ee0bdd6a5f077f8c184a20e696910192d534414668"},
		{3014, "8ba87e515d8e3ee3cf52f6d2c5b86aa73f11ecad825a808455209ec26cd54924"},
		{24135, "55e5bd1ba1e733a04598753ad1a8d57957f4b8f89e74519f41f4f4938767e4ce"},
		{55623, "f704b2d986dde6c2669934de1f3ae5696a6cf9455c0f6b2646a2d135ea0a1c95"},
		{61987, "d79a4ef9d3e7169aee8946145f6b7306e35bc79bffad26346cfb94e10e9912a7"},
		{5000, "2af990671580b6b2df5d158d1038f8292e30c9cd821b5453f399659b25b723d4"},
	},
	"pubmed": {
		{23172, "fbe9cb5c47200d1b7769a26e579be3b7130b556831f9d850e77c4c74f2599b33"},
		{405505, "4eb5f5d0f30f26497eb0ac6ac9719d09c67e284f1ed0385c93f3ef27a671da3d"},
		{7578385, "508e538e2abdccdd54c4d3e9f49d638b4af7107d85845f66ddea5a5152658b7e"},
		{854, "e6c807633307a07ed659249006536a147c7999c797f11a2560752990181b41b3"},
		{12135, "ee2e0d4819d9fbcc403689c3bf2e49face401b605932f093bc58ab6461130fdd"},
		{224739, "0c37bbe3b5014ec365e9d393cf4791925e5ed94fb194305d74f064a8d7b50f0e"},
		{471808, "5b89f0036ca22909471f1e6558eb42fa06e0c730a577bde5b058b40638f81dc9"},
		{6000, "b101d421688bbaecbd82e8a18f1e282378d6830f3a37666f28ebc47f844341b5"},
	},
}
