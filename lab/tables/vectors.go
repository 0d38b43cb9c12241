package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"coles"
	"coles/dataset"
	"coles/examples/shared/cli"
	"coles/live"

	"gonum.org/v1/gonum/mat"
)

// vectorsFile is where a data set without a graph lies: lines of an id, numbers and a class, below their names.
func vectorsFile(folder, name string) string { return filepath.Join(folder, "vectors", name+".csv") }

// Rows without a graph: COLES on that of ten neighbours, and what a peer has for rows.
func vectorsTable() table {
	return table{
		Name: "vectors", Title: "Rows without a graph", apart: true, datasets: []string{"digits", "breast_cancer", "wine"},
		about: accuracyAbout + " COLES has the graph of ten neighbours.",
		rows:  []method{{name: "COLES", embed: rows}},
		measure: func(ctx context.Context, o options, p *problem, m method) ([]cell, error) {
			return accuracies(ctx, o, p, m, []int{2, 5, 20}, p.splits)
		},
	}
}

func rows(ctx context.Context, p *problem, _ uint64) (mat.Matrix, error) {
	m, _, err := live.FitRows(ctx, p.Features, 10)
	if err != nil {
		return nil, err
	}
	return m.Embedding(), nil
}

// peers are the methods of a program for rows without a graph.
func peers(folder string, command []string) (rows []method) {
	for _, name := range []string{"logistic regression", "SVM", "label spreading", "spectral embedding"} {
		rows = append(rows, method{name: name, classify: func(ctx context.Context, p *problem, splits []dataset.Split, _ uint64) (shares []float64, err error) {
			dir, err := os.MkdirTemp("", "splits")
			if err != nil {
				return nil, err
			}
			defer os.RemoveAll(dir)
			file := filepath.Join(dir, "splits.json")
			if err := dataset.WriteFile(file, func(w io.Writer) error { return dataset.WriteSplits(w, p.Nodes(), splits) }); err != nil {
				return nil, err
			}
			out, err := cli.Output(ctx, nil, command[0], append(command[1:len(command):len(command)], "--csv", vectorsFile(folder, p.Name), "--splits", file, "--method", name)...)
			if err == nil {
				err = json.Unmarshal(out, &shares)
			}
			if err == nil && len(shares) != len(splits) {
				err = fmt.Errorf("-peer: %d accuracies of %d splits", len(shares), len(splits))
			}
			return shares, err
		}})
	}
	return rows
}

// openVectors reads such a file and joins every row to the ten nearest.
func openVectors(ctx context.Context, path string) (*dataset.Dataset, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	lines = lines[1:]
	x, classes, d := mat.NewDense(len(lines), len(lines[0])-2, nil), make(map[string]int), &dataset.Dataset{}
	for i, line := range lines {
		last := len(line) - 1
		for j, cell := range line[1:last] {
			v, err := strconv.ParseFloat(cell, 64)
			if err != nil {
				return nil, fmt.Errorf("%s: row %d: %w", path, i, err)
			}
			x.Set(i, j, v)
		}
		if _, known := classes[line[last]]; !known {
			classes[line[last]] = len(classes)
		}
		d.Labels = append(d.Labels, classes[line[last]])
	}
	d.Features = x
	d.Undirected, err = coles.KNN(ctx, x, 10)
	return d, err
}
