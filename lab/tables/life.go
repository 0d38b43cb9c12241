package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"coles"
	"coles/dataset"
	"coles/dataset/parse"

	"gonum.org/v1/gonum/mat"
)

// A flightTable is the airports of OpenFlights with some of their columns, and the one to be predicted.
type flightTable struct {
	columns []int // of airports.dat, from 0
	class   int
}

// flightTables are by name. The region is what stands before the slash in the time zone.
var flightTables = map[string]flightTable{
	"flights":         {[]int{1, 2, 8, 9}, 11},
	"flights-city":    {[]int{2}, 11},
	"flights-country": {[]int{1, 2, 8, 10}, 3},
}

var flightColumns = map[int]string{1: "name", 2: "city", 8: "altitude", 9: "offset", 10: "dst"}

// Tables from life, where who the neighbours are says more than what they have.
func lifeTable() table {
	share := func(share coles.Share) coles.Option {
		return coles.With(func(s *coles.Settings) { s.Structure = share })
	}
	return table{
		Name: "life", Title: "Tables from life", apart: true, tall: true, columns: []string{"best"}, datasets: []string{"flights", "flights-city", "flights-country", "packages", "packages-model", "lastfm", "usa_flights"},
		about: accuracyAbout + " The graph is of routes, needs or friends. Label propagation and the SVD of W see no columns.",
		rows: []method{
			{name: "Label propagation", graphOnly: true, classify: propagate},
			sameFeatures[0], // a regression on the columns
			pick(structureMethods, "SVD")[0],
			pick(closedMethods, "COLES without features")[0],
			{name: "COLES without structure", embed: fit(share(0))},
			{name: "COLES", embed: fit()},
		},
		measure: func(ctx context.Context, o options, p *problem, m method) ([]cell, error) {
			return accuracies(ctx, o, p, m, perClass, p.splits)
		},
	}
}

// propagate spreads labels along the edges (Zhou et al. 2004): Z ← 0.9·WZ + 0.1·Y, 50 times, is APPNP.
func propagate(ctx context.Context, p *problem, splits []dataset.Split, _ uint64) ([]float64, error) {
	w, n, classes := coles.Normalize(p.graph), p.Nodes(), p.NumClasses()
	var shares []float64
	for _, s := range splits {
		y := mat.NewDense(n, classes, nil)
		for _, i := range s.Train {
			y.Set(i, p.Labels[i], 1)
		}
		z, err := coles.APPNP(50, 0.1).Apply(ctx, w, y)
		if err != nil {
			return nil, err
		}
		predicted := make([]int, n)
		for i := range predicted {
			best := math.Inf(-1)
			for c, v := range z.RawRowView(i) {
				if v > best {
					best, predicted[i] = v, c
				}
			}
		}
		a, err := p.accuracy(predicted, s)
		if err != nil {
			return nil, err
		}
		shares = append(shares, a)
	}
	return shares, nil
}

// open reads airports and routes; classes of fewer than 30 airports are none.
func (f flightTable) open(folder string) (*dataset.Dataset, error) {
	folder = filepath.Join(folder, "real", "openflights")
	airports, err := readLines(filepath.Join(folder, "airports.dat"))
	if err != nil {
		return nil, err
	}
	routes, err := readLines(filepath.Join(folder, "routes.dat"))
	if err != nil {
		return nil, err
	}
	class, count := make(map[string]string), make(map[string]int)
	for _, a := range airports {
		class[a[0]], _, _ = strings.Cut(a[f.class], "/")
	}
	var edges, features, labels bytes.Buffer
	on := make(map[string]bool)
	for _, r := range routes {
		if u, v := r[3], r[5]; u != v && class[u] != "" && class[v] != "" {
			fmt.Fprintf(&edges, "%s,%s\n", u, v)
			on[u], on[v] = true, true
		}
	}
	head := []string{"id"}
	for _, c := range f.columns {
		head = append(head, flightColumns[c])
	}
	out := csv.NewWriter(&features)
	rows := [][]string{head}
	for _, a := range airports {
		if !on[a[0]] {
			continue
		}
		count[class[a[0]]]++
		row := []string{a[0]}
		for _, c := range f.columns {
			row = append(row, a[c])
		}
		rows = append(rows, row)
	}
	if err := out.WriteAll(rows); err != nil {
		return nil, err
	}
	for id := range on {
		if c := class[id]; c != `\N` && count[c] >= 30 {
			fmt.Fprintf(&labels, "%s,%s\n", id, strconv.Quote(c))
		}
	}
	sorted := strings.Split(strings.TrimSpace(labels.String()), "\n")
	slices.Sort(sorted)
	return dataset.ReadEdgeList(&edges, &features, parse.Options{Labels: strings.NewReader(strings.Join(sorted, "\n"))})
}

// openPackages reads packages, which of them need which, and their sections; features are what a text model says of their descriptions, or
// of words the descriptions themselves.
func openPackages(folder string, words bool) (*dataset.Dataset, error) {
	folder = filepath.Join(folder, "real", "packages")
	d, err := dataset.Open(filepath.Join(folder, "packages.npz"), dataset.ReadNPZ)
	if err != nil || !words {
		return d, err
	}
	var sections bytes.Buffer
	sections.WriteString("package,section\n")
	for i, id := range d.IDs {
		if c := d.Labels[i]; c >= 0 {
			fmt.Fprintf(&sections, "%s,%d\n", id, c)
		}
	}
	return readTable(folder, "descriptions.csv", &sections)
}

// openTable reads NAME-LABEL: edges.csv, features.csv and labels_LABEL.csv of a folder NAME.
func openTable(folder, label string) (*dataset.Dataset, error) {
	labels, err := os.Open(filepath.Join(folder, "labels_"+label+".csv"))
	if err != nil {
		return nil, err
	}
	defer labels.Close()
	return readTable(folder, "features.csv", labels)
}

func readTable(folder, columns string, labels io.Reader) (*dataset.Dataset, error) {
	features, err := os.Open(filepath.Join(folder, columns))
	if err != nil {
		return nil, err
	}
	defer features.Close()
	edges, err := os.Open(filepath.Join(folder, "edges.csv"))
	if err != nil {
		return nil, err
	}
	defer edges.Close()
	return dataset.ReadEdgeList(edges, features, parse.Options{Labels: labels, Header: parse.WithHeader})
}

func readLines(path string) ([][]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.LazyQuotes = true
	lines, err := r.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return lines, nil
}
