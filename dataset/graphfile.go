package dataset

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"unsafe"

	"coles"
	"coles/dataset/internal/bounds"
	"coles/dataset/internal/place"
	"coles/internal/inside"
	"coles/internal/source"
)

// The graph file is made to be mapped into memory. All numbers are little-endian:
//
//	8 bytes    graphMagic
//	uint32     graphVersion
//	uint32     flags: what follows the columns, and whether self loops were to be kept
//	uint64     n, and then the entries, and then the bytes of the names
//	int64…     n + 1 row pointers
//	int32…     the columns of the entries, ascending within a row, and zeros to a multiple of eight bytes
//	float64…   their weights, with flagWeights
//	bytes      for every node the length of its name, as a varint, and the name
//	uint32     CRC-32C of everything before
//
// The columns are not packed: gaps between random neighbours of ten million nodes take three bytes of the
// four, and to unpack them would take longer than a hop.
const (
	graphMagic   = "COLESGRF"
	graphVersion = 1
	graphHeader  = 40 // bytes

	flagWeights = 1
	flagLoops   = 2
	flagNames   = 4
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// WriteCSR writes the graph of d, undirected and without duplicates, as [OpenCSR] maps it: 4 bytes an entry
// of the adjacency, two of which are an edge, and 8 more if it is weighted; 8 bytes a node; the names. Its
// features, labels and splits are left out. The bytes depend on the graph alone. Cost: one pass.
//
// Errors: as [Dataset.Graph], and the writer's.
func WriteCSR(w io.Writer, d *Dataset) error {
	g, err := d.Graph()
	if err != nil {
		return writing("csr", err)
	}
	sum := crc32.New(castagnoli)
	return buffered(w, "csr", nil, func(b *bufio.Writer) error {
		body := bufio.NewWriterSize(io.MultiWriter(b, sum), source.Chunk)
		writeGraph(body, g)
		if err := body.Flush(); err != nil {
			return err
		}
		return binary.Write(b, binary.LittleEndian, sum.Sum32())
	})
}

// writeGraph writes all but the checksum. The writer keeps its first error.
func writeGraph(b *bufio.Writer, g *coles.Graph) {
	n, flags, entries, named := g.Nodes(), uint32(0), 0, []byte(nil)
	for i := range n {
		nodes, weights := g.Neighbors(i)
		if entries += len(nodes); weights != nil {
			flags |= flagWeights
		}
	}
	if g.KeepsSelfLoops() {
		flags |= flagLoops
	}
	if g.Named() {
		flags |= flagNames
		for _, id := range g.IDs() {
			named = append(binary.AppendUvarint(named, uint64(len(id))), id...)
		}
	}
	b.WriteString(graphMagic)
	put32, put64 := func(v uint32) {
		b.Write(binary.LittleEndian.AppendUint32(b.AvailableBuffer(), v))
	}, func(v uint64) {
		b.Write(binary.LittleEndian.AppendUint64(b.AvailableBuffer(), v))
	}
	put32(graphVersion)
	put32(flags)
	put64(uint64(n))
	put64(uint64(entries))
	put64(uint64(len(named)))
	put64(0)
	for i, end := 0, 0; i < n; i++ {
		nodes, _ := g.Neighbors(i)
		end += len(nodes)
		put64(uint64(end))
	}
	for i := range n {
		nodes, _ := g.Neighbors(i)
		for _, j := range nodes {
			put32(uint32(j))
		}
	}
	if entries%2 == 1 {
		put32(0)
	}
	for i := 0; i < n && flags&flagWeights != 0; i++ {
		_, weights := g.Neighbors(i)
		for _, w := range weights {
			put64(math.Float64bits(w))
		}
	}
	b.Write(named)
}

// OpenCSR maps the graph that [WriteCSR] wrote to a file. Undirected lies in the file: pages are read when they are looked
// at, and the system may drop them at any time. So a graph may be larger than memory, and all processes that map it share it.
// It must not be used after [Dataset.Close], and the file must not shrink before. Where files cannot be mapped (Windows, js,
// big-endian machines, gzipped files) it is read into memory.
//
// Errors: coles.ErrFormat for another file or version; coles.ErrChecksum for one that was cut or changed; as
// [inside.FromRows]. Cost: three passes over the file.
func OpenCSR(path string) (*Dataset, error) { return Open(path, readCSR) }

// readCSR is [OpenCSR] of a stream, into memory: twice the bytes of the file, for a moment.
func readCSR(r io.Reader) (*Dataset, error) {
	file := source.Binary(r, "csr")
	if f, ok := r.(*source.File); ok && !f.IsGzip() && f.Info.Mode().IsRegular() && f.Info.Size() >= graphHeader {
		d, err := mapGraph(f)
		if !errors.Is(err, errors.ErrUnsupported) {
			return d, place.In(file, err)
		}
	}
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, place.In(file, source.At(int64(len(data)), "%w", source.Cause(err)))
	}
	d, err := graphOf(data)
	return d, place.In(file, err)
}

