package dataset

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"coles"
	"coles/dataset/internal/place"
	"coles/internal/npy"
	"coles/internal/source"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

// ReadNPZ reads a gnn-benchmark .npz archive: the adjacency as
// adj_{data,indices,indptr,shape} (CSR), features as attr_{data,…} (CSR) or attr_matrix (dense),
// labels, and where they are there: has_label (false goes to Unlabeled), {train,val,test}_masks (to
// Splits), node_names (to IDs) and class_names (to Classes). Other members are not looked at, and
// names stored as pickled objects count as absent; every other array of pickled objects is refused
// with ErrObject. An archive of scipy.sparse.save_npz, in the format csr, csc or coo, is the adjacency if its matrix
// is square, and else features alone.
//
// Errors name the member. Sizes that the archive or its arrays declare take no memory: arrays grow
// as bytes arrive, and all members together may take 256 MB and 64 times the archive's size, no
// more.
//
// The directory of an archive is at its end: an r that is an io.ReaderAt and io.Seeker too, such as an
// *os.File or a *bytes.Reader, is read where it lies, any other into memory first.
func ReadNPZ(r io.Reader) (*Dataset, error) {
	a, err := openArchive(r)
	if err != nil {
		return nil, err
	}
	if a.has("format") && a.has("shape") {
		return a.scipy()
	}
	d := &Dataset{Adjacency: a.csr("adj_")}
	if a.has("attr_matrix") {
		d.Features = a.matrix("attr_matrix")
	} else if a.has("attr_data") {
		d.Features = a.csr("attr_")
	}
	if a.has("labels") {
		d.Labels = a.ints("labels")
	}
	if a.err == nil {
		n := d.Nodes()
		d.Unlabeled, d.Splits = a.unlabeled(n), a.masks(n)
		d.IDs, d.Classes = a.names("node_names"), a.names("class_names")
	}
	if a.err != nil {
		return nil, a.err
	}
	return d.checked(a.name)
}

// archive is an .npz file being read.
type archive struct {
	faults
	name    string
	members map[string]*zip.File
	left    int64 // bytes that it may still unpack
}

func openArchive(from io.Reader) (*archive, error) {
	name := source.Binary(from, "npz")
	r, err := source.Section(from)
	if err != nil {
		return nil, place.In(name, err)
	}
	z, err := zip.NewReader(r, r.Size())
	if err != nil {
		return nil, zipError(r, name, err)
	}
	a := &archive{name: name, members: make(map[string]*zip.File, len(z.File)), left: source.Budget(source.FreeBinary, r.Size())}
	for _, f := range z.File {
		key := strings.TrimSuffix(f.Name, ".npy")
		if a.has(key) {
			a.fault(key, "%w: the archive has two members of this name", ErrDuplicate)
		}
		if err := checkLocalHeader(r, f); err != nil {
			a.fault(key, "%w", err)
		}
		a.members[key] = f
	}
	return a, a.err
}

// checkLocalHeader compares a member's name in the directory at the end of the archive, which no
// checksum covers, with that in the header before its data: a name that was damaged would be that
// of another member, and this one would silently be absent.
//
// Of the header, archive/zip reports the end only. It is 30 bytes, the name, and up to 65,535 bytes
// of fields, the lengths of both in the bytes 26 to 29.
func checkLocalHeader(r io.ReaderAt, f *zip.File) error {
	end, err := f.DataOffset()
	if err != nil {
		return source.Cause(err)
	}
	least := 30 + len(f.Name)
	before := make([]byte, min(end, int64(least+math.MaxUint16)))
	if _, err := r.ReadAt(before, end-int64(len(before))); err != nil {
		return source.Cause(err)
	}
	for at := len(before) - least; at >= 0; at-- {
		h := before[at:]
		if string(h[:4]) == "PK\x03\x04" && int(binary.LittleEndian.Uint16(h[26:])) == len(f.Name) &&
			int(binary.LittleEndian.Uint16(h[28:])) == len(h)-least && string(h[30:least]) == f.Name {
			return nil
		}
	}
	return fmt.Errorf("%w: the header before its data has another name", coles.ErrFormat)
}

