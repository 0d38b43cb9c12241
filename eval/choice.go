package eval

import (
	"context"
	"fmt"

	"coles"
	"coles/dataset"
	"coles/internal/setting"

	"gonum.org/v1/gonum/mat"
)

// Draw draws splits with perClass nodes of each class to train on, or a third of a smaller class, and says so. Errors: as
// [dataset.Dataset.RandomSplits], and [dataset.ErrMissing] for no class of three labelled nodes.
func Draw(d *dataset.Dataset, perClass, count int, seed uint64) (splits []dataset.Split, said string, err error) {
	if splits, err = d.RandomSplits(perClass, count, seed); err != nil {
		return nil, "", err
	}
	said = fmt.Sprintf("drawn, %s per class", setting.Count(perClass, "nodes"))
	if len(splits) == 0 {
		return splits, said, nil
	}
	drawn := make(map[int]int)
	for _, i := range splits[0].Train {
		drawn[d.Labels[i]]++
	}
	if len(drawn) == 0 {
		return nil, "", fmt.Errorf("%w: nodes to train on: no class has the three labelled ones that drawing takes", dataset.ErrMissing)
	}
	for _, k := range drawn {
		if k < perClass {
			return splits, said + ", or a third of a smaller class", nil
		}
	}
	return splits, said, nil
}

// Other fits the model that the fit of m to g and x has not chosen, without columns of structure. Errors: as [coles.Fit].
func Other(ctx context.Context, g *coles.Graph, x mat.Matrix, m *coles.Model, progress coles.Progress) (*coles.Model, error) {
	s := m.Settings()
	s.Kind = coles.UseGraph
	if m.Report().Kind == coles.UseGraph {
		s = s.WithoutGraph()
	}
	if s.Structure = 0; g.Roles() == nil {
		_, columns := x.Dims()
		s.Dim = min(s.Dim, columns)
	}
	return coles.Fit(ctx, g, x, coles.WithProgress(progress), coles.WithSettings(s))
}
