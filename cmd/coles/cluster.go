package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"coles/task"

	"github.com/urfave/cli/v3"
)

// clusterOptions are the options of the command.
type clusterOptions struct {
	vectorOptions
	result resultOptions
	count  countOption
}

func clusterCommand(s streams) *cli.Command {
	o := &clusterOptions{}
	return command(s, spec{
		input: &o.inputOptions, name: "cluster", usage: "a cluster for every node", args: "[GRAPH]", settings: true,
		first: []string{"features", "knn", "ids", "embedding", "with", "dim", "seed", "k", "json", "o"},
		flags: slices.Concat(o.result.flags(), []cli.Flag{o.count.flag(), o.namesFlag()}, o.vectorOptions.flags()),
		run:   o.run,
	})
}

// countOption says how many clusters there are.
type countOption struct{ k int }

func (o *countOption) flag() cli.Flag {
	return ofAnswer.whole(&o.k, "k", "`NUMBER` of clusters (default: by the silhouette)")
}

// A membership is a line of output.
type membership struct {
	ID      string `json:"id"`
	Cluster int    `json:"cluster"`
}

func (o *clusterOptions) run(ctx context.Context, s *session) error {
	if err := s.atLeast1("k", o.count.k); err != nil {
		return err
	}
	out, err := o.output(s, &o.result)
	if err != nil {
		return err
	}
	v, err := o.read(ctx, s, task.ForClustering, nil)
	if err != nil {
		return err
	}
	found, names, err := o.count.find(ctx, s, v, o.fit.seed)
	if err != nil {
		return err
	}
	for k, name := range names {
		names[k] = strconv.Itoa(k) + " " + name
	}
	s.say("clusters %s", strings.Join(names, "; "))
	result, lines := make([]membership, len(found)), make([][]string, len(found))
	for i, id := range v.Called(task.Names(v.IDs, len(found))) {
		result[i] = membership{id, found[i]}
		lines[i] = []string{id, strconv.Itoa(found[i])}
	}
	return o.result.write(ctx, out, result, []string{"id", "cluster"}, slices.Values(lines))
}

// find clusters the nodes, and names the clusters.
func (o *countOption) find(ctx context.Context, s *session, v *vectors, seed uint64) (of []int, names []string, err error) {
	n, _ := v.Rows.Dims()
	switch {
	case o.k > n:
		return nil, nil, fmt.Errorf("-k %d: there are %d nodes only", o.k, n)
	case o.k == 0 && n < 3:
		return nil, nil, fmt.Errorf("%d nodes have no silhouette; name the number of clusters by -k", n)
	}
	c, err := task.Cluster(ctx, v.Rows, o.k, seed, s.progress.show)
	if err != nil {
		return nil, nil, err
	}
	for _, note := range c.Notes {
		s.say("%v", note)
	}
	degrees, err := v.degrees()
	return c.Of, c.Names(v.Called(task.Names(v.IDs, n)), degrees), err
}