// zipError distinguishes an archive cut short, whose directory at the end is missing, from a file that
// never was one.
func zipError(r io.ReaderAt, name string, err error) error {
	if !errors.Is(err, zip.ErrFormat) {
		return place.Fault(name, "%w", source.Cause(err))
	}
	var magic [4]byte
	if k, _ := r.ReadAt(magic[:], 0); bytes.HasPrefix([]byte("PK\x03\x04"), magic[:k]) {
		return place.Fault(name, "%w: the directory at the end of the archive is missing", coles.ErrChecksum)
	}
	return place.Fault(name, "%w: not a zip archive", coles.ErrFormat)
}

func (a *archive) fault(key, format string, args ...any) {
	a.fail(place.Fault(a.name+"/"+key+".npy", format, args...))
}

func (a *archive) has(key string) bool { return a.members[key] != nil }

// array hands one member, of a number of dimensions, or any for 0, to read. After a fault there are no
// elements.
func array[T any](a *archive, key string, dims int, read func(*source.Reader, *npy.Header) ([]T, error)) ([]T, *npy.Header) {
	h := &npy.Header{}
	if !a.has(key) {
		a.fault(key, "%w", ErrMissing)
	}
	if a.err != nil {
		return nil, h
	}
	rc, err := a.members[key].Open()
	if err != nil {
		a.fault(key, "%w", source.Cause(err))
		return nil, h
	}
	defer rc.Close()
	s := source.NewReader(rc)
	var v []T
	if h, err = npy.ReadHeader(s, a.left); err == nil {
		a.left -= h.Bytes()
		if dims > 0 && len(h.Shape) != dims {
			err = fmt.Errorf("shape %v, expected %d dimension(s): %w", h.Shape, dims, coles.ErrShape)
		} else {
			v, err = read(s, h)
		}
	}
	if err != nil {
		a.fault(key, "%w", err)
		return nil, &npy.Header{}
	}
	return v, h
}

func (a *archive) ints(key string) []int {
	v, _ := array(a, key, 1, npy.Ints)
	return v
}

// matrix reads a dense matrix.
func (a *archive) matrix(key string) *mat.Dense {
	var rows, cols int
	v, h := array(a, key, 2, func(s *source.Reader, h *npy.Header) (v []float64, err error) {
		if rows, cols, err = h.Sides(); err != nil {
			return nil, err
		}
		return npy.Floats(s, h)
	})
	if a.err != nil {
		return nil
	}
	return mat.NewDense(rows, cols, npy.RowMajor(h, v, rows, cols))
}

// csr reads the four arrays of a compressed sparse row matrix.
func (a *archive) csr(prefix string) *sparse.CSR {
	rows, cols := a.shape(prefix)
	return a.compressed(prefix, rows, cols)
}

// shape reads the shape of a matrix.
func (a *archive) shape(prefix string) (rows, cols int) {
	shape := a.ints(prefix + "shape")
	if a.err == nil && (len(shape) != 2 || shape[0] < 0 || shape[1] < 0) {
		a.fault(prefix+"shape", "%v is not the shape of a matrix: %w", shape, coles.ErrShape)
	}
	if a.err != nil {
		return 0, 0
	}
	return shape[0], shape[1]
}

// compressed reads the other arrays of a compressed sparse row matrix.
func (a *archive) compressed(prefix string, rows, cols int) *sparse.CSR {
	indptr, ind := a.ints(prefix+"indptr"), a.ints(prefix+"indices")
	data, _ := array(a, prefix+"data", 1, npy.Floats)
	if a.err != nil {
		return nil
	}
	m := sparse.NewCSR(rows, cols, indptr, ind, data)
	if err := checkCSR(strings.TrimSuffix(prefix, "_"), m); err != nil {
		a.fault(prefix+"*", "%w", err)
	}
	return m
}

