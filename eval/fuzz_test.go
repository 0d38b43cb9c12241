package eval_test

import (
	"math"
	"testing"

	"coles"
	"coles/internal/testkit"
	"coles/internal/testkit/promise"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"
)

// A script is read as choices of this package.
type script struct{ testkit.Script }

// count is mostly small, sometimes absurd.
func (s *script) count() int {
	if b := s.Byte(); b < 250 {
		return b%9 - 1
	}
	return []int{math.MaxInt, math.MinInt, math.MaxInt32, 1 << 20, -7, 100}[s.Byte()%6]
}

// number is mostly tame, sometimes not.
func (s *script) number() float64 {
	odd := []float64{0, 1, -1, 0.5, 1e-320, 1e-160, 1e-40, 1e30, 1e160, 1e300, 1.7e308, -1.7e308, math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1)}
	if b := s.Byte(); b > 3 {
		return float64(b-128) / 16
	}
	return odd[s.Byte()%len(odd)]
}

// matrix has up to 12 rows of one of the types they come in, all times one number.
func (s *script) matrix() mat.Matrix {
	kind, n, d, unit := s.Byte(), s.Byte()%13, s.Byte()%6, 1.0
	if n == 0 || d == 0 {
		return new(mat.Dense)
	}
	if kind&16 > 0 {
		unit = s.number()
	}
	x := mat.NewDense(n, d, nil)
	x.Apply(func(int, int, float64) float64 { return s.number() * unit }, x)
	switch kind % 4 {
	case 1:
		return testkit.SparseOf(x)
	case 2:
		return testkit.SingleOf(x)
	case 3:
		ptr := make([]int, n+1)
		ptr[n] = 1
		return sparse.NewCSR(n, d, ptr, []int{s.Byte() % 8}, []float64{s.number()}) // perhaps out of range
	}
	return x
}

// rows are about n numbers below a few, some absurd.
func (s *script) rows(n, below int) []int {
	rows := make([]int, max(0, n+s.Byte()%3-1))
	for q := range rows {
		if rows[q] = s.Byte() % max(below, 1); s.Byte() > 250 {
			rows[q] = s.count()
		}
	}
	return rows
}

func (s *script) pairs(n int) []coles.Edge {
	pairs := make([]coles.Edge, s.Byte()%10)
	for q := range pairs {
		pairs[q] = coles.Edge{U: s.Byte() % max(n, 1), V: s.Byte() % max(n, 1)}
	}
	return pairs
}

// graph has n nodes, weights, and self loops or none; no edges where such weights cannot be.
func (s *script) graph(n int) *coles.Graph {
	pairs, weights := s.pairs(n), []float64(nil)
	for range pairs {
		weights = append(weights, math.Abs(s.number()))
	}
	var opts []coles.GraphOption
	if s.Byte()&1 > 0 {
		opts = append(opts, coles.WithSelfLoopsKept())
	}
	g, err := coles.NewGraph(n, pairs, append(opts, coles.WithWeights(weights))...)
	if err != nil {
		return testkit.Must(coles.NewGraph(n, nil))
	}
	return g
}

// Nothing panics, hangs, or is no number, whatever is given.
func FuzzEverything(f *testing.F) {
	testkit.AddScripts(f, 40, 80, 12)
	f.Fuzz(func(t *testing.T, choices []byte) {
		s := &script{choices}
		in := args{x: s.matrix()}
		n, _ := in.x.Dims()
		in.labels, in.rows = s.rows(n, 1+s.Byte()%4), s.rows(s.Byte()%13, n)
		in.pairs, in.g, in.k, in.p = s.pairs(n+s.Byte()/250), s.graph(max(1, n)), s.count(), s.number()
		ctx := promise.NewCountdown(1 << 20) // the seeds look up to 20,000 times
		defer ctx.End()
		for _, doors := range []map[string]door{learningDoors, rowDoors, contextDoors, otherDoors} {
			tryAll(t, ctx, doors, in)
		}
	})
}
