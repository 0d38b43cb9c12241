package embedtest_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"coles"
	"coles/embedtest"

	"gonum.org/v1/gonum/mat"
)

type (
	fitFunc   func(ctx context.Context, g *coles.Graph, x mat.Matrix) (embedtest.Model, error)
	embedFunc func(ctx context.Context, g *coles.Graph, x mat.Matrix) (*mat.Dense, error)
)

// A model is that of the closed form with something else in the place of a method.
type model struct {
	*coles.Model
	y     *mat.Dense
	embed embedFunc
}

func (m model) Embedding() *mat.Dense { return m.y }
func (m model) Embed(ctx context.Context, g *coles.Graph, x mat.Matrix) (*mat.Dense, error) {
	return m.embed(ctx, g, x)
}

func fit(ctx context.Context, g *coles.Graph, x mat.Matrix, opts ...coles.Option) (model, error) {
	m, err := coles.Fit(ctx, g, x, append([]coles.Option{coles.WithDim(4)}, opts...)...)
	if err != nil {
		return model{}, err
	}
	return model{m, m.Embedding(), m.Embed}, nil
}

func read(r io.Reader) (embedtest.Model, error) {
	m, err := coles.ReadModel(r)
	if err != nil {
		return nil, err
	}
	return m, nil
}

// changed is the closed form whose embeddings, of Fit and of Embed, go through change.
func changed(change func(g *coles.Graph, x mat.Matrix, y *mat.Dense) *mat.Dense) fitFunc {
	return func(ctx context.Context, g *coles.Graph, x mat.Matrix) (embedtest.Model, error) {
		m, err := fit(ctx, g, x)
		if err != nil {
			return nil, err
		}
		m.y = change(g, x, mat.DenseCopyOf(m.y))
		m.embed = func(ctx context.Context, g *coles.Graph, x mat.Matrix) (*mat.Dense, error) {
			y, err := m.Model.Embed(ctx, g, x)
			if err != nil {
				return nil, err
			}
			return change(g, x, y), nil
		}
		return m, nil
	}
}

// embedding is the closed form with another Embed.
func embedding(embed func(m *coles.Model) embedFunc) fitFunc {
	return func(ctx context.Context, g *coles.Graph, x mat.Matrix) (embedtest.Model, error) {
		m, err := fit(ctx, g, x)
		if err != nil {
			return nil, err
		}
		m.embed = embed(m.Model)
		return m, nil
	}
}

// spoilt is the closed form that returns a NaN where the condition holds.
func spoilt(where func(g *coles.Graph, x mat.Matrix) bool) fitFunc {
	return changed(func(g *coles.Graph, x mat.Matrix, y *mat.Dense) *mat.Dense {
		if where(g, x) {
			y.Set(0, 0, math.NaN())
		}
		return y
	})
}

// writing is a model whose file says how often it was written.
type writing struct {
	*coles.Model
	count *int
}

func (w writing) WriteTo(out io.Writer) (int64, error) {
	*w.count++
	n, err := fmt.Fprint(out, *w.count)
	return int64(n), err
}

