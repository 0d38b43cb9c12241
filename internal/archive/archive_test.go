package archive

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

var format = Format{Magic: [8]byte([]byte("TESTFILE")), Version: 3}

// lengths is a header that is nothing but the lengths of the arrays.
func lengths(text []byte) (n []int, err error) { return n, json.Unmarshal(text, &n) }

func file(t *testing.T, f Format, header any, arrays ...[]float64) []byte {
	t.Helper()
	var b bytes.Buffer
	n, err := f.Write(&b, header, arrays...)
	if err != nil || n != int64(b.Len()) {
		t.Fatalf("%d bytes written of %d: %v", n, b.Len(), err)
	}
	return b.Bytes()
}

func TestArraysAreReadAsTheyWereWritten(t *testing.T) {
	long := make([]float64, 3*floatChunk+1)
	for i := range long {
		long[i] = math.Sqrt(float64(i)) - 50
	}
	want := [][]float64{{1, math.Copysign(0, -1), math.SmallestNonzeroFloat64, math.MaxFloat64}, nil, long}
	bytesOf := file(t, format, []int{4, 0, len(long)}, want...)
	r := bytes.NewReader(append(bytesOf, "rest"...))
	got, err := format.Read(r, lengths)
	if err != nil {
		t.Fatal(err)
	}
	for i := range want {
		if !slices.Equal(got[i], want[i]) {
			t.Errorf("array %d differs", i)
		}
	}
	if rest, _ := io.ReadAll(r); string(rest) != "rest" {
		t.Errorf("%q is left, want what followed", rest)
	}
}

func TestDamageIsFound(t *testing.T) {
	whole := file(t, format, []int{2}, []float64{1, 2})
	for at := range whole {
		for _, damaged := range [][]byte{whole[:at], slices.Concat(whole[:at], []byte{whole[at] ^ 1}, whole[at+1:])} {
			if _, err := format.Read(bytes.NewReader(damaged), lengths); !errors.Is(err, ErrFormat) && !errors.Is(err, ErrChecksum) {
				t.Fatalf("%d bytes, byte %d: %v", len(damaged), at, err)
			}
		}
	}
}

// Bytes that begin like nothing of the kind are not a damaged file, however few they are.
func TestOtherFilesAreRefused(t *testing.T) {
	newer, older := Format{Magic: format.Magic, Version: 4}, Format{Magic: format.Magic, Version: 2}
	whole := file(t, format, []int{})
	for _, c := range []struct {
		b         []byte
		want, not error
		says      string
	}{
		{nil, ErrFormat, ErrChecksum, "does not begin"},
		{[]byte("hello"), ErrFormat, ErrChecksum, "does not begin"},
		{[]byte("greeting"), ErrFormat, ErrChecksum, "does not begin"},
		{whole[:1], ErrChecksum, ErrFormat, "early"},
		{whole[:4], ErrChecksum, ErrFormat, "early"},
		{whole[:8], ErrChecksum, ErrFormat, "early"},
		{whole[:10], ErrChecksum, ErrFormat, "early"},
		{file(t, newer, []int{}), ErrFormat, ErrChecksum, "version 4, this package reads 3"},
		{file(t, older, []int{}), ErrFormat, ErrChecksum, "version 2, this package reads 3"},
		{file(t, format, "text"), ErrFormat, ErrChecksum, "header"},
		{file(t, format, []int{1}, []float64{math.Inf(1)}), ErrFormat, ErrChecksum, "+Inf among"},
		{file(t, format, []int{1}, []float64{math.NaN()}), ErrFormat, ErrChecksum, "NaN among"},
	} {
		_, err := format.Read(bytes.NewReader(c.b), lengths)
		if !errors.Is(err, c.want) || errors.Is(err, c.not) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%.20q: error %v, want %v: %s", c.b, err, c.want, c.says)
		}
	}
}

// A file that declares 2⁴⁰ numbers, or a header of 2³¹ bytes, and has none must not be given memory.
func TestMemoryIsTakenAsBytesArrive(t *testing.T) {
	for what, b := range map[string][]byte{
		"numbers": file(t, format, []int{min(1<<40, math.MaxInt)}),
		"header":  []byte("TESTFILE\x03\x00\x00\x00\xff\xff\xff\x7f\x00\x00\x00\x00"),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := format.Read(bytes.NewReader(b), lengths); !errors.Is(err, ErrChecksum) {
			t.Errorf("%s: error %v, want %v", what, err, ErrChecksum)
		}
		runtime.ReadMemStats(&after)
		if taken := after.TotalAlloc - before.TotalAlloc; taken > 1<<20 {
			t.Errorf("%s: %d bytes taken", what, taken)
		}
	}
}

// What a reader or a writer fails with comes out as it is, wherever that happens; so does a writer that
// stops without an error.
func TestFailingReaderAndWriterAreReported(t *testing.T) {
	broken := errors.New("the cable came out")
	arrays := [][]float64{{1, 2}, {3}}
	b := file(t, format, []int{2, 1}, arrays...)
	if got, err := format.Read(iotest.OneByteReader(bytes.NewReader(b)), lengths); err != nil || !slices.Equal(got[0], arrays[0]) {
		t.Fatalf("byte by byte: %v, %v", got, err)
	}
	for at := range b {
		_, err := format.Read(io.MultiReader(bytes.NewReader(b[:at]), iotest.ErrReader(broken)), lengths)
		if !errors.Is(err, broken) {
			t.Fatalf("reader fails at byte %d: %v", at, err)
		}
		n, err := format.Write(&limitedWriter{left: at, err: broken}, []int{2, 1}, arrays...)
		if !errors.Is(err, broken) || n != int64(at) {
			t.Fatalf("writer fails at byte %d: %d bytes, %v", at, n, err)
		}
		if _, err = format.Write(&limitedWriter{left: at}, []int{2, 1}, arrays...); !errors.Is(err, io.ErrShortWrite) {
			t.Fatalf("writer stops without an error at byte %d: %v", at, err)
		}
	}
}

// A limitedWriter takes a number of bytes and then fails.
type limitedWriter struct {
	left int
	err  error
}

func (w *limitedWriter) Write(p []byte) (int, error) {
	if len(p) <= w.left {
		w.left -= len(p)
		return len(p), nil
	}
	n := w.left
	w.left = 0
	return n, w.err
}

// A hash is the first 8 bytes of SHA-256, of the text and the numbers as in a file.
func TestHash(t *testing.T) {
	sum := sha256.Sum256([]byte("text\x00\x00\x00\x00\x00\x00\xf0\x3f\x00\x00\x00\x00\x00\x00\x00\xc0")) // 1 and −2
	if got, want := Hash("text", []float64{1}, nil, []float64{-2}), hex.EncodeToString(sum[:8]); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
