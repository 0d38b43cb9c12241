package kernel

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// onEachPath runs a benchmark on every path that this machine supports.
func onEachPath(b *testing.B, name string, run func(b *testing.B)) {
	before := active
	defer func() { active = before }()
	for _, p := range available() {
		active = p
		b.Run(name+"/"+p.name, run)
	}
}

// reportGigaflops reports the speed, and its share of the processors' peak
// where that is known.
func reportGigaflops(b *testing.B, flops float64) {
	speed := flops * float64(b.N) / b.Elapsed().Seconds() / 1e9
	b.ReportMetric(speed, "GFLOP/s")
	if peak := peakGigaflops(); peak > 0 {
		b.ReportMetric(100*speed/peak, "%peak")
	}
}

func BenchmarkGemm(b *testing.B) {
	rnd := rand.New(rand.NewPCG(9, 0))
	for _, s := range []struct {
		m, n, k        int
		transA, transB bool
	}{
		{2048, 2048, 2048, false, false},
		{2048, 2048, 2048, true, false},
		{2048, 2048, 2048, false, true},
		{20_000, 128, 500, false, false}, // features times a projection
		{32, 512, 3703, true, false},     // orthogonalisation in a Krylov space
		{3703, 32, 512, false, true},
		{64, 1433, 1433, false, false}, // back-transformation
		{32, 32, 32, false, false},
		{8, 8, 8, false, false},
	} {
		onEachPath(b, fmt.Sprintf("%dx%dx%d/trans=%v,%v", s.m, s.n, s.k, s.transA, s.transB), func(b *testing.B) {
			p := newProblem(rnd, s.m, s.n, s.k, s.transA, s.transB, 1, 0)
			for b.Loop() {
				p.gemm(p.c)
			}
			reportGigaflops(b, 2*float64(s.m)*float64(s.n)*float64(s.k))
		})
	}
}

func BenchmarkGram(b *testing.B) {
	rnd := rand.New(rand.NewPCG(10, 0))
	for _, s := range []struct{ r, n int }{{2708, 1433}, {50_000, 128}, {64, 1433}} {
		onEachPath(b, fmt.Sprintf("%dx%d", s.r, s.n), func(b *testing.B) {
			x, c := poisoned(rnd, s.r, s.n, 0), Dense[float64](s.n, s.n)
			for b.Loop() {
				if err := Gram(context.Background(), 1, x, x, c); err != nil {
					b.Fatal(err)
				}
			}
			reportGigaflops(b, float64(s.r)*float64(s.n)*float64(s.n))
		})
	}
}

// BenchmarkSpMM multiplies power-law graphs; GB/s counts the rows of x read,
// the rows of the result written, and the entries.
func BenchmarkSpMM(b *testing.B) {
	rnd := rand.New(rand.NewPCG(4, 0))
	for _, s := range []struct{ n, d int }{{50_000, 64}, {170_000, 128}, {2708, 1433}, {20_000, 32}} {
		a := powerLaw(rnd, s.n)
		x, dst := poisoned(rnd, s.n, s.d, 0), Dense[float64](s.n, s.d)
		onEachPath(b, fmt.Sprintf("n=%d,d=%d", s.n, s.d), func(b *testing.B) {
			for b.Loop() {
				if err := SpMM(context.Background(), dst, a, x); err != nil {
					b.Fatal(err)
				}
			}
			nnz, n, d := float64(a.NNZ()), float64(s.n), float64(s.d)
			seconds := b.Elapsed().Seconds() / float64(b.N)
			b.ReportMetric(2*nnz*d/seconds/1e9, "GFLOP/s")
			b.ReportMetric((8*d*(nnz+n)+12*nnz)/seconds/1e9, "GB/s")
		})
	}
}

// powerLaw has about sixteen entries in each row.
func powerLaw(rnd *rand.Rand, n int) *CSR[float64] {
	a := &CSR[float64]{Rows: n, Cols: n, Ptr: make([]int64, n+1)}
	for i := range n {
		for range min(2000, 1+int(8/math.Sqrt(1e-6+rnd.Float64()))) {
			a.Col = append(a.Col, int32(float64(n)*rnd.Float64()*rnd.Float64()))
			a.Val = append(a.Val, 1)
		}
		a.Ptr[i+1] = int64(len(a.Col))
	}
	return a
}

func BenchmarkSymv4(b *testing.B) {
	rnd := rand.New(rand.NewPCG(15, 0))
	const n = 1024
	a, x, y := poisoned(rnd, 4, n, 0), poisoned(rnd, 1, n, 0), Dense[float64](1, n)
	onEachPath(b, "", func(b *testing.B) {
		for b.Loop() {
			Symv4(a.Data, n, [4]float64{}, x.Data, y.Data)
		}
		reportGigaflops(b, 16*n)
	})
}
