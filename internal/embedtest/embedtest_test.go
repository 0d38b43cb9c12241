package embedtest

import (
	"context"
	"fmt"
	"io"
	"math"
	"runtime"
	"strings"
	"testing"

	"coles"

	"gonum.org/v1/gonum/mat"
)

// A broken model is a sound one with something wrong.
type broken struct {
	*coles.Model
	embed func(y *mat.Dense) *mat.Dense
}

func (m broken) Embed(ctx context.Context, g *coles.Graph, x mat.Matrix) (*mat.Dense, error) {
	y, err := m.Model.Embed(ctx, g, x)
	if err != nil || m.embed == nil {
		return y, err
	}
	return m.embed(y), nil
}

func (m broken) WriteTo(w io.Writer) (int64, error) { return m.Model.WriteTo(w) }

// A recorder is a test that notes what is wrong.
type recorder struct {
	testing.TB
	said strings.Builder
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) { fmt.Fprintf(&r.said, format+"\n", args...) }

// Every check finds what it is there for.
func TestBrokenEmbeddersFail(t *testing.T) {
	fit := func(ctx context.Context, g *coles.Graph, x mat.Matrix) (Model, error) {
		m, err := coles.Fit(ctx, g, x, coles.WithDim(4))
		return broken{Model: m}, err
	}
	fits := 0
	for check, e := range map[string]Embedder{
		"the input has changed": {Fit: func(ctx context.Context, g *coles.Graph, x mat.Matrix) (Model, error) {
			m, err := fit(ctx, g, x)
			if d, ok := x.(*mat.Dense); ok && err == nil {
				d.Set(0, 0, d.At(0, 0)+1)
			}
			return m, err
		}},
		"other bytes the second time": {Fit: func(ctx context.Context, g *coles.Graph, x mat.Matrix) (Model, error) {
			m, err := fit(ctx, g, x)
			if fits++; err == nil && fits > 1 {
				m.Embedding().Set(0, 0, float64(fits))
			}
			return m, err
		}},
		"other bytes with another GOMAXPROCS": {Fit: func(ctx context.Context, g *coles.Graph, x mat.Matrix) (Model, error) {
			m, err := fit(ctx, g, x)
			if err == nil && runtime.GOMAXPROCS(0) > 2 {
				m.Embedding().Set(0, 0, 1)
			}
			return m, err
		}},
		"other bytes from Embed": {Fit: func(ctx context.Context, g *coles.Graph, x mat.Matrix) (Model, error) {
			m, err := fit(ctx, g, x)
			return broken{m.(broken).Model, func(y *mat.Dense) *mat.Dense { y.Scale(2, y); return y }}, err
		}},
		"Fit, NaN: error is": {Fit: func(ctx context.Context, g *coles.Graph, x mat.Matrix) (Model, error) {
			d, ok := x.(*mat.Dense)
			if !ok || d.IsEmpty() {
				return fit(ctx, g, x)
			}
			clean := mat.DenseCopyOf(d)
			clean.Apply(func(_, _ int, v float64) float64 {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					return 0
				}
				return v
			}, clean)
			return fit(ctx, g, clean)
		}},
		"the context had ended before": {Fit: func(_ context.Context, g *coles.Graph, x mat.Matrix) (Model, error) {
			return fit(context.Background(), g, x)
		}},
	} {
		var r recorder
		if Test(&r, e); !strings.Contains(r.said.String(), check) {
			t.Errorf("%s: it says %q", check, r.said.String())
		}
	}
	Test(t, Embedder{Fit: fit, Read: func(r io.Reader) (Model, error) {
		m, err := coles.ReadModel(r)
		return broken{Model: m}, err
	}})
}