func mapGraph(f *source.File) (*Dataset, error) {
	size := f.Info.Size()
	if size > math.MaxInt {
		return nil, source.At(0, "%d bytes to address: %w", size, coles.ErrTooLarge)
	}
	m, err := mapFile(f.Packed.(*os.File), int(size))
	if err != nil {
		return nil, err
	}
	d, err := graphOf(m.bytes)
	if err != nil {
		return nil, errors.Join(err, m.unmap())
	}
	d.release, d.forget = m.unmap, m.forget
	return d, nil
}

// graphOf is the graph in the bytes of a file, which it keeps.
func graphOf(data []byte) (*Dataset, error) {
	switch begun := data[:min(len(data), len(graphMagic))]; {
	case len(begun) == 0 || !bytes.HasPrefix([]byte(graphMagic), begun):
		return nil, source.At(0, "%w: it does not begin with %q", coles.ErrFormat, graphMagic)
	case len(data) < graphHeader:
		return nil, source.At(int64(len(data)), "%w: it ends in its header", coles.ErrChecksum)
	}
	version, flags := binary.LittleEndian.Uint32(data[8:]), binary.LittleEndian.Uint32(data[12:])
	if version != graphVersion {
		return nil, source.At(8, "%w: version %d, this package reads %d", coles.ErrFormat, version, graphVersion)
	}
	nodes, entries, names := binary.LittleEndian.Uint64(data[16:]), binary.LittleEndian.Uint64(data[24:]), binary.LittleEndian.Uint64(data[32:])
	size := uint64(len(data))
	if nodes > bounds.Dim {
		return nil, source.At(16, "%d nodes: %w", nodes, coles.ErrTooLarge)
	}
	columns := graphHeader + 8*(nodes+1)
	if entries > size || names > size {
		return nil, source.At(24, "%w: %d entries and %d bytes of names in %d bytes", coles.ErrChecksum, entries, names, size)
	}
	weights := columns + (4*entries+7)&^7
	ids := weights
	if flags&flagWeights != 0 {
		ids += 8 * entries
	}
	switch want := ids + names + 4; {
	case size < want:
		return nil, source.At(int64(size), "%w: it ends %d bytes early", coles.ErrChecksum, want-size)
	case size > want:
		return nil, source.At(int64(want), "%w: bytes after its end", coles.ErrFormat)
	case crc32.Checksum(data[:size-4], castagnoli) != binary.LittleEndian.Uint32(data[size-4:]):
		return nil, source.At(int64(size-4), "%w: its bytes do not have the checksum it states", coles.ErrChecksum)
	}
	d := &Dataset{}
	var opts []coles.GraphOption
	if flags&flagLoops != 0 {
		opts = append(opts, coles.WithSelfLoopsKept())
	}
	if flags&flagNames != 0 {
		var err error
		if d.IDs, err = namesIn(data[ids:size-4], int(nodes)); err != nil {
			return nil, source.At(int64(ids), "%w", err)
		}
		opts = append(opts, coles.WithIDs(d.IDs))
	}
	var weight []float64
	if flags&flagWeights != 0 {
		weight = numbersIn[float64](data[weights:ids], int(entries))
	}
	var err error
	d.Undirected, err = inside.FromRows(numbersIn[int64](data[graphHeader:columns], int(nodes)+1), numbersIn[int32](data[columns:weights], int(entries)), weight, opts...)
	if err != nil {
		return nil, source.At(graphHeader, "%w", err)
	}
	return d, nil
}

// namesIn are the names of n nodes.
func namesIn(data []byte, n int) ([]string, error) {
	if n > len(data) { // each takes a byte at least
		return nil, fmt.Errorf("%w: %d bytes for the names of %d nodes", coles.ErrFormat, len(data), n)
	}
	ids := make([]string, n)
	for i := range ids {
		length, k := binary.Uvarint(data)
		if k <= 0 || length > uint64(len(data)-k) {
			return nil, fmt.Errorf("%w: the name of node %d is cut off", coles.ErrFormat, i)
		}
		ids[i], data = string(data[k:k+int(length)]), data[k+int(length):]
	}
	if len(data) > 0 {
		return nil, fmt.Errorf("%w: %d bytes after the last name", coles.ErrFormat, len(data))
	}
	return ids, nil
}

// mapping is a part of a file mapped into memory.
type mapping struct {
	bytes         []byte
	unmap, forget func() error
}

// numbersIn are n little-endian numbers where they lie, or copied if they cannot be used so.
func numbersIn[T int32 | int64 | float32 | float64](data []byte, n int) []T {
	if n == 0 {
		return nil
	}
	if littleEndian && uintptr(unsafe.Pointer(&data[0]))%unsafe.Sizeof(T(0)) == 0 {
		return unsafe.Slice((*T)(unsafe.Pointer(&data[0])), n)
	}
	out := make([]T, n)
	binary.Decode(data, binary.LittleEndian, out)
	return out
}

var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1
