package dataset

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

// ReadNPZ reads a gnn-benchmark .npz archive of size bytes: the adjacency as
// adj_{data,indices,indptr,shape} (CSR), features as attr_{data,…} (CSR) or
// attr_matrix (dense), labels, and where they are there: has_label (false
// goes to Unlabeled), {train,val,test}_masks (to Splits), node_names (to IDs)
// and class_names (to Classes). Other members are not looked at, and names
// stored as pickled objects count as absent; every other array of pickled
// objects is refused with ErrObject.
//
// Errors are a *ParseError naming the member and wrap ErrFormat, ErrTruncated,
// ErrTooLarge, ErrMissing, ErrShape, ErrIndex, ErrDuplicate, ErrNotFinite,
// ErrChecksum or ErrObject. Sizes that the archive or its arrays declare take
// no memory: arrays grow as bytes arrive, and all members together may
// take 256 MB and 64 times the archive's size, no more.
func ReadNPZ(r io.ReaderAt, size int64) (*Dataset, error) {
	if err := checkReader(r, "npz"); err != nil {
		return nil, err
	}
	return readNPZ(r, size, "npz")
}

// OpenNPZ reads the archive at path, gzipped or not, and names the dataset
// after it. See [ReadNPZ].
func OpenNPZ(path string) (*Dataset, error) {
	var d *Dataset
	err := openNPZ(path, func(r io.ReaderAt, size int64) (err error) {
		d, err = readNPZ(r, size, path)
		return err
	})
	if err != nil {
		return nil, err
	}
	base := strings.TrimSuffix(filepath.Base(path), ".gz")
	d.Name = strings.TrimSuffix(base, filepath.Ext(base))
	return d, nil
}

// openNPZ hands a file to read, where it lies or, gzipped, unpacked into memory: an
// archive is read from its end.
func openNPZ(path string, read func(r io.ReaderAt, size int64) error) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("dataset: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("dataset: %w", err)
	}
	var magic [2]byte
	if _, err := f.ReadAt(magic[:], 0); err != nil || magic != [2]byte{0x1f, 0x8b} {
		return read(f, info.Size())
	}
	z, err := openFile(path, freeBinary)
	if err != nil {
		return err
	}
	defer z.Close()
	data, err := io.ReadAll(z)
	if err != nil {
		return atByte(path, int64(len(data)), "%w", err)
	}
	return read(bytes.NewReader(data), int64(len(data)))
}

// archive is an .npz file with what it may still unpack.
type archive struct {
	name    string
	members map[string]*zip.File
	left    int64
}

func readNPZ(r io.ReaderAt, size int64, name string) (*Dataset, error) {
	a, err := openArchive(r, size, name)
	if err != nil {
		return nil, err
	}
	d := &Dataset{}
	if err := a.fill(d); err != nil {
		return nil, err
	}
	if err := d.validate(); err != nil {
		return nil, inFile(name, "%w", err)
	}
	return d, nil
}

func openArchive(r io.ReaderAt, size int64, name string) (*archive, error) {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, zipError(r, name, err)
	}
	a := &archive{name: name, members: make(map[string]*zip.File, len(z.File)), left: budget(freeBinary, size)}
	for _, f := range z.File {
		key := strings.TrimSuffix(f.Name, ".npy")
		if a.members[key] != nil {
			return nil, inFile(a.path(key), "%w: the archive has two members of this name", ErrDuplicate)
		}
		if err := checkLocalHeader(r, f); err != nil {
			return nil, inFile(a.path(key), "%w", err)
		}
		a.members[key] = f
	}
	return a, nil
}

// checkLocalHeader compares a member's name in the directory at the end of the archive, which
// no checksum covers, with that in the header before its data: a name that was damaged
// would be that of another member, and this one would silently be absent.
//
// Of the header, archive/zip tells the end only. It is 30 bytes, the name, and up to 65,535
// bytes of fields, the lengths of both in the bytes 26 to 29.
func checkLocalHeader(r io.ReaderAt, f *zip.File) error {
	end, err := f.DataOffset()
	if err != nil {
		return cause(err)
	}
	least := 30 + len(f.Name)
	before := make([]byte, min(end, int64(least+math.MaxUint16)))
	if _, err := r.ReadAt(before, end-int64(len(before))); err != nil {
		return cause(err)
	}
	for at := len(before) - least; at >= 0; at-- {
		h := before[at:]
		if string(h[:4]) == "PK\x03\x04" && int(binary.LittleEndian.Uint16(h[26:])) == len(f.Name) &&
			int(binary.LittleEndian.Uint16(h[28:])) == len(h)-least && string(h[30:least]) == f.Name {
			return nil
		}
	}
	return fmt.Errorf("%w: the header before its data has another name", ErrFormat)
}

// zipError tells an archive cut short, whose directory at the end is missing,
// from a file that never was one.
func zipError(r io.ReaderAt, name string, err error) error {
	if errors.Is(err, zip.ErrFormat) {
		var magic [4]byte
		k, _ := r.ReadAt(magic[:], 0)
		if bytes.HasPrefix([]byte("PK\x03\x04"), magic[:k]) {
			return inFile(name, "%w: the directory at the end of the archive is missing", ErrTruncated)
		}
		return inFile(name, "%w: not a zip archive", ErrFormat)
	}
	return inFile(name, "%w", cause(err))
}

func (a *archive) path(key string) string { return a.name + "/" + key + ".npy" }

func (a *archive) has(key string) bool { return a.members[key] != nil }