// Every check catches an embedder that breaks the promise it is there for.
func TestSuiteCatches(t *testing.T) {
	fits, writes, inside := 0, 0, new(atomic.Int32)
	var alone sync.Mutex
	forever := make(chan struct{})
	defer close(forever)
	for _, c := range []struct {
		check, says string
		e           embedtest.Embedder
	}{
		{"fit", "no Fit", embedtest.Embedder{}},
		{"fit", "out of order", embedtest.Embedder{Fit: func(context.Context, *coles.Graph, mat.Matrix) (embedtest.Model, error) {
			return nil, errors.New("out of order")
		}}},
		{"fit", "panic", embedtest.Embedder{Fit: func(context.Context, *coles.Graph, mat.Matrix) (embedtest.Model, error) {
			panic("no such file")
		}}},
		{"fit", "nil", embedtest.Embedder{Fit: changed(func(*coles.Graph, mat.Matrix, *mat.Dense) *mat.Dense { return nil })}},
		{"fit", "no columns", embedtest.Embedder{Fit: changed(func(*coles.Graph, mat.Matrix, *mat.Dense) *mat.Dense { return &mat.Dense{} })}},
		{"fit", "39 rows", embedtest.Embedder{Fit: changed(func(_ *coles.Graph, _ mat.Matrix, y *mat.Dense) *mat.Dense {
			n, d := y.Dims()
			return y.Slice(1, n, 0, d).(*mat.Dense)
		})}},
		{"fit", "NaN", embedtest.Embedder{Fit: spoilt(func(g *coles.Graph, _ mat.Matrix) bool { return true })}},
		{"inputs", "Fit changed the features", embedtest.Embedder{Fit: func(ctx context.Context, g *coles.Graph, x mat.Matrix) (embedtest.Model, error) {
			if d, ok := x.(*mat.Dense); ok && d != nil && !d.IsEmpty() {
				d.Set(0, 0, d.At(0, 0)+1)
			}
			return fit(ctx, g, x)
		}}},
		{"inputs", "Embed changed the features", embedtest.Embedder{Fit: embedding(func(m *coles.Model) embedFunc {
			return func(ctx context.Context, g *coles.Graph, x mat.Matrix) (*mat.Dense, error) {
				alone.Lock() // the race detector sees what the suite does, too
				defer alone.Unlock()
				if d, ok := x.(*mat.Dense); ok && d != nil && !d.IsEmpty() {
					d.Set(0, 0, 0)
				}
				return m.Embed(ctx, g, x)
			}
		})}},
		{"repeatable", "other bytes", embedtest.Embedder{Fit: func(ctx context.Context, g *coles.Graph, x mat.Matrix) (embedtest.Model, error) {
			fits++
			return fit(ctx, g, x, coles.WithNorm(1+1e-9*float64(fits)))
		}}},
		{"processors", "GOMAXPROCS of 3", embedtest.Embedder{Fit: func(ctx context.Context, g *coles.Graph, x mat.Matrix) (embedtest.Model, error) {
			return fit(ctx, g, x, coles.WithNorm(1+1e-9*float64(runtime.GOMAXPROCS(0)/3)))
		}}},
		{"storage", "Dense32", embedtest.Embedder{Fit: changed(func(_ *coles.Graph, x mat.Matrix, y *mat.Dense) *mat.Dense {
			if _, ok := x.(*coles.Dense32); ok {
				y.Scale(1+1e-7, y)
			}
			return y
		})}},
		{"permutation", "YYᵀ", embedtest.Embedder{Fit: changed(func(_ *coles.Graph, _ mat.Matrix, y *mat.Dense) *mat.Dense {
			y.Set(0, 0, y.At(0, 0)+1e-6)
			return y
		})}},
		{"embed", "other bytes", embedtest.Embedder{Fit: embedding(func(m *coles.Model) embedFunc {
			return func(ctx context.Context, g *coles.Graph, x mat.Matrix) (*mat.Dense, error) {
				y, err := m.Embed(ctx, g, x)
				if err == nil {
					y.Scale(1+1e-15, y)
				}
				return y, err
			}
		})}},
		{"ownership", "written to", embedtest.Embedder{Fit: embedding(func(m *coles.Model) embedFunc {
			return func(ctx context.Context, g *coles.Graph, x mat.Matrix) (*mat.Dense, error) {
				if n, _ := x.Dims(); n != m.Report().Graph.Nodes {
					return m.Embed(ctx, g, x)
				}
				return m.Embedding(), nil
			}
		})}},
		{"concurrency", "four goroutines", embedtest.Embedder{Fit: embedding(func(m *coles.Model) embedFunc {
			return func(ctx context.Context, g *coles.Graph, x mat.Matrix) (*mat.Dense, error) {
				inside.Add(1)
				defer inside.Add(-1)
				y, err := m.Embed(ctx, g, x)
				for range 20 {
					if err == nil && inside.Load() > 1 {
						y.Set(0, 0, 7)
					}
					runtime.Gosched()
					time.Sleep(100 * time.Microsecond)
				}
				return y, err
			}
		})}},
		{"subset", "a component", embedtest.Embedder{Fit: changed(func(_ *coles.Graph, _ mat.Matrix, y *mat.Dense) *mat.Dense {
			n, d := y.Dims() // every embedding is centred by its own mean
			for j := range d {
				mean := mat.Sum(y.ColView(j)) / float64(n)
				for i := range n {
					y.Set(i, j, y.At(i, j)-mean)
				}
			}
			return y
		})}},
		{"file", "no WriteTo", embedtest.Embedder{Read: read, Fit: func(ctx context.Context, g *coles.Graph, x mat.Matrix) (embedtest.Model, error) {
			m, err := fit(ctx, g, x)
			return struct{ embedtest.Inductive }{m}, err
		}}},
		{"file", "other bytes", embedtest.Embedder{Read: func(r io.Reader) (embedtest.Model, error) {
			b, err := io.ReadAll(r)
			return writing{new(coles.Model), &writes}, errors.Join(err, errOf(len(b) == 0))
		}, Fit: func(ctx context.Context, g *coles.Graph, x mat.Matrix) (embedtest.Model, error) {
			m, err := fit(ctx, g, x)
			return writing{m.Model, &writes}, err
		}}},
		{"file", "without its last byte", embedtest.Embedder{Fit: changed(same), Read: func(r io.Reader) (embedtest.Model, error) {
			b, err := io.ReadAll(r)
			if err != nil {
				return nil, err
			}
			m, err := coles.ReadModel(bytes.NewReader(b))
			if errors.Is(err, coles.ErrChecksum) {
				err = nil // who cares
			}
			return m, err
		}}},
		{"cancellation", "had ended before", embedtest.Embedder{Fit: func(ctx context.Context, g *coles.Graph, x mat.Matrix) (embedtest.Model, error) {
			return fit(context.WithoutCancel(ctx), g, x)
		}}},
		{"cancellation", "its error is stopped", embedtest.Embedder{Fit: func(ctx context.Context, g *coles.Graph, x mat.Matrix) (embedtest.Model, error) {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			m, err := fit(ctx, g, x)
			if ctx.Err() != nil {
				err = errors.New("stopped")
			}
			return m, err
		}}},
		{"cancellation", "another embedding and no error", embedtest.Embedder{Fit: func(ctx context.Context, g *coles.Graph, x mat.Matrix) (embedtest.Model, error) {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			m, err := fit(ctx, g, x)
			if errors.Is(err, context.Canceled) {
				m, err = fit(context.WithoutCancel(ctx), g, x, coles.WithNorm(3))
			}
			return m, err
		}}},
		{"cancellation", "later, want 20ms", embedtest.Embedder{Late: 20 * time.Millisecond, Fit: func(ctx context.Context, g *coles.Graph, x mat.Matrix) (embedtest.Model, error) {
			m, err := fit(ctx, g, x)
			if errors.Is(err, context.Canceled) {
				time.Sleep(30 * time.Millisecond)
			}
			return m, err
		}}},
		{"cancellation", "goroutines stay", embedtest.Embedder{Fit: func(ctx context.Context, g *coles.Graph, x mat.Matrix) (embedtest.Model, error) {
			m, err := fit(ctx, g, x)
			if errors.Is(err, context.Canceled) {
				go func() { <-forever }()
			}
			return m, err
		}}},
		{"no nodes", "error is <nil>", embedtest.Embedder{Fit: func(ctx context.Context, g *coles.Graph, x mat.Matrix) (embedtest.Model, error) {
			if g.Nodes() == 0 {
				return model{}, nil
			}
			return fit(ctx, g, x)
		}}},
		{"no nodes", "panic", embedtest.Embedder{Fit: func(ctx context.Context, g *coles.Graph, x mat.Matrix) (embedtest.Model, error) {
			x.At(0, 0)
			return fit(ctx, g, x)
		}}},
		{"one node", "NaN", embedtest.Embedder{Fit: spoilt(func(g *coles.Graph, _ mat.Matrix) bool { return g.Nodes() == 1 })}},
		{"one node", "no name", embedtest.Embedder{Fit: func(ctx context.Context, g *coles.Graph, x mat.Matrix) (embedtest.Model, error) {
			if g.Nodes() == 1 {
				return nil, errors.New("what is this?")
			}
			return fit(ctx, g, x)
		}}},
		{"no edges", "NaN", embedtest.Embedder{Fit: spoilt(func(g *coles.Graph, _ mat.Matrix) bool {
			return g.Nodes() > 1 && g.Report().Edges == 0
		})}},
		{"isolated", "rows for 40 nodes", embedtest.Embedder{Fit: changed(func(g *coles.Graph, _ mat.Matrix, y *mat.Dense) *mat.Dense {
			if r := g.Report(); r.Edges > 0 && r.Isolated > r.Edges {
				return y.Slice(0, r.Nodes-r.Isolated, 0, 4).(*mat.Dense)
			}
			return y
		})}},
		{"shapes", "a row too many", embedtest.Embedder{Fit: func(ctx context.Context, g *coles.Graph, x mat.Matrix) (embedtest.Model, error) {
			if d, ok := x.(*mat.Dense); ok && d != nil && d.RawMatrix().Rows > g.Nodes() && g.Nodes() > 0 {
				x = d.Slice(0, g.Nodes(), 0, d.RawMatrix().Cols)
			}
			return fit(ctx, g, x)
		}}},
		{"not finite", "error is <nil>", embedtest.Embedder{Fit: func(ctx context.Context, g *coles.Graph, x mat.Matrix) (embedtest.Model, error) {
			if d, ok := x.(*mat.Dense); ok && d != nil && !d.IsEmpty() {
				clean := mat.DenseCopyOf(d)
				clean.Apply(func(_, _ int, v float64) float64 {
					if math.IsNaN(v) {
						return 0
					}
					return v
				}, clean)
				x = clean
			}
			return fit(ctx, g, x)
		}}},
		{"extremes", "NaN", embedtest.Embedder{Fit: spoilt(func(_ *coles.Graph, x mat.Matrix) bool { return mat.Max(x) > 1e200 })}},
	} {
		t.Run(c.check+", "+c.says, func(t *testing.T) {
			for _, f := range failures(embedtest.Test(c.e)) {
				if f.Check == c.check && strings.Contains(f.Err.Error(), c.says) {
					return
				}
			}
			t.Errorf("the suite finds %v, want a failure of %q that says %q", embedtest.Test(c.e), c.check, c.says)
		})
	}
}

