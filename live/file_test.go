package live_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"os"
	"slices"
	"testing"

	"coles"
	"coles/internal/archive"
	"coles/internal/testkit"
	"coles/live"

	"gonum.org/v1/gonum/mat"
)

func saved(t *testing.T, g *live.Graph) []byte {
	t.Helper()
	var b bytes.Buffer
	n := testkit.Must(g.WriteTo(&b))
	testkit.WantSame(t, "bytes written", int(n), b.Len())
	return b.Bytes()
}

// A graph that was read is the one that was written, to the byte, and goes on like it.
func TestGraphsAreKept(t *testing.T) {
	for _, c := range []struct {
		name   string
		d      int
		sparse bool
	}{{"dense", 4, false}, {"sparse", 5, true}, {"no features", 0, false}} {
		g, m, h := mirrored(t, 80, c.d, c.sparse, coles.WithDim(4), coles.With(func(s *coles.Settings) { s.Filter, s.Kind, s.Precision = coles.SGC(2), coles.UseGraph, coles.Float64 }))
		rng := testkit.Random(8)
		for range 60 {
			h.change(t, rng, g, c.d, c.sparse)
		}
		file := saved(t, g)
		from := bytes.NewReader(append(bytes.Clone(file), "more"...))
		back := testkit.Must(live.Read(from))
		testkit.WantSame(t, "bytes left", from.Len(), 4)
		if !bytes.Equal(saved(t, back), file) {
			t.Errorf("%s: the graph that was read is written otherwise", c.name)
		}
		h.wantMirror(t, back, m, c.d, c.sparse)
		again := &mirror{append([]string(nil), h.names...), map[string][]float64{}, map[[2]string]float64{}, h.next, false}
		for k, v := range h.x {
			again.x[k] = v
		}
		for k, v := range h.edges {
			again.edges[k] = v
		}
		one, two := testkit.Random(9), testkit.Random(9)
		for range 40 {
			h.change(t, one, g, c.d, c.sparse)
			again.change(t, two, back, c.d, c.sparse)
		}
		if !bytes.Equal(saved(t, back), saved(t, g)) {
			t.Errorf("%s: the graph that was read goes on otherwise", c.name)
		}
		refitted, _ := refit(t, g)
		if other, _ := refit(t, testkit.Must(live.Read(bytes.NewReader(saved(t, back))))); other.Hash() != refitted.Hash() {
			t.Errorf("%s: the graph that was read refits otherwise", c.name)
		}
	}
}

// Every byte that is flipped, and every end that is too early, is an error by name.
func TestDamagedGraphs(t *testing.T) {
	g, _, _ := mirrored(t, 12, 2, false, coles.WithDim(2))
	file := saved(t, g)
	for k := range file {
		damaged := bytes.Clone(file)
		damaged[k] ^= 1 << (k % 8)
		for _, part := range [][]byte{damaged, file[:k]} {
			if _, err := live.Read(bytes.NewReader(part)); !errors.Is(err, coles.ErrFormat) && !errors.Is(err, coles.ErrChecksum) && !errors.Is(err, coles.ErrTooLarge) {
				t.Fatalf("byte %d of %d: %v", k, len(file), err)
			}
		}
	}
}

// opened are the parts of a file.
func opened(t *testing.T, file []byte) (h map[string]any, numbers []float64) {
	size := int(binary.LittleEndian.Uint64(file[12:]))
	testkit.Check(t, json.Unmarshal(file[20:20+size], &h))
	numbers = make([]float64, (len(file)-32-20-size)/8)
	for k := range numbers {
		numbers[k] = math.Float64frombits(binary.LittleEndian.Uint64(file[20+size+8*k:]))
	}
	return h, numbers
}

// A file of before there were largest sums lacks three numbers, and is read as one of a graph that was rebuilt.
func TestOlderGraphs(t *testing.T) {
	for _, d := range []int{0, 3} {
		g, _, _ := mirrored(t, 30, d, false, coles.WithDim(2))
		h, numbers := opened(t, saved(t, g))
		lengths, at := h["lengths"].([]any), 1
		for _, l := range lengths[:9] {
			at += int(l.(float64))
		}
		testkit.WantSame(t, "sums", lengths[9], any(4.0))
		lengths[9] = 1
		var older bytes.Buffer
		testkit.Must(archive.Format{Magic: [8]byte([]byte("COLESLIV")), Version: 1}.Write(&older, h, slices.Delete(numbers, at, at+3)))
		if !bytes.Equal(saved(t, testkit.Must(live.Read(&older))), saved(t, g)) {
			t.Errorf("%d features: the graph of an older file is written otherwise", d)
		}
	}
}

// A graph of version 1, whose model has a column of degrees, embeds as the version that wrote it did, also after a change, and is
// refitted without such a column. The numbers are of that version.
func TestGraphOfVersion1(t *testing.T) {
	const n = 16
	x := testkit.RandomDense(testkit.Random(1), n, 3)
	h := ring(x, n, 1, coles.WithDim(3), coles.With(func(s *coles.Settings) { s.Kind, s.Filter, s.Precision = coles.UseGraph, coles.SGC(2), coles.Float64 }))
	for i, degree := range h.graph(n).Degrees() {
		x.Set(i, 0, x.At(i, 0)+4*degree)
	}
	g := testkit.Must(live.Read(bytes.NewReader(testkit.Must(os.ReadFile("testdata/version1/degrees.graph")))))
	want := []float64{1.1949870475938456, 1.3262582914920291, -0.18962114213011247, 2.1633727754617116, 2.337347897475971, 0.11909526030943146}
	testkit.WantClose(t, "vectors", testkit.Must(g.Embed(ctx, []int{0, 9})), mat.NewDense(2, 3, want), 1e-12)
	g = testkit.Must(live.Read(bytes.NewReader(saved(t, g))))
	h.add(t, g, 0, []coles.Edge{{U: 3, V: 9}}, []float64{2})
	copy(want[3:], []float64{3.0837386327858693, 0.3326601865277779, 0.6426390535785726})
	testkit.WantClose(t, "vectors after a change", testkit.Must(g.Embed(ctx, []int{0, 9})), mat.NewDense(2, 3, want), 1e-12)
	m, _ := refit(t, g)
	wantModel(t, m, h.fit(n))
}

// Whoever writes a file with a right checksum may write anything into it: it is refused, or works.
func TestHostileGraphs(t *testing.T) {
	g, _, _ := mirrored(t, 10, 2, false, coles.WithDim(2))
	bare, _, _ := mirrored(t, 10, 0, false, coles.WithDim(2))
	rng := testkit.Random(4)
	for _, file := range [][]byte{saved(t, g), saved(t, bare)} {
		h, numbers := opened(t, file)
		refused := 0
		for range 3000 {
			k := rng.IntN(len(numbers))
			was := numbers[k]
			numbers[k] = []float64{-1, 0, 1, 2, 3, 1e9, 0.5, math.NaN(), math.Inf(1), -1e300, 1e300}[rng.IntN(11)]
			var b bytes.Buffer
			testkit.Must(archive.Format{Magic: [8]byte(file[:8]), Version: 2}.Write(&b, h, numbers))
			numbers[k] = was
			read, err := live.Read(&b)
			if err != nil {
				refused++
				continue
			}
			read.SetWeights(ctx, []coles.Edge{{U: 1, V: 2}, {U: 3, V: 4}}, []float64{2, 0}) // may refuse what overflows
			read.Remove(ctx, []int{0})
			read.Embed(ctx, []int{0, 1, 2})
		}
		if refused < 500 {
			t.Errorf("%d of 3000 refused", refused)
		}
	}
}
