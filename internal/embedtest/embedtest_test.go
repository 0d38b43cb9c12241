package embedtest

import (
	"context"
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

// Every check finds what it is there for.
func TestBrokenEmbeddersFail(t *testing.T) {
	fit := func(ctx context.Context, g *coles.Graph, x mat.Matrix) (Model, error) {
		m, err := coles.Fit(ctx, g, x, coles.WithDim(4))
		if err != nil {
			return nil, err
		}
		return broken{Model: m}, nil
	}
	fits := 0
	for check, e := range map[string]Embedder{
		"inputs": {Fit: func(ctx context.Context, g *coles.Graph, x mat.Matrix) (Model, error) {
			m, err := fit(ctx, g, x)
			if d, ok := x.(*mat.Dense); ok && err == nil {
				d.Set(0, 0, d.At(0, 0)+1)
			}
			return m, err
		}},
		"repeatable": {Fit: func(ctx context.Context, g *coles.Graph, x mat.Matrix) (Model, error) {
			m, err := fit(ctx, g, x)
			if fits++; err == nil && fits > 1 {
				m.Embedding().Set(0, 0, float64(fits))
			}
			return m, err
		}},
		"processors": {Fit: func(ctx context.Context, g *coles.Graph, x mat.Matrix) (Model, error) {
			m, err := fit(ctx, g, x)
			if err == nil && runtime.GOMAXPROCS(0) > 2 {
				m.Embedding().Set(0, 0, 1)
			}
			return m, err
		}},
		"embed": {Fit: func(ctx context.Context, g *coles.Graph, x mat.Matrix) (Model, error) {
			m, err := fit(ctx, g, x)
			if err != nil {
				return nil, err
			}
			return broken{m.(broken).Model, func(y *mat.Dense) *mat.Dense { y.Scale(2, y); return y }}, nil
		}},
		"not finite": {Fit: func(ctx context.Context, g *coles.Graph, x mat.Matrix) (Model, error) {
			clean := mat.DenseCopyOf(x)
			clean.Apply(func(_, _ int, v float64) float64 {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					return 0
				}
				return v
			}, clean)
			return fit(ctx, g, clean)
		}},
		"cancellation": {Fit: func(_ context.Context, g *coles.Graph, x mat.Matrix) (Model, error) {
			return fit(context.Background(), g, x)
		}},
	} {
		if err := Test(e); err == nil || !strings.Contains(err.Error(), check+": ") {
			t.Errorf("%s: error is %v", check, err)
		}
	}
	if err := Test(Embedder{Fit: fit, Read: func(r io.Reader) (Model, error) {
		m, err := coles.ReadModel(r)
		if err != nil {
			return nil, err
		}
		return broken{Model: m}, nil
	}}); err != nil {
		t.Errorf("a sound embedder fails: %v", err)
	}
}