func (a *archive) fill(d *Dataset) (err error) {
	if d.Adjacency, err = a.csr("adj"); err != nil {
		return err
	}
	switch {
	case a.has("attr_matrix"):
		d.Features, err = a.dense("attr_matrix")
	case a.has("attr_data"):
		var x *sparse.CSR
		if x, err = a.csr("attr"); err == nil {
			d.Features = x
		}
	}
	if err != nil {
		return err
	}
	if a.has("labels") {
		if d.Labels, err = a.ints("labels"); err != nil {
			return err
		}
	}
	if a.has("has_label") {
		known, err := a.ints("has_label")
		if err != nil {
			return err
		}
		if n := d.Nodes(); len(known) != n {
			return inFile(a.path("has_label"), "%d entries for %d nodes: %w", len(known), n, ErrShape)
		}
		for i, k := range known {
			if k == 0 {
				d.Unlabeled = append(d.Unlabeled, i)
			}
		}
	}
	if d.IDs, err = a.names("node_names"); err != nil {
		return err
	}
	if d.Classes, err = a.names("class_names"); err != nil {
		return err
	}
	d.Splits, err = a.masks(d.Nodes())
	return err
}

// array opens one member and hands it to read.
func array[T any](a *archive, key string, dims int, read func(*source, *npyHeader) ([]T, error)) ([]T, *npyHeader, error) {
	f := a.members[key]
	if f == nil {
		return nil, nil, inFile(a.path(key), "%w", ErrMissing)
	}
	rc, err := f.Open()
	if err != nil {
		return nil, nil, inFile(a.path(key), "%w", cause(err))
	}
	defer rc.Close()
	s := &source{r: buffered(rc), file: a.path(key)}
	h, err := s.readHeader(a.left)
	if err != nil {
		return nil, nil, err
	}
	if dims > 0 && len(h.shape) != dims {
		return nil, nil, inFile(s.file, "shape %v, expected %d dimension(s): %w", h.shape, dims, ErrShape)
	}
	v, err := read(s, h)
	a.left -= int64(h.count) * h.width()
	return v, h, err
}

func (a *archive) ints(key string) ([]int, error) {
	v, _, err := array(a, key, 1, (*source).readInts)
	return v, err
}

func (a *archive) dense(key string) (mat.Matrix, error) {
	v, h, err := array(a, key, 2, (*source).readFloats)
	if err != nil {
		return nil, err
	}
	r, c := h.shape[0], h.shape[1]
	if r == 0 || c == 0 {
		return nil, inFile(a.path(key), "an empty matrix of shape %v: %w", h.shape, ErrShape)
	}
	return denseOf(v, r, c, h.fortran), nil
}

func denseOf(values []float64, r, c int, fortran bool) *mat.Dense {
	if fortran {
		values = rowMajor(values, r, c)
	}
	return mat.NewDense(r, c, values)
}

// csr reads the four arrays of a compressed sparse row matrix.
func (a *archive) csr(prefix string) (*sparse.CSR, error) {
	shape, err := a.ints(prefix + "_shape")
	if err != nil {
		return nil, err
	}
	if len(shape) != 2 || shape[0] < 0 || shape[1] < 0 {
		return nil, inFile(a.path(prefix+"_shape"), "%v is not the shape of a matrix: %w", shape, ErrShape)
	}
	indptr, err := a.ints(prefix + "_indptr")
	if err != nil {
		return nil, err
	}
	ind, err := a.ints(prefix + "_indices")
	if err != nil {
		return nil, err
	}
	data, _, err := array(a, prefix+"_data", 1, (*source).readFloats)
	if err != nil {
		return nil, err
	}
	m := sparse.NewCSR(shape[0], shape[1], indptr, ind, data)
	if err := checkCSR(prefix, m); err != nil {
		return nil, inFile(a.name+"/"+prefix+"_*.npy", "%w", err)
	}
	return m, nil
}

// names reads an optional array of strings.
func (a *archive) names(key string) ([]string, error) {
	if !a.has(key) {
		return nil, nil
	}
	v, _, err := array(a, key, 1, (*source).readText)
	if errors.Is(err, ErrObject) {
		return nil, nil
	}
	return v, err
}

// masks turns train_masks, val_masks and test_masks, each splits × n (or n,
// for one split), into lists of nodes.
func (a *archive) masks(n int) ([]Split, error) {
	var splits []Split
	for part, key := range []string{"train_masks", "val_masks", "test_masks"} {
		if !a.has(key) {
			if part == 0 {
				return nil, nil
			}
			continue
		}
		v, h, err := array(a, key, 0, (*source).readInts)
		if err != nil {
			return nil, err
		}
		rows := 1
		if len(h.shape) == 2 {
			rows = h.shape[0]
		}
		if len(h.shape) < 1 || len(h.shape) > 2 || h.shape[len(h.shape)-1] != n || part > 0 && rows != len(splits) {
			return nil, inFile(a.path(key), "masks of shape %v for %d nodes: %w", h.shape, n, ErrShape)
		}
		if h.fortran && len(h.shape) == 2 {
			v = rowMajor(v, rows, n)
		}
		if part == 0 {
			if rows > maxSplits {
				return nil, inFile(a.path(key), "%d splits, at most %d: %w", rows, maxSplits, ErrTooLarge)
			}
			splits = make([]Split, rows)
		}
		for s := range splits {
			nodes := []int{}
			for i, set := range v[s*n : (s+1)*n] {
				if set != 0 {
					nodes = append(nodes, i)
				}
			}
			switch part {
			case 0:
				splits[s].Train = nodes
			case 1:
				splits[s].Val = nodes
			default:
				splits[s].Test = nodes
			}
		}
	}
	return splits, nil
}

// maxSplits bounds the number of masks; an array of 0 columns could declare
// any number of rows.
const maxSplits = 1 << 16
