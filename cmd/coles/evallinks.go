package main

import (
	"context"
	"fmt"
	"io"

	"coles"
	"coles/eval"

	"github.com/urfave/cli/v3"
)

// A linkEvaluation is the output of eval for links.
type linkEvaluation struct {
	Nodes  int             `json:"nodes"`
	Edges  int             `json:"edges"`
	Random eval.LinkWorth  `json:"random"`           // of edges drawn
	Latest *eval.LinkWorth `json:"latest,omitempty"` // of the latest edges
}

// latestShare is the share of the edges that is hidden.
const latestShare = 0.1

// evaluateLinks measures recommended links by hidden edges, drawn ones and the latest.
func evaluateLinks(ctx context.Context, c *cli.Command, in *inputs, s streams) error {
	e, err := newEmbedder(ctx, c, in)
	if err != nil {
		return err
	}
	in.directed = c.Bool("times")
	d, g, err := readArgument(ctx, c, in)
	if err != nil {
		return err
	}
	var train *coles.Graph
	var latest []coles.Edge
	if c.Bool("times") {
		if !g.Report().Weighted {
			return fmt.Errorf("%s has no times: -columns names the two ends of an edge and its time, a number", nameOf(c.Args().First()))
		}
		if train, latest, err = d.HoldOutLatest(latestShare); err != nil {
			return err
		}
		edges := []coles.Edge{} // without the times, which are no weights
		for e := range g.Edges() {
			edges = append(edges, e)
		}
		if g, err = coles.NewGraph(g.Nodes(), edges, coles.WithIDs(g.IDs())); err != nil {
			return err
		}
	}
	options, err := linkOptions(c, in, e, d, g, s.stderr)
	if err != nil {
		return err
	}
	all, err := eval.LearnLinks(ctx, g, options)
	if err != nil {
		return err
	}
	found := &linkEvaluation{Nodes: g.Nodes(), Edges: g.Report().Edges, Random: all.Worth}
	if train != nil {
		before, err := eval.LearnLinks(ctx, train, options)
		if err != nil {
			return err
		}
		if found.Latest, err = before.Measure(ctx, latest, options.Seed); err != nil {
			return err
		}
	}
	in.progress.clear()
	return report(ctx, c, s, found)
}

func (e *linkEvaluation) print(w io.Writer) {
	fmt.Fprintf(w, "links\t%d nodes, %d edges\n", e.Nodes, e.Edges)
	fmt.Fprintf(w, "of a tenth drawn\t%v\n", e.Random)
	if e.Latest != nil {
		fmt.Fprintf(w, "of the latest tenth\t%v\n", *e.Latest)
	}
}
