package dataset

import (
	"archive/zip"
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"coles"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

// WriteNPZ writes d as a gnn-benchmark .npz archive, the form that [ReadNPZ]
// and numpy.load read: the adjacency as adj_{data,indices,indptr,shape} (CSR),
// features as attr_{data,…} when they are a *sparse.CSR and as attr_matrix
// (n × d) when they are any other matrix, labels, and where d has them: has_label
// (false for the nodes of Unlabeled), node_names, class_names, and Splits as
// {train,val,test}_masks (splits × n).
//
// Numbers are '<f4' where float32 holds every one of them exactly, as it does
// those of a *coles.Dense32, and '<f8' otherwise. Column indices and row pointers
// are '<i4', or '<i8' from 2³¹ entries on; names are '<U', every one as wide as
// the longest.
//
// ReadNPZ gives back the same dataset but for this: Name is not written, since
// the file's name is it; a *coles.Dense32 comes back as a *mat.Dense of the same
// numbers; Unlabeled and the nodes of a split come back ascending, and an empty
// list may come back nil, or nil as empty. Either every split has a Test or none.
//
// The bytes depend on d alone: there are no time stamps. Nothing is compressed:
// that would take nine times as long to save a fifth of dense features, or a
// half to four fifths of sparse ones. Memory is that of two buffers, of a byte a
// node and of a thousand names. Cost: two passes over the data.
//
// A dataset that cannot be written is found out before the first byte. The error
// wraps ErrMissing (no dataset, no adjacency, no writer), ErrShape (also for dense features
// without rows or columns, and for splits of which only some have a Test),
// ErrIndex, ErrDuplicate, ErrNotFinite, ErrTooLarge, ErrID (a node id that is
// not UTF-8, or ends in a zero byte, which '<U' cannot tell from its padding) or
// ErrFormat (a class name of that kind). Any other error is the writer's own,
// with the name of the member; what was written until then is no archive. See
// [WriteFile] for a file that is whole or not there.
func WriteNPZ(w io.Writer, d *Dataset) error {
	if err := checkWriter("npz", w); err != nil {
		return err
	}
	if err := writable(d); err != nil {
		return fmt.Errorf("dataset: write npz: %w", err)
	}
	a := newArchiveWriter(w)
	a.fill(d)
	return a.close()
}

// writable looks at all of d before anything is written.
func writable(d *Dataset) error {
	if d == nil {
		return fmt.Errorf("%w: the dataset is nil", ErrMissing)
	}
	if err := d.validate(); err != nil {
		return err
	}
	if _, isSparse := d.Features.(*sparse.CSR); d.Features != nil && !isSparse {
		if r, c := d.Features.Dims(); r == 0 || c == 0 {
			return fmt.Errorf("features are an empty matrix, %d × %d: %w", r, c, ErrShape)
		}
	}
	if len(d.Splits) > maxSplits {
		return fmt.Errorf("%d splits, at most %d: %w", len(d.Splits), maxSplits, ErrTooLarge)
	}
	for i, s := range d.Splits {
		if (s.Test == nil) != (d.Splits[0].Test == nil) {
			return fmt.Errorf("split %d: some splits have test nodes and some do not: %w", i, ErrShape)
		}
	}
	if err := writableNames("node", d.IDs, ErrID); err != nil {
		return err
	}
	return writableNames("class", d.Classes, ErrFormat)
}

func writableNames(what string, names []string, cause error) error {
	for i, name := range names {
		switch {
		case !utf8.ValidString(name):
			return fmt.Errorf("name of %s %d, %q, is not UTF-8: %w", what, i, name, cause)
		case strings.HasSuffix(name, "\x00"):
			return fmt.Errorf("name of %s %d, %q, ends in a zero byte: %w", what, i, name, cause)
		case utf8.RuneCountInString(name) > maxHeader: // what the reader allows an element
			return fmt.Errorf("name of %s %d has %d characters, at most %d: %w", what, i, utf8.RuneCountInString(name), maxHeader, ErrTooLarge)
		}
	}
	return nil
}

// archiveWriter writes one .npy member after the other; after the first fault
// it writes no more.
type archiveWriter struct {
	z   *zip.Writer
	b   *bufio.Writer
	err error
}

func newArchiveWriter(w io.Writer) *archiveWriter {
	return &archiveWriter{z: zip.NewWriter(w), b: bufio.NewWriterSize(nil, chunk)}
}

// close ends the archive, if all of it could be written.
func (a *archiveWriter) close() error {
	if a.err == nil { // the directory would make an archive of a part
		a.err = a.z.Close()
	}
	if a.err != nil {
		return fmt.Errorf("dataset: write npz: %w", a.err)
	}
	return nil
}

func (a *archiveWriter) fill(d *Dataset) {
	n := d.Nodes()
	a.csr("adj", d.Adjacency)
	switch x := d.Features.(type) {
	case nil:
	case *sparse.CSR:
		a.csr("attr", x)
	default:
		a.member("attr_matrix", func() error { return writeMatrix(a.b, matrixType(x), x) })
	}
	if d.Labels != nil {
		writeArray(a, "labels", "<i8", d.Labels, appendInt64s)
	}
	if len(d.Unlabeled) > 0 {
		a.member("has_label", func() error {
			writeHeader(a.b, "|b1", n)
			return a.mask(n, d.Unlabeled, false)
		})
	}
	a.names("node_names", d.IDs)
	a.names("class_names", d.Classes)
	if len(d.Splits) > 0 {
		a.masks("train_masks", n, d.Splits, func(s Split) []int { return s.Train })
		a.masks("val_masks", n, d.Splits, func(s Split) []int { return s.Val })
		if d.Splits[0].Test != nil {
			a.masks("test_masks", n, d.Splits, func(s Split) []int { return s.Test })
		}
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
func writeArray[T any](a *archiveWriter, key, descr string, values []T, put func([]byte, []T) []byte) {
	a.member(key, func() error {
		writeHeader(a.b, descr, len(values))
		return writeEach(a.b, values, put)
	})
}

func (a *archiveWriter) csr(prefix string, m *sparse.CSR) {
	raw := m.RawMatrix()
	floats := floatType(raw.Data)
	// One type for both, because SciPy copies indices whose type is not that
	// of the row pointers.
	integers, put := indexType(max(raw.J, len(raw.Ind)))
	writeArray(a, prefix+"_data", floats, raw.Data, floatsAs(floats))
	writeArray(a, prefix+"_indices", integers, raw.Ind, put)
	writeArray(a, prefix+"_indptr", integers, raw.Indptr, put)
	writeArray(a, prefix+"_shape", "<i8", []int{raw.I, raw.J}, appendInt64s)
}

func (a *archiveWriter) names(key string, names []string) {
	if len(names) == 0 {
		return
	}
	width := 1 // NumPy has no strings of width 0
	for _, name := range names {
		width = max(width, utf8.RuneCountInString(name))
	}
	writeArray(a, key, fmt.Sprintf("<U%d", width), names, func(to []byte, names []string) []byte {
		for _, name := range names {
			end := len(to) + 4*width
			for _, r := range name {
				to = binary.LittleEndian.AppendUint32(to, uint32(r))
			}
			to = append(to, make([]byte, end-len(to))...)
		}
		return to
	})
}

func (a *archiveWriter) masks(key string, n int, splits []Split, part func(Split) []int) {
	a.member(key, func() error {
		writeHeader(a.b, "|b1", len(splits), n)
		for _, s := range splits {
			if err := a.mask(n, part(s), true); err != nil {
				return err
			}
		}
		return nil
	})
}

// mask writes n booleans, of which those of the listed nodes are set.
func (a *archiveWriter) mask(n int, nodes []int, set bool) error {
	mask := make([]byte, n)
	for _, i := range nodes {
		mask[i] = 1
	}
	if !set {
		for i := range mask {
			mask[i] ^= 1
		}
	}
	_, err := a.b.Write(mask)
	return err
}

// floatType is '<f4' where that changes no number.
func floatType(values []float64) string {
	for _, v := range values {
		if float64(float32(v)) != v {
			return "<f8"
		}
	}
	return "<f4"
}

// matrixType is the floatType of all rows.
func matrixType(m mat.Matrix) string {
	descr := "<f4"
	if _, narrow := m.(*coles.Dense32); narrow {
		return descr
	}
	eachRow(m, func(_ int, row []float64) error {
		if descr == "<f4" {
			descr = floatType(row)
		}
		return nil
	})
	return descr
}

// indexType is '<i4' where that holds numbers up to largest.
func indexType(largest int) (string, func([]byte, []int) []byte) {
	if largest > math.MaxInt32 {
		return "<i8", appendInt64s
	}
	return "<i4", appendInt32s
}

func appendInt32s(to []byte, values []int) []byte {
	for _, v := range values {
		to = binary.LittleEndian.AppendUint32(to, uint32(v))
	}
	return to
}

func appendInt64s(to []byte, values []int) []byte {
	for _, v := range values {
		to = binary.LittleEndian.AppendUint64(to, uint64(v))
	}
	return to
}