// unlabeled lists the nodes that has_label marks by false.
func (a *archive) unlabeled(n int) (nodes []int) {
	if !a.has("has_label") {
		return nil
	}
	known := a.ints("has_label")
	if len(known) != n {
		a.fault("has_label", "%d entries for %d nodes: %w", len(known), n, coles.ErrShape)
	}
	for i, k := range known {
		if k == 0 {
			nodes = append(nodes, i)
		}
	}
	return nodes
}

// names reads an optional array of strings.
func (a *archive) names(key string) []string {
	if !a.has(key) {
		return nil
	}
	before := a.err
	v, _ := array(a, key, 1, npy.Texts)
	if errors.Is(a.err, ErrObject) {
		a.err = before
	}
	return v
}

// masks turns train_masks, val_masks and test_masks, each splits × n (or n, for one split), into
// lists of nodes.
func (a *archive) masks(n int) (splits []Split) {
	for part, p := range new(Split).parts() {
		key := p.name + "_masks"
		if !a.has(key) && part == 0 {
			return nil
		} else if !a.has(key) {
			continue
		}
		v, h := array(a, key, 0, npy.Ints)
		rows := 1
		if len(h.Shape) == 2 {
			rows = h.Shape[0]
		}
		if len(h.Shape) < 1 || len(h.Shape) > 2 || h.Shape[len(h.Shape)-1] != n || part > 0 && rows != len(splits) {
			a.fault(key, "masks of shape %v for %d nodes: %w", h.Shape, n, coles.ErrShape)
		}
		if rows > maxSplits {
			a.fault(key, "%d splits, at most %d: %w", rows, maxSplits, coles.ErrTooLarge)
		}
		if a.err != nil {
			return nil
		}
		if part == 0 {
			splits = make([]Split, rows)
		}
		v = npy.RowMajor(h, v, rows, n)
		for s := range splits {
			mask := make([]bool, n)
			for i := range mask {
				mask[i] = v[s*n+i] != 0
			}
			*splits[s].parts()[part].nodes = masked(mask)
		}
	}
	return splits
}

// scipy reads an archive of scipy.sparse.save_npz: its format, csr, csc or coo, its shape, and the arrays of that
// format.
func (a *archive) scipy() (*Dataset, error) {
	format, _ := array(a, "format", 0, npy.Texts)
	rows, cols := a.shape("")
	name := strings.Join(format, "")
	if name != "csr" { // whose row pointers are made, and not read
		if a.left -= 8 * int64(rows); a.left < 0 && a.err == nil {
			a.fault("shape", "%w: %d rows", coles.ErrTooLarge, rows)
		}
	}
	var m *sparse.CSR
	switch {
	case a.err != nil:
	case name == "csr":
		m = a.compressed("", rows, cols)
	case name == "csc": // the rows of the transpose
		if t := a.compressed("", cols, rows); a.err == nil {
			m = t.T().(*sparse.CSC).ToCSR()
		}
	case name == "coo":
		m = a.coordinates(rows, cols)
	default:
		a.fault("format", "%w: %q, want csr, csc or coo", coles.ErrFormat, name)
	}
	if a.err != nil {
		return nil, a.err
	}
	if rows != cols {
		return &Dataset{Features: m}, nil
	}
	return (&Dataset{Adjacency: m}).checked(a.name)
}

// coordinates reads a matrix of entries in any order, of which those of one place add up.
func (a *archive) coordinates(rows, cols int) *sparse.CSR {
	u, v := a.ints("row"), a.ints("col")
	data, _ := array(a, "data", 1, npy.Floats)
	if a.err == nil && (len(u) != len(data) || len(v) != len(data)) {
		a.fault("*", "%d rows, %d columns and %d values: %w", len(u), len(v), len(data), coles.ErrShape)
	}
	for k := 0; k < len(data) && a.err == nil; k++ {
		if u[k] < 0 || u[k] >= rows || v[k] < 0 || v[k] >= cols {
			a.fault("*", "entry %d at (%d, %d) of %d × %d: %w", k, u[k], v[k], rows, cols, coles.ErrIndex)
		}
	}
	if a.err != nil {
		return nil
	}
	return sparse.NewCOO(rows, cols, u, v, data).ToCSR()
}
