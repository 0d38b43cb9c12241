// Package pictures has the common parts of the example programs that draw.
package pictures

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"

	"coles"
	"coles/examples/shared/cli"
	"coles/picture"
	"coles/plane"

	"gonum.org/v1/gonum/mat"
)

// Check finds out whether a picture can be written to a path: not to fail after minutes of work.
func Check(path string) error {
	if _, err := os.Stat(filepath.Dir(path)); err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	_, err := picture.FormatOf(path)
	return err
}

// most is the number of rows drawn: t-SNE of them takes seconds, and glyphs keep apart.
const most = 600

// A Side has a row for every node.
type Side struct {
	Title string     // above the map
	X     mat.Matrix // one row for every node
}

// Maps draws the same nodes by t-SNE, at most 600, on every side. Rows are scaled to unit length first: their
// directions count. The labels may have names.
func Maps(ctx context.Context, labels []int, names []string, seed uint64, sides ...Side) ([]*picture.Picture, error) {
	nodes := rand.New(rand.NewPCG(seed, 0)).Perm(len(labels))
	nodes = nodes[:min(most, len(nodes))]
	classes := make([]int, len(nodes))
	for k, i := range nodes {
		classes[k] = labels[i]
	}
	var maps []*picture.Picture
	for _, s := range sides {
		_, columns := s.X.Dims()
		some := mat.NewDense(len(nodes), columns, nil)
		for k, i := range nodes {
			some.SetRow(k, mat.Row(nil, i, s.X))
		}
		unit, err := cli.Prepared(ctx, coles.PrepareRowL2, some)
		if err != nil {
			return nil, err
		}
		places, err := plane.TSNE{Seed: seed}.Places(ctx, unit)
		if err != nil {
			return nil, err
		}
		drawn, err := picture.Places(picture.Axes{Title: s.Title}, places, classes, names)
		if err != nil {
			return nil, err
		}
		maps = append(maps, drawn)
	}
	return maps, nil
}
