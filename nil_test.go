package coles_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"coles"
	"coles/live"
	"coles/near"

	"gonum.org/v1/gonum/mat"
)

// Arguments that are nil, a caller's bug, panic by what they are.
func TestNilPanicsByName(t *testing.T) {
	g, x, _ := small(191)
	m, settings := fitted(g, x, coles.With(func(s *coles.Settings) { s.Kind = coles.UseGraph })), coles.DefaultSettings()
	var none *mat.Dense
	var noContext context.Context
	for name, c := range map[string]struct {
		call func()
		want string
	}{
		"a context":         {func() { coles.Fit(noContext, g, x) }, "a nil context"},
		"a graph":           {func() { coles.Fit(ctx, nil, x) }, "a graph that is nil"},
		"a zero graph":      {func() { coles.Fit(ctx, &coles.Graph{}, x) }, "a graph that is nil"},
		"an option":         {func() { coles.Fit(ctx, g, x, nil) }, "a nil Option"},
		"a pointer":         {func() { coles.Fit(ctx, g, none) }, "a nil matrix"},
		"a progress":        {func() { coles.WithProgress(nil) }, "a nil Progress"},
		"a change":          {func() { coles.With(nil) }, "a nil function"},
		"features":          {func() { m.Embed(ctx, g, nil) }, "a nil matrix"},
		"a graph to embed":  {func() { m.Embed(ctx, nil, x) }, "a graph that is nil"},
		"alignment":         {func() { settings.Alignment(ctx, nil, x) }, "a graph that is nil"},
		"estimate":          {func() { settings.Estimate(nil, x) }, "a graph that is nil"},
		"normalize":         {func() { coles.Normalize(nil) }, "a graph that is nil"},
		"contrast":          {func() { coles.Contrast(ctx, nil, coles.ExpectedDegreeNegatives(), 1, 1, 1) }, "a graph that is nil"},
		"structure":         {func() { coles.FitStructure(ctx, nil, 3, 1) }, "a graph that is nil"},
		"a graph to freeze": {func() { live.Freeze(ctx, m, nil, x) }, "a graph that is nil"},
		"an option of one":  {func() { coles.NewGraph(3, nil, nil) }, "a nil GraphOption"},
		"an index":          {func() { new(near.Index).Vectors(ctx, mat.NewDense(1, 2, nil), 3) }, "an Index that is nil"},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if text := fmt.Sprint(recover()); !strings.Contains(text, c.want) {
					t.Errorf("panic %q, want one that has %q", text, c.want)
				}
			}()
			c.call()
		})
	}
}
