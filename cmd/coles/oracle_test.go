package main

import (
	"coles"
	"coles/dataset"
	"coles/task"

	"gonum.org/v1/gonum/mat"
)

// undirected is the graph of a dataset.
func undirected(d *dataset.Dataset, _ string) (*coles.Graph, error) { return d.Graph() }

// rowNames are the ids of n rows.
func rowNames(ids []string, n int) []string { return task.Names(ids, n) }

// embeddingOf is the embedding of a model in the precision of its fit.
func embeddingOf(m *coles.Model) mat.Matrix { return task.Embedding(m) }
