package dataset

import (
	"archive/zip"
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"coles"
	"coles/internal/npy"
	"coles/internal/source"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

// WriteNPZ writes d as a gnn-benchmark .npz archive, the form that [ReadNPZ] and numpy.load read:
// the adjacency as adj_{data,indices,indptr,shape} (CSR), features as attr_{data,…} when they are a
// *sparse.CSR and as attr_matrix (n × d) when they are any other matrix, labels, and where d has
// them: has_label (false for the nodes of Unlabeled), node_names, class_names, and Splits as
// {train,val,test}_masks (splits × n).
//
// [ReadNPZ] gives back the same dataset, but without Name and FeatureNames, with dense features as a *mat.Dense, and with
// Unlabeled and the nodes of a split ascending. The bytes depend on d alone. Cost: two passes over the data; memory: two
// buffers.
//
// Errors: as for [Dataset.Validate]; coles.ErrShape for splits of which only some have a Test; coles.ErrIDs for a name that
// is not UTF-8, or ends in a zero byte; or the writer's own, with the name of the member.
func WriteNPZ(w io.Writer, d *Dataset) error {
	if err := d.writable(); err != nil {
		return writing("npz", err)
	}
	// Nothing is compressed: that would take nine times as long to save a fifth of dense features, or a half to four fifths
	// of sparse ones.
	a := &archiveWriter{z: zip.NewWriter(w), b: bufio.NewWriterSize(nil, source.Chunk)}
	a.fill(d)
	if a.err == nil { // the directory would make an archive of a part
		a.err = a.z.Close()
	}
	return writing("npz", a.err)
}

// writable looks at all of d before anything is written.
func (d *Dataset) writable() error {
	if err := d.validate(); err != nil {
		return err
	}
	if _, isSparse := d.Features.(*sparse.CSR); d.Features != nil && !isSparse {
		if _, _, err := sides(d.Features); err != nil {
			return fmt.Errorf("features: %w", err)
		}
	}
	if len(d.Splits) > maxSplits {
		return fmt.Errorf("%d splits, at most %d: %w", len(d.Splits), maxSplits, coles.ErrTooLarge)
	}
	return cmp.Or(checkTests(d.Splits), writableNames("node", d.IDs), writableNames("class", d.Classes))
}

func writableNames(what string, names []string) error {
	for i, name := range names {
		switch {
		case !utf8.ValidString(name):
			return fmt.Errorf("name of %s %d, %q, is not UTF-8: %w", what, i, name, coles.ErrIDs)
		case strings.HasSuffix(name, "\x00"):
			return fmt.Errorf("name of %s %d, %q, ends in a zero byte: %w", what, i, name, coles.ErrIDs)
		case utf8.RuneCountInString(name) > npy.MaxHeader: // what the reader allows an element
			return fmt.Errorf("name of %s %d has %d characters, at most %d: %w", what, i, utf8.RuneCountInString(name), npy.MaxHeader, coles.ErrTooLarge)
		}
	}
	return nil
}

// archiveWriter writes one .npy member after the other; after the first fault it writes no more.
type archiveWriter struct {
	z   *zip.Writer
	b   *bufio.Writer
	err error
}

func (a *archiveWriter) fill(d *Dataset) {
	n := d.Nodes()
	a.csr("adj", d.Adjacency)
	switch x := d.Features.(type) {
	case nil:
	case *sparse.CSR:
		a.csr("attr", x)
	default:
		a.member("attr_matrix", func() error { return writeMatrix(a.b, narrowest(x), x) })
	}
	if d.Labels != nil {
		writeArray(a, "labels", "<i8", d.Labels)
	}
	if len(d.Unlabeled) > 0 {
		a.member("has_label", func() error {
			npy.WriteHeader(a.b, "|b1", false, n)
			return a.mask(n, d.Unlabeled, 1)
		})
	}
	a.names("node_names", d.IDs)
	a.names("class_names", d.Classes)
	if len(d.Splits) == 0 {
		return
	}
	for k, p := range d.Splits[0].parts() {
		if p.name == "test" && d.Splits[0].Test == nil {
			continue
		}
		a.member(p.name+"_masks", func() error {
			npy.WriteHeader(a.b, "|b1", false, len(d.Splits), n)
			for _, s := range d.Splits {
				if err := a.mask(n, *s.parts()[k].nodes, 0); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

// member writes one array, header and elements, by way of a.b.
func (a *archiveWriter) member(key string, write func() error) {
	if a.err != nil {
		return
	}
	f, err := a.z.CreateHeader(&zip.FileHeader{Name: key + ".npy", Method: zip.Store})
	if err == nil {
		a.b.Reset(f)
		err = write()
	}
	if err == nil {
		err = a.b.Flush()
	}
	if err != nil {
		a.err = fmt.Errorf("%s: %w", key, err)
	}
}

// writeArray writes an array of one dimension.
func writeArray[T int | float64](a *archiveWriter, key, descr string, values []T) {
	a.member(key, func() error {
		npy.WriteHeader(a.b, descr, false, len(values))
		return npy.Write(a.b, descr, values)
	})
}

func (a *archiveWriter) csr(prefix string, m *sparse.CSR) {
	raw := m.RawMatrix()
	floats := "<f8"
	if fitFloat32(raw.Data) {
		floats = "<f4"
	}
	// One type for both, because SciPy copies indices of another type than the row pointers.
	integers := "<i4"
	if max(raw.J, len(raw.Ind)) > math.MaxInt32 {
		integers = "<i8"
	}
	writeArray(a, prefix+"_data", floats, raw.Data)
	writeArray(a, prefix+"_indices", integers, raw.Ind)
	writeArray(a, prefix+"_indptr", integers, raw.Indptr)
	writeArray(a, prefix+"_shape", "<i8", []int{raw.I, raw.J})
}

func (a *archiveWriter) names(key string, names []string) {
	if len(names) == 0 {
		return
	}
	width := 1 // NumPy has no strings of width 0
	for _, name := range names {
		width = max(width, utf8.RuneCountInString(name))
	}
	a.member(key, func() error {
		npy.WriteHeader(a.b, fmt.Sprintf("<U%d", width), false, len(names))
		return npy.WriteTexts(a.b, width, names)
	})
}

// mask writes n booleans: rest, and for the listed nodes the other.
func (a *archiveWriter) mask(n int, nodes []int, rest byte) error {
	mask := bytes.Repeat([]byte{rest}, n)
	for _, i := range nodes {
		mask[i] = 1 - rest
	}
	_, err := a.b.Write(mask)
	return err
}

// fitFloat32 reports whether float32 holds all values exactly.
func fitFloat32(values []float64) bool {
	return !slices.ContainsFunc(values, func(v float64) bool { return float64(float32(v)) != v })
}

// narrowest is '<f4' where that changes no number of a matrix.
func narrowest(m mat.Matrix) string {
	fit := true
	if elementType(m) == "<f8" {
		eachRow(m, func(_ int, row []float64) error {
			fit = fit && fitFloat32(row)
			return nil
		})
	}
	if fit {
		return "<f4"
	}
	return "<f8"
}
