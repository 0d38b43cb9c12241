package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"

	"coles"
	"coles/cluster"

	"github.com/urfave/cli/v3"
	"gonum.org/v1/gonum/mat"
)

const clusterDescription = `Divides the nodes into clusters, by k-means on the rows of the embedding scaled
to length 1, and prints a line "ID, cluster" for each, separated by tabs, or by
commas under a line of column names where the name of -o ends in .csv. Clusters
are numbered from 0. The embedding comes from -embedding, or is made of GRAPH as
by "coles embed -for clustering".

Without -k there are as many clusters, from 2 to 20, as have the largest mean
silhouette, and standard error says how many. That compares all pairs of nodes:
for more than some fifty thousand give -k.

Examples:
   coles cluster cora.npz -k 7
   coles cluster friends.tsv -features profiles.csv -o clusters.csv
   coles cluster -embedding friends.npy -k 12 -json`

func clusterCommand(s streams) *cli.Command {
	return &cli.Command{
		Name: "cluster", Usage: "a cluster for every node",
		ArgsUsage: "[GRAPH]", Description: describe(clusterDescription),
		Flags:  append(append(resultFlags(), clustersFlag()), embeddingFlags()...),
		Action: action(s, clusterNodes),
	}
}

func clustersFlag() cli.Flag {
	return &cli.IntFlag{Name: "k", Usage: "`NUMBER` of clusters (default: by the silhouette)", HideDefault: true}
}

// A membership is a line of output.
type membership struct {
	ID      string `json:"id"`
	Cluster int    `json:"cluster"`
}

func clusterNodes(ctx context.Context, c *cli.Command, in *inputs, s streams) error {
	if err := atLeast1(c, "k"); err != nil {
		return err
	}
	out, err := resultOutput(c, s, false)
	if err != nil {
		return err
	}
	e, err := embedded(ctx, c, in, usually(forClustering))
	if err != nil {
		return err
	}
	found, err := findClusters(ctx, c, in, s.stderr, e.rows)
	if err != nil {
		return err
	}
	result, lines := make([]membership, len(found)), make([][]string, len(found))
	for i, id := range rowNames(e.data.IDs, len(found)) {
		result[i] = membership{id, found[i]}
		lines[i] = []string{id, strconv.Itoa(found[i])}
	}
	return out.writeResult(ctx, c, result, []string{"id", "cluster"}, slices.Values(lines))
}

// mostClusters is how many clusters are tried at most.
const mostClusters = 20

// findClusters clusters the rows of y, into -k clusters or as many as have the largest silhouette.
func findClusters(ctx context.Context, c *cli.Command, in *inputs, stderr io.Writer, y mat.Matrix) ([]int, error) {
	unit, err := unitRows(ctx, y)
	if err != nil {
		return nil, err
	}
	defer in.progress.clear()
	n, _ := y.Dims()
	means := cluster.KMeans{Clusters: c.Int("k"), Seed: seedOr1(c), Progress: in.progress.show}
	switch {
	case c.IsSet("k") && means.Clusters > n:
		return nil, fmt.Errorf("-k %d: there are %d nodes only", means.Clusters, n)
	case !c.IsSet("k") && n < 3:
		return nil, fmt.Errorf("%d nodes have no silhouette; name the number of clusters by -k", n)
	case !c.IsSet("k"):
		var silhouettes []float64
		if means.Clusters, silhouettes, err = cluster.Count(ctx, unit, min(mostClusters, n-1), means); err != nil {
			return nil, err
		}
		in.progress.clear()
		fmt.Fprintf(stderr, "coles: %d clusters, mean silhouette %.3f\n", means.Clusters, silhouettes[means.Clusters-2])
	}
	m, err := means.Fit(ctx, unit)
	if err != nil {
		return nil, err
	}
	if found := len(slices.Compact(slices.Sorted(slices.Values(m.Labels)))); found < means.Clusters {
		in.progress.clear()
		fmt.Fprintf(stderr, "coles: %d clusters, not %d: no more vectors have different directions\n", found, means.Clusters)
	}
	return m.Labels, nil
}

// unitRows scales the rows of y to length 1; zero rows stay zero.
func unitRows(ctx context.Context, y mat.Matrix) (mat.Matrix, error) {
	p, err := coles.PrepareRowL2.Fit(ctx, y)
	if err != nil {
		return nil, err
	}
	return p.Apply(ctx, y)
}
