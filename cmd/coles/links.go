package main

import (
	"context"
	"strconv"

	"coles/eval"

	"github.com/urfave/cli/v3"
)

const linksDescription = `Recommends links that GRAPH does not have: for each node, or those of -node, the
nodes most similar to it of those that no edge joins to it. Prints a line "ID,
node, score" for each, separated by tabs, or by commas where the name of -o ends
in .csv, best first; none of a score of 0 or less. The vectors come from
-embedding, or are made of GRAPH as by "coles embed -for links".

The -k best pairs of all are the lines of the largest scores, two for each pair.

Examples:
   coles links friends.tsv -features profiles.csv -k 3 -node ann -node bob
   coles links friends.tsv -features profiles.csv -embedding friends.txt -o links.csv
   coles links friends.tsv -k 20 | sort -t "$(printf '\t')" -k3,3gr | head -40`

func linksCommand(s streams) *cli.Command {
	return &cli.Command{
		Name: "links", Usage: "links that a graph may lack, best first",
		ArgsUsage: "[GRAPH]", Description: describe(linksDescription),
		Flags: append(append([]cli.Flag{
			&cli.StringSliceFlag{Name: "node", Usage: "recommend links for the node `ID`; may be given again (default: for all)"},
			&cli.IntFlag{Name: "k", Value: 10, Usage: "at most so many `LINKS` for each node"},
		}, resultFlags()...), embeddingFlags()...),
		DisableSliceFlagSeparator: true, // an id may hold a comma
		Action:                    action(s, links),
	}
}

// A recommendation is a line of output.
type recommendation struct {
	ID    string  `json:"id"`
	Node  string  `json:"node"`
	Score float64 `json:"score"`
}

func links(ctx context.Context, c *cli.Command, in *inputs, s streams) error {
	if err := atLeast1(c, "k"); err != nil {
		return err
	}
	if c.IsSet("embedding") && !c.Args().Present() {
		return usagef("which links are there already? name GRAPH, too")
	}
	out, err := resultOutput(c, s, false)
	if err != nil {
		return err
	}
	e, err := embedded(ctx, c, in, usually(forLinks))
	if err != nil {
		return err
	}
	g := e.graph
	if g == nil {
		if g, err = undirected(e.data, c.Args().First()); err != nil {
			return err
		}
	}
	ids := g.IDs()
	nodes, err := namedRows(c.StringSlice("node"), ids)
	if err != nil {
		return err
	}
	in.progress.show("links", 0, 0)
	defer in.progress.clear()
	index, err := eval.NewIndex(ctx, e.rows, eval.Cosine)
	if err != nil {
		return err
	}
	index.Progress = in.progress.show
	found, err := index.RecommendLinks(ctx, g, nodes, c.Int("k"))
	if err != nil {
		return err
	}
	result, lines := []recommendation{}, [][]string(nil)
	for q, matches := range found {
		id := ids[q]
		if nodes != nil {
			id = ids[nodes[q]]
		}
		for _, m := range matches {
			result = append(result, recommendation{id, ids[m.Row], m.Score})
			lines = append(lines, []string{id, ids[m.Row], strconv.FormatFloat(m.Score, 'g', 6, 64)})
		}
	}
	in.progress.clear()
	return out.writeResult(ctx, c, result, []string{"id", "node", "score"}, lines)
}
