package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"html/template"
	"slices"

	"coles"
	"coles/examples/shared/pictures"
	"coles/picture"
)

// A plot is a picture in the page, with its text for those who do not see it.
type plot struct {
	Image template.URL // the picture itself
	Text  string       // its alternative
}

func newPlot(p *picture.Picture, text string) (plot, error) {
	p.Width, p.Height = 5, 3.6
	var svg bytes.Buffer
	err := p.Write(&svg, picture.SVG)
	return plot{template.URL("data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(svg.Bytes())), text}, err
}

// A chart has accuracy over what a table varies, on one data set.
type chart struct {
	Dataset       string           // is the title
	Ours, Printed []picture.Series // printed by the paper
	Zero          bool             // is among what is varied, so that the axis is not logarithmic
}

// charts are the curves of a table, one chart a data set.
func (g *grid) charts() []chart {
	var all []chart
	for _, c := range g.cells {
		along, name := c.PerClass, c.Method
		if c.Varied != nil {
			along, name = c.Varied.Value.(int), fmt.Sprintf("%s, %d labels a class", c.Method, c.PerClass)
		}
		one := findOrAdd(&all, chart{Dataset: c.Dataset}, func(have chart) bool { return have.Dataset == c.Dataset })
		add := func(to *[]picture.Series, name string, mean float64) *picture.Series {
			s := findOrAdd(to, picture.Series{Name: name}, func(have picture.Series) bool { return have.Name == name })
			s.X, s.Y = append(s.X, float64(along)), append(s.Y, mean)
			return s
		}
		one.Zero = one.Zero || along == 0
		m := c.Measures[0]
		s := add(&one.Ours, name, m.Mean)
		s.Error = append(s.Error, m.Std)
		if m.Paper.Mean != 0 {
			add(&one.Printed, name+", the paper", m.Paper.Mean)
		}
	}
	return all
}

// Plots draws the charts of a table that has an axis.
func (g *grid) Plots() ([]plot, error) {
	if g.Table.axis == "" {
		return nil, nil
	}
	var all []plot
	for _, c := range g.charts() {
		axes := picture.Axes{Title: c.Dataset, X: g.Table.axis, Y: "accuracy, %", LogX: !c.Zero}
		drawn, err := picture.Curves(axes, slices.Concat(c.Ours, c.Printed)...)
		if err != nil {
			return nil, err
		}
		p, err := newPlot(drawn, fmt.Sprintf("%s: percent over %s; the figures are in the table", c.Dataset, g.Table.axis))
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

// drawMaps places the nodes of a data set by their features and by the default embedding.
func drawMaps(ctx context.Context, p *problem) ([]plot, error) {
	m, err := coles.Fit(ctx, p.graph, p.Features)
	if err != nil {
		return nil, err
	}
	sides := []pictures.Side{{Title: p.Name + ", raw features", X: p.Features}, {Title: p.Name + ", COLES-S2GC", X: m.Embedding()}}
	maps, err := pictures.Maps(ctx, p.Labels, p.Classes, splitSeed, sides...)
	if err != nil {
		return nil, err
	}
	var all []plot
	for k, drawn := range maps {
		one, err := newPlot(drawn, sides[k].Title+": nodes in two dimensions")
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}
