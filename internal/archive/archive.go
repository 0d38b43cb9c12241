// Package archive is the form of the files that the module writes models to. All numbers are
// little-endian:
//
//	8 bytes   what kind of file it is
//	uint32    version
//	uint64    length of the header
//	header    JSON
//	float64…  arrays, of lengths that the header gives
//	32 bytes  SHA-256 of everything before
package archive

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"math"
	"runtime/debug"
	"slices"
)

var (
	// ErrFormat: bytes that are not a file of the kind and version asked for.
	ErrFormat = errors.New("malformed")
	// ErrChecksum: a file whose bytes were changed or cut off.
	ErrChecksum = errors.New("damaged or cut off")
)

// A Format is a kind of file, in the one version that is written, and in which it is read, perhaps with older ones.
type Format struct {
	Magic   [8]byte // names the kind of file
	Version uint32  // of the kind
	Oldest  uint32  // that is read, too; 0 for none
}

// Write writes a header and arrays, and returns how many bytes that were.
func (f Format) Write(w io.Writer, header any, arrays ...[]float64) (int64, error) {
	text, err := json.Marshal(header)
	if err != nil {
		return 0, err
	}
	out := &writer{w: w, sum: sha256.New()}
	start := binary.LittleEndian.AppendUint32(f.Magic[:], f.Version)
	out.write(binary.LittleEndian.AppendUint64(start, uint64(len(text))))
	out.write(text)
	for _, a := range arrays {
		out.floats(a)
	}
	out.write(out.sum.Sum(nil))
	return out.n, out.err
}

// Read reads what Write wrote, and no byte more, and returns the arrays. The header is handed to
// parse, which returns the lengths of the arrays. Memory is taken as bytes arrive, never because a
// length is declared. Errors name the byte.
func (f Format) Read(r io.Reader, parse func(header []byte) (lengths []int, err error)) (arrays [][]float64, err error) {
	in := &reader{r: r, sum: sha256.New()}
	defer func() {
		if err != nil {
			arrays, err = nil, fmt.Errorf("at byte %d: %w", in.n, err)
		}
	}()
	length, err := f.start(in)
	if err != nil {
		return nil, err
	}
	text, err := in.bytes(length)
	if err != nil {
		return nil, err
	}
	lengths, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("%w: header: %w", ErrFormat, err)
	}
	arrays = make([][]float64, len(lengths))
	for i, n := range lengths {
		if arrays[i], err = in.floats(n); err != nil {
			return nil, err
		}
	}
	want := in.sum.Sum(nil)
	got, err := in.bytes(sha256.Size)
	if err == nil && !bytes.Equal(got, want) {
		err = fmt.Errorf("%w: its bytes do not have the checksum it states", ErrChecksum)
	}
	return arrays, err
}

// start reads what stands before the header, and returns the length of that.
func (f Format) start(in *reader) (length int, err error) {
	magic, err := in.bytes(len(f.Magic))
	if err != nil && !errors.Is(err, ErrChecksum) {
		return 0, err
	}
	// What ends within the magic is a model cut off only if it begins like one.
	if len(magic) == 0 || !bytes.HasPrefix(f.Magic[:], magic) {
		return 0, fmt.Errorf("%w: it does not begin with %q", ErrFormat, f.Magic[:])
	}
	if err != nil {
		return 0, err
	}
	start, err := in.bytes(4 + 8)
	if err != nil {
		return 0, err
	}
	if version := binary.LittleEndian.Uint32(start); version > f.Version || version < cmp.Or(f.Oldest, f.Version) {
		return 0, fmt.Errorf("%w: version %d, this package reads %d", ErrFormat, version, f.Version)
	}
	declared := binary.LittleEndian.Uint64(start[4:])
	if declared > math.MaxInt32 {
		return 0, fmt.Errorf("%w: header of %d bytes", ErrFormat, declared)
	}
	return int(declared), nil
}

// Hash identifies a text and arrays by 64 bits in 16 hexadecimal digits.
func Hash(text string, arrays ...[]float64) string {
	out := &writer{w: io.Discard, sum: sha256.New()}
	out.write([]byte(text))
	for _, a := range arrays {
		out.floats(a)
	}
	return hex.EncodeToString(out.sum.Sum(nil)[:8])
}

// floatChunk is the number of values converted at a time.
const floatChunk = 8192

// A writer counts and hashes what it writes and remembers its first error.
type writer struct {
	w   io.Writer
	sum hash.Hash
	n   int64
	err error
}

func (out *writer) write(p []byte) {
	if out.err != nil {
		return
	}
	n, err := out.w.Write(p)
	out.sum.Write(p[:n])
	out.n += int64(n)
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	out.err = err
}

func (out *writer) floats(values []float64) {
	var buf []byte
	for chunk := range slices.Chunk(values, floatChunk) {
		buf = buf[:0]
		for _, v := range chunk {
			buf = binary.LittleEndian.AppendUint64(buf, math.Float64bits(v))
		}
		out.write(buf)
	}
}

// A reader counts and hashes what it reads.
type reader struct {
	r   io.Reader
	sum hash.Hash
	n   int64
}

// bytes reads n bytes, taking memory only as they arrive; with an error come those that did.
func (in *reader) bytes(n int) ([]byte, error) {
	var buf bytes.Buffer
	got, err := io.CopyN(io.MultiWriter(&buf, in.sum), in.r, int64(n))
	in.n += got
	if errors.Is(err, io.EOF) {
		err = fmt.Errorf("%w: it ends %d bytes early", ErrChecksum, int64(n)-got)
	}
	return buf.Bytes(), err
}

// floats reads n finite numbers.
func (in *reader) floats(n int) ([]float64, error) {
	var values []float64
	for n > 0 {
		chunk, err := in.bytes(8 * min(floatChunk, n))
		if err != nil {
			return nil, err
		}
		for q := 0; q < len(chunk); q += 8 {
			v := math.Float64frombits(binary.LittleEndian.Uint64(chunk[q:]))
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("%w: %v among its numbers", ErrFormat, v)
			}
			values = append(values, v)
		}
		n -= len(chunk) / 8
	}
	return values, nil
}

// ModuleVersion is the version of this module in the program that runs: the version of its
// requirement or replacement, such as v0.3.0, or "(devel)" for a checkout without a version.
func ModuleVersion() string {
	version := ""
	if b, ok := debug.ReadBuildInfo(); ok {
		for _, m := range append(b.Deps, &b.Main) {
			if m.Path == "coles" {
				version = cmp.Or(m.Replace, m).Version
			}
		}
	}
	return cmp.Or(version, "(devel)")
}