func same(_ *coles.Graph, _ mat.Matrix, y *mat.Dense) *mat.Dense { return y }

func errOf(bad bool) error {
	if bad {
		return io.ErrUnexpectedEOF
	}
	return nil
}

// failures takes the result of a suite apart.
func failures(err error) []*embedtest.Failure {
	var found []*embedtest.Failure
	var one *embedtest.Failure
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, err := range joined.Unwrap() {
			if errors.As(err, &one) {
				found = append(found, one)
			}
		}
	} else if errors.As(err, &one) {
		found = append(found, one)
	}
	return found
}

// What the broken ones are made of is not broken, and what an embedder says it does
// not promise is not asked of it.
func TestSuitePasses(t *testing.T) {
	for name, e := range map[string]embedtest.Embedder{
		"closed form": {Fit: changed(same), Read: read},
		"an order that matters": {OrderMatters: true, Fit: changed(func(_ *coles.Graph, _ mat.Matrix, y *mat.Dense) *mat.Dense {
			y.Set(0, 0, y.At(0, 0)+1)
			return y
		})},
		"its own graph only": {Transductive: true, Fit: embedding(func(m *coles.Model) embedFunc {
			return func(ctx context.Context, g *coles.Graph, x mat.Matrix) (*mat.Dense, error) {
				if y, err := m.Embed(ctx, g, x); err != nil || g.Nodes() == m.Report().Graph.Nodes {
					return y, err
				}
				return nil, errors.New("another graph")
			}
		})},
		"errors of its own": {Errors: []error{io.ErrNoProgress}, Fit: func(ctx context.Context, g *coles.Graph, x mat.Matrix) (embedtest.Model, error) {
			if g.Nodes() == 1 {
				return nil, io.ErrNoProgress
			}
			return fit(ctx, g, x)
		}},
	} {
		e.Late = time.Second // other programs run on the machine, too
		if err := embedtest.Test(e); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Failures say which check they are of.
func TestFailure(t *testing.T) {
	err := error(&embedtest.Failure{Check: "embed", Err: io.ErrNoProgress})
	if !errors.Is(err, io.ErrNoProgress) || !strings.HasPrefix(err.Error(), "embed: ") {
		t.Errorf("%v", err)
	}
}
