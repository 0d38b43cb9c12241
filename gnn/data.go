package gnn

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"sync/atomic"

	"coles"
	"coles/internal/input"
	"coles/internal/kernel"
	"coles/internal/parallel"
	"coles/internal/tape"

	"gonum.org/v1/gonum/mat"
)

// data is a graph with the features that a network reads: prepared, scaled and
// behind the filters that the network begins with.
type data[T kernel.Float] struct {
	graph    *coles.Graph
	whole    view[T]
	w, means *kernel.CSR[T] // of the whole; means is nil unless a layer wants it
}

// checkRows refuses features without a row for every node. Their methods are not
// ours: should they panic, on a nil pointer, the caller gets an error.
func checkRows(g *coles.Graph, x mat.Matrix) (err error) {
	if x == nil {
		return fmt.Errorf("gnn: features: %w: none", coles.ErrEmpty)
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("gnn: features: %w: asking the %T for its size panicked: %v", coles.ErrEmpty, x, r)
		}
	}()
	if rows, _ := x.Dims(); rows != g.Nodes() || rows == 0 {
		return fmt.Errorf("gnn: %w: %d feature rows for %d nodes", coles.ErrShape, rows, g.Nodes())
	}
	return nil
}

func newData[T kernel.Float](ctx context.Context, g *coles.Graph, x mat.Matrix, prepare *coles.Preparer, s Settings) (*data[T], error) {
	prepared, err := prepare.Apply(ctx, x)
	if err != nil {
		return nil, fmt.Errorf("gnn: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	norm := coles.Normalize(g, coles.SelfLoops)
	for _, l := range s.Network[:s.Network.lead()] {
		if prepared, err = l.filter.Apply(ctx, norm, prepared); err != nil {
			return nil, fmt.Errorf("gnn: %w", err)
		}
	}
	d := &data[T]{graph: g}
	if d.whole.x, err = readFeatures[T](ctx, prepared, s.FeatureScale); err != nil {
		return nil, err
	}
	d.w = compact[T](norm)
	d.whole.w = tape.NewSparse(d.w, true)
	if s.Network.averages() {
		d.means = neighborMeans[T](g)
		d.whole.means = tape.NewSparse(d.means, false)
	}
	return d, ctx.Err()
}

// readFeatures is x, checked by whoever made it, times scale.
func readFeatures[T kernel.Float](ctx context.Context, x mat.Matrix, scale float64) (features[T], error) {
	m, err := input.Read(ctx, x)
	if err != nil {
		return features[T]{}, inputError("features", err)
	}
	var f features[T]
	if m.Sparse != nil {
		f.sparse = withValues[T](m.Sparse)
	} else {
		f.dense = kernel.Unset[T](m.Rows, m.Cols)
	}
	var infinite atomic.Bool
	err = parallel.Ranges(ctx, m.Rows, rowsAtOnce, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			_, to := f.row(i)
			from := m.Dense.Data
			if m.Sparse != nil {
				_, from = m.Sparse.Row(i)
			} else {
				from = from[i*m.Dense.Stride:]
			}
			for j := range to {
				if to[j] = T(from[j] * scale); to[j]-to[j] != 0 {
					infinite.Store(true)
				}
			}
		}
	})
	if err == nil && infinite.Load() {
		err = fmt.Errorf("gnn: features: %w: prepared and scaled they leave the range of a %T", coles.ErrPrecision, T(0))
	}
	if f.sparse != nil && err == nil {
		f = newSparseFeatures(f.sparse)
	}
	return f, err
}

// checkFinite returns wrong where there is a NaN or an infinity.
func checkFinite[T kernel.Float](ctx context.Context, x kernel.Matrix[T], wrong error) error {
	var infinite atomic.Bool
	err := parallel.Ranges(ctx, x.Rows, rowsAtOnce, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			for _, v := range x.Data[i*x.Stride:][:x.Cols] {
				if v-v != 0 {
					infinite.Store(true)
					return
				}
			}
		}
	})
	if err == nil && infinite.Load() {
		err = wrong
	}
	return err
}

// compact is a matrix of this module in the form that the kernels read.
func compact[T kernel.Float](w *coles.SymCSR) *kernel.CSR[T] {
	c, _ := input.Compact(w.CSR(), input.Sum)
	return kernel.ConvertCSR[T](c)
}

// neighborMeans is D⁻¹A.
func neighborMeans[T kernel.Float](g *coles.Graph) *kernel.CSR[T] {
	a, _ := input.Compact(g.CSR(), input.Sum)
	for i := range a.Rows {
		_, vals := a.Row(i)
		sum := 0.0
		for _, v := range vals {
			sum += v
		}
		for q := range vals {
			vals[q] /= sum
		}
	}
	return kernel.ConvertCSR[T](a)
}

// fingerprint is a hash of everything that a training reads of its data.
func (d *data[T]) fingerprint() (sum [sha256.Size]byte) {
	h := sha256.New()
	var buf []byte
	flush := func() {
		h.Write(buf)
		buf = buf[:0]
	}
	put := func(v uint64) {
		if buf = binary.LittleEndian.AppendUint64(buf, v); len(buf) >= 1<<16 {
			flush()
		}
	}
	matrix := func(ptr []int64, col []int32, val []T) {
		for _, p := range ptr {
			put(uint64(p))
		}
		for _, j := range col {
			put(uint64(j))
		}
		for _, v := range val {
			put(math.Float64bits(float64(v)))
		}
	}
	a, _ := input.Compact(d.graph.CSR(), input.Sum)
	w := kernel.ConvertCSR[T](a)
	matrix(w.Ptr, w.Col, w.Val)
	put(uint64(d.whole.x.rows()))
	put(uint64(d.whole.x.cols()))
	if x := d.whole.x.sparse; x != nil {
		matrix(x.Ptr, x.Col, x.Val)
	} else {
		matrix(nil, nil, d.whole.x.dense.Data)
	}
	flush()
	h.Sum(sum[:0])
	return sum
}
