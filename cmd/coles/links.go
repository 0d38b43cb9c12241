package main

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"coles"
	"coles/eval"

	"github.com/urfave/cli/v3"
	"gonum.org/v1/gonum/mat"
)

const linksDescription = `Recommends links that GRAPH does not have: for each node, or those of -node, the
nodes most similar to it of those that no edge joins to it. Prints a line "ID,
node, score" for each, separated by tabs, or by commas where the name of -o ends
in .csv, best first; none of a score of 0 or less. The vectors come from
-embedding, or are made of GRAPH as by "coles embed -for links".

The -k best pairs of all are the lines of the largest scores, two for each pair.

-test says what this is worth: it holds out a share of the edges, embeds the rest
and looks for those edges among the links recommended to the nodes at either end.

Examples:
   coles links friends.tsv -features profiles.csv -k 3 -node ann -node bob
   coles links -embedding friends.npy friends.tsv -o links.csv
   coles links friends.tsv -k 20 | sort -t "$(printf '\t')" -k3,3gr | head -40
   coles links friends.tsv -features profiles.csv -test 0.1`

func linksCommand(s streams) *cli.Command {
	return &cli.Command{
		Name: "links", Usage: "links that a graph may lack, best first",
		ArgsUsage: "[GRAPH]", Description: describe(linksDescription),
		Flags: append(append([]cli.Flag{
			&cli.StringSliceFlag{Name: "node", Usage: "recommend links for the node `ID`; may be given again (default: for all)"},
			&cli.IntFlag{Name: "k", Value: 10, Usage: "at most so many `LINKS` for each node"},
			&cli.FloatFlag{Name: "test", Usage: "hold out a `SHARE` of the edges and print how many of them are recommended", HideDefault: true},
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
	if err := checkLinksFlags(c); err != nil {
		return err
	}
	out, err := resultOutput(c, s, false)
	if err != nil {
		return err
	}
	g, embed, err := readLinks(ctx, c, in)
	if err != nil {
		return err
	}
	if c.IsSet("test") {
		return testLinks(ctx, c, g, embed, out)
	}
	nodes, err := namedNodes(c.StringSlice("node"), g)
	if err != nil {
		return err
	}
	y, err := embed(g)
	if err != nil {
		return err
	}
	in.progress.show("links", 0, 0)
	defer in.progress.clear()
	found, err := eval.RecommendLinks(ctx, g, y, nodes, eval.Cosine, c.Int("k"))
	if err != nil {
		return err
	}
	ids, result, lines := g.IDs(), []recommendation{}, [][]string(nil)
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

func checkLinksFlags(c *cli.Command) error {
	switch share := c.Float("test"); {
	case c.IsSet("test") && !(share > 0 && share < 1):
		return usagef("-test %v: want a share of the edges between 0 and 1", share)
	case c.IsSet("test") && (c.IsSet("embedding") || c.IsSet("with") || c.IsSet("node")):
		return usagef("-test embeds GRAPH without some edges, and asks about all of these: leave out -embedding, -with and -node")
	case c.IsSet("embedding") && !c.Args().Present():
		return usagef("which links are there already? name GRAPH, too")
	}
	return atLeast1(c, "k")
}

// namedNodes are the rows of ids, nil for none.
func namedNodes(ids []string, g *coles.Graph) ([]int, error) {
	var rows []int
	for _, id := range ids {
		i, ok := g.Row(id)
		if !ok {
			return nil, fmt.Errorf("%w: unknown node %q%s", coles.ErrIDs, id, didYouMean("", id, g.IDs()))
		}
		rows = append(rows, i)
	}
	return rows, nil
}

// readLinks reads the graph, and the embedding if there is one; embed gives that, or makes one.
func readLinks(ctx context.Context, c *cli.Command, in *inputs) (g *coles.Graph, embed func(*coles.Graph) (mat.Matrix, error), err error) {
	if c.IsSet("embedding") {
		e, err := readEmbedding(ctx, c, in)
		if err != nil {
			return nil, nil, err
		}
		g, err := undirected(e.data, c.Args().First())
		return g, func(*coles.Graph) (mat.Matrix, error) { return e.rows, nil }, err
	}
	e, err := newEmbedder(ctx, c, in)
	if err != nil {
		return nil, nil, err
	}
	e.usual = coles.ForLinks
	d, g, err := readArgument(ctx, c, in)
	return g, func(g *coles.Graph) (mat.Matrix, error) {
		_, y, err := e.embed(ctx, g, d.Features)
		return y, err
	}, err
}

// testLinks looks for edges that an embedding has not seen.
func testLinks(ctx context.Context, c *cli.Command, g *coles.Graph, embed func(*coles.Graph) (mat.Matrix, error), out sink) error {
	held, err := eval.HoldOutLinks(ctx, g, c.Float("test"), seedOr1(c))
	if err != nil {
		return err
	}
	y, err := embed(held.Train)
	if err != nil {
		return err
	}
	r, err := eval.RankLinks(ctx, y, held, eval.Cosine, c.Int("k"))
	if err != nil {
		return err
	}
	return out.write(ctx, func(w io.Writer) error {
		if c.Bool("json") {
			return printJSON(w, r)
		}
		_, err := fmt.Fprintln(w, r)
		return err
	})
}
