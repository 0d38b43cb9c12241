package embedtest_test

import (
	"context"
	"fmt"

	"coles"
	"coles/embedtest"

	"gonum.org/v1/gonum/mat"
)

// A smoothed is an embedder of one's own: the features of every node averaged with
// those around it.
type smoothed struct{ y *mat.Dense }

func (s smoothed) Embedding() *mat.Dense { return s.y }

func Example() {
	err := embedtest.Test(embedtest.Embedder{
		Fit: func(ctx context.Context, g *coles.Graph, x mat.Matrix) (embedtest.Model, error) {
			y, err := coles.SGC(2).Apply(ctx, coles.Normalize(g, coles.SelfLoops), x)
			if err != nil {
				return nil, err
			}
			return smoothed{y}, nil
		},
	})
	fmt.Println(err)
	// Output: <nil>
}
