package kernel

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"
	"unsafe"

	"coles/internal/parallel"
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

func reportGigaflops(b *testing.B, flops float64) {
	b.ReportMetric(flops*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
}

func BenchmarkGemm(b *testing.B) {
	benchmarkGemm[float64, float64](b, "float64")
	benchmarkGemm[float32, float32](b, "float32")
	benchmarkGemm[float32, float64](b, "wide")
}

func benchmarkGemm[S, T Float](b *testing.B, kind string) {
	rnd := random(9)
	for _, s := range []struct {
		m, n, k        int
		transA, transB bool
	}{
		{2048, 2048, 2048, false, false},
		{2048, 2048, 2048, true, false},
		{2048, 2048, 2048, false, true},
		{20_000, 128, 500, false, false}, // features times a projection
		{64, 1433, 1433, false, false},   // back-transformation
		{32, 32, 32, false, false},
		{8, 8, 8, false, false},
	} {
		onEachPath(b, fmt.Sprintf("%s/%dx%dx%d/trans=%v,%v", kind, s.m, s.n, s.k, s.transA, s.transB), func(b *testing.B) {
			p := newProblem[S, T](rnd, s.m, s.n, s.k, s.transA, s.transB, 1, 0)
			for b.Loop() {
				p.gemm(p.c)
			}
			reportGigaflops(b, 2*float64(s.m)*float64(s.n)*float64(s.k))
		})
	}
}

// BenchmarkProjection is the orthogonalisation of a Krylov space: q has n rows and m columns, to
// which b others are made orthogonal, in two products. Each could not take less time than q takes to
// be read; %copy compares with copying.
func BenchmarkProjection(b *testing.B) {
	benchmarkProjection[float64, float64](b, "float64")
	benchmarkProjection[float32, float64](b, "wide")
}

func benchmarkProjection[S, T Float](b *testing.B, kind string) {
	rnd := random(18)
	ctx, dismiss := parallel.Crew(context.Background())
	defer dismiss()
	for _, s := range []struct{ n, b, m int }{{1433, 16, 256}, {3703, 16, 448}, {12_047, 16, 448}, {12_047, 32, 448}, {12_047, 8, 448}, {100_000, 16, 448}} {
		all := poisoned[S](rnd, s.n, s.m+s.b, 0)
		q, w := Columns(all, 0, s.m), Columns(all, s.m, s.m+s.b)
		inner, coef := Dense[T](s.b, s.m), Dense[S](s.b, s.m)
		for _, product := range []struct {
			name string
			run  func() error
		}{
			{"inner", func() error { return Gemm(ctx, true, false, 1, w, q, 0, inner) }},
			{"update", func() error { return Gemm(ctx, false, true, -1, q, coef, 1, w) }},
		} {
			onEachPath(b, fmt.Sprintf("%s/%s/n=%d,b=%d,m=%d", kind, product.name, s.n, s.b, s.m), func(b *testing.B) {
				for b.Loop() {
					must(b, product.run())
				}
				entries := float64(s.n) * float64(s.m)
				reportGigaflops(b, 2*entries*float64(s.b))
				speed := entries * float64(unsafe.Sizeof(S(0))) * float64(b.N) / b.Elapsed().Seconds() / 1e9
				b.ReportMetric(speed, "GB/s")
				b.ReportMetric(100*speed/bandwidth(), "%copy")
			})
		}
	}
}

func BenchmarkGram(b *testing.B) {
	benchmarkGram[float64, float64](b, "float64")
	benchmarkGram[float32, float32](b, "float32")
	benchmarkGram[float32, float64](b, "wide")
}

func benchmarkGram[S, T Float](b *testing.B, kind string) {
	rnd := random(10)
	for _, s := range []struct{ r, n int }{{2708, 1433}, {19_717, 500}, {50_000, 128}, {64, 1433}} {
		x, c := poisoned[S](rnd, s.r, s.n, 0), Dense[T](s.n, s.n)
		onEachPath(b, fmt.Sprintf("%s/%dx%d", kind, s.r, s.n), func(b *testing.B) {
			for b.Loop() {
				must(b, Gram(context.Background(), 1, x, x, c))
			}
			reportGigaflops(b, float64(s.r)*float64(s.n)*float64(s.n))
		})
	}
}

func BenchmarkSpMM(b *testing.B) {
	benchmarkSpMM[float64](b)
	benchmarkSpMM[float32](b)
}

// benchmarkSpMM multiplies power-law graphs; GB/s counts the rows of x read, once for each entry
// though some of them come out of the caches, the entries, and the rows of the result written. Its
// share compares with copying.
func benchmarkSpMM[T Float](b *testing.B) {
	size := 4
	if isDouble[T]() {
		size = 8
	}
	for _, s := range []struct{ n, d int }{{50_000, 64}, {170_000, 128}, {2708, 1433}, {20_000, 32}, {19_717, 500}, {2708, 16}} {
		rnd := random(4)
		a := powerLaw[T](rnd, s.n)
		if s.n == 19_717 {
			a = randomCSR[T](rnd, s.n, s.n, 4) // Pubmed's size
		}
		x, dst := poisoned[T](rnd, s.n, s.d, 0), Dense[T](s.n, s.d)
		onEachPath(b, fmt.Sprintf("%T/n=%d,d=%d", T(0), s.n, s.d), func(b *testing.B) {
			for b.Loop() {
				must(b, SpMM(context.Background(), dst, a, x))
			}
			nnz, n := float64(a.NNZ()), float64(s.n)
			seconds := b.Elapsed().Seconds() / float64(b.N)
			row := float64(s.d * size)
			b.ReportMetric(2*nnz*float64(s.d)/seconds/1e9, "GFLOP/s")
			speed := (row*(nnz+n) + float64(4+size)*nnz) / seconds / 1e9
			b.ReportMetric(speed, "GB/s")
			b.ReportMetric(100*speed/bandwidth(), "%copy")
		})
	}
}

// BenchmarkTranspose counts the entries read and written.
func BenchmarkTranspose(b *testing.B) {
	rnd := random(4)
	for _, s := range []struct{ rows, cols, perRow int }{{18_333, 6805, 60}, {3327, 3703, 32}, {200_000, 200_000, 16}} {
		a := scattered(rnd, s.rows, s.cols, s.perRow)
		b.Run(fmt.Sprintf("%dx%dx%d", s.rows, s.cols, s.perRow), func(b *testing.B) {
			for b.Loop() {
				a.Transpose()
			}
			speed := 2 * 12 * float64(a.NNZ()*b.N) / b.Elapsed().Seconds() / 1e9
			b.ReportMetric(speed, "GB/s")
			b.ReportMetric(100*speed/bandwidth(), "%copy")
		})
	}
}

// scattered has that many entries in each row, ascending.
func scattered(rnd *rand.Rand, rows, cols, perRow int) *CSR[float64] {
	a := &CSR[float64]{Rows: rows, Cols: cols, Ptr: make([]int64, rows+1)}
	for i := range rows {
		for q := range perRow {
			lo, hi := q*cols/perRow, (q+1)*cols/perRow
			a.Col, a.Val = append(a.Col, int32(lo+rnd.IntN(hi-lo))), append(a.Val, 1)
		}
		a.Ptr[i+1] = int64(len(a.Col))
	}
	return a
}

// bandwidth is how many gigabytes in a second all processors together read and write when they copy
// what is larger than the caches.
var bandwidth = sync.OnceValue(func() float64 {
	const size = 1 << 25
	procs := runtime.GOMAXPROCS(0)
	from, to := make([]float64, procs*size), make([]float64, procs*size)
	for i := range from {
		from[i] = 1 // memory never written to would be one page of zeros
	}
	best := time.Hour
	for range 5 {
		start := time.Now()
		var wg sync.WaitGroup
		for p := range procs {
			wg.Add(1)
			go func() {
				defer wg.Done()
				copy(to[p*size:][:size], from[p*size:])
			}()
		}
		wg.Wait()
		best = min(best, time.Since(start))
	}
	return 2 * 8 * float64(procs*size) / best.Seconds() / 1e9
})

// powerLaw has about sixteen entries in each row.
func powerLaw[T Float](rnd *rand.Rand, n int) *CSR[T] {
	a := &CSR[T]{Rows: n, Cols: n, Ptr: make([]int64, n+1)}
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
	onEachPath(b, "float64", benchmarkSymv4[float64])
	onEachPath(b, "float32", benchmarkSymv4[float32])
}

func benchmarkSymv4[T Float](b *testing.B) {
	rnd := random(15)
	const n = 1024
	a, x, y := poisoned[T](rnd, 4, n, 0), poisoned[T](rnd, 1, n, 0), Dense[T](1, n)
	for b.Loop() {
		Symv4(a.Data, n, [4]T{}, x.Data, y.Data)
	}
	reportGigaflops(b, 16*n)
}

func BenchmarkConvert(b *testing.B) {
	rnd := random(19)
	double, single := poisoned[float64](rnd, 20_000, 500, 0), Dense[float32](20_000, 500)
	run := func(convert func() error) func(b *testing.B) {
		return func(b *testing.B) {
			for b.Loop() {
				must(b, convert())
			}
			b.ReportMetric(12*1e7*float64(b.N)/b.Elapsed().Seconds()/1e9, "GB/s")
		}
	}
	onEachPath(b, "narrow", run(func() error { return Convert(context.Background(), single, double) }))
	onEachPath(b, "widen", run(func() error { return Convert(context.Background(), double, single) }))
}

// BenchmarkRows is a step of skip-gram with five negatives, in the first cache.
func BenchmarkRows(b *testing.B) {
	rnd := random(20)
	x, y, m := poisoned[float32](rnd, 1, 128, 0), poisoned[float32](rnd, 6, 128, 0), make([]float32, 6)
	rows := []int32{3, 0, 1, 5, 4, 2}
	onEachPath(b, "dots", func(b *testing.B) {
		for b.Loop() {
			RowDots(m, x.Data, y, rows)
		}
		reportGigaflops(b, 2*6*128)
	})
	clear(m)
	onEachPath(b, "steps", func(b *testing.B) {
		for b.Loop() {
			RowSteps(m, x.Data, y, rows)
		}
		reportGigaflops(b, 4*6*128)
	})
}
