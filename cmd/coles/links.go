package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"coles"
	"coles/dataset"
	"coles/link"
	"coles/near"

	"github.com/urfave/cli/v3"
	"gonum.org/v1/gonum/mat"
)

const linksDescription = `Recommends links that GRAPH does not have: for each node, or those of -node, the
nodes that no edge joins to it and that edges, and features if there are some,
speak most for. Prints a line "ID, node, score" for each, separated by tabs, or
by commas where the name of -o ends in .csv, best first. The scores of what a
node could be joined to add up to 1; they are 0 for a node that nothing is known
of, which gets the nodes of most edges. Standard error says what the links are
worth: how many of a tenth of the edges, hidden, are among ten recommended.

Walks of two and three steps are counted, and where there are features their
cosines and those of vectors, made as by "coles embed -for links"; hidden edges
say how much each counts. Where all edges join two kinds of nodes, so do the
links. With -directed heads of edges are recommended to tails. -by cosine, and
-embedding, take the nodes most similar by their vectors alone.

Examples:
   coles links friends.tsv -features profiles.csv -k 3 -node ann -node bob
   coles links sales.csv -bipartite -among instock.txt -o links.csv
   coles links friends.tsv -pairs asked.tsv
   coles links friends.tsv -features profiles.csv -embedding friends.txt`

func linksCommand(s streams) *cli.Command {
	return &cli.Command{
		Name: "links", Usage: "links that a graph may lack, best first",
		ArgsUsage: "[GRAPH]", Description: describe(linksDescription),
		Flags: append(append([]cli.Flag{
			&cli.StringSliceFlag{Name: "node", Usage: "recommend links for the node `ID`; may be given again (default: for all)"},
			&cli.IntFlag{Name: "k", Value: 10, Usage: "at most so many `LINKS` for each node"},
			&cli.StringFlag{Name: "by", Value: "walks", Usage: "`SCORES`: walks, or cosine for those of vectors alone"},
			fileFlag("among", "recommend none but the nodes of `FILE`, an id a line"),
			&cli.BoolFlag{Name: "why", Usage: "name neighbours that both have, those of fewest edges first"},
			fileFlag("pairs", "no recommendations, but the scores of the pairs of `FILE`, an edge list of nodes and what is to be recommended to them"),
		}, resultFlags()...), embeddingFlags()...),
		DisableSliceFlagSeparator: true, // an id may hold a comma
		Action:                    action(s, links),
	}
}

// recommendations are the output.
type recommendations struct {
	Worth *link.Worth      `json:"worth,omitempty"`
	Links []recommendation `json:"links"`
}

// A recommendation is a line of it.
type recommendation struct {
	ID    string  `json:"id"`
	Node  string  `json:"node"`
	Score float64 `json:"score"`
	// Common are neighbours of both, with -why: those of fewest edges, which tell most.
	Common []string `json:"common,omitempty"`
}

func links(ctx context.Context, c *cli.Command, in *inputs, s streams) error {
	if err := atLeast1(c, "k"); err != nil {
		return err
	}
	byCosine := c.String("by") == "cosine" || c.IsSet("embedding")
	switch {
	case c.String("by") != "cosine" && c.String("by") != "walks":
		return usagef("-by %s: want walks or cosine", c.String("by"))
	case c.IsSet("embedding") && !c.Args().Present():
		return usagef("which links are there already? name GRAPH, too")
	case byCosine && c.IsSet("embedding") && c.IsSet("by") && c.String("by") != "cosine":
		return usagef("-by walks makes vectors of its own, without the edges that it hides: -embedding goes with cosines")
	case c.Bool("directed") && (byCosine || c.Bool("bipartite")):
		return usagef("-directed is for walks among nodes of one kind: cosines have no direction, and -bipartite says it")
	case c.IsSet("pairs") && (byCosine || c.IsSet("node") || c.IsSet("among") || c.IsSet("k")):
		return usagef("-pairs asks for scores by walks: -by cosine, -embedding, -node, -among and -k say nothing of them")
	}
	out, err := resultOutput(c, s, false)
	if err != nil {
		return err
	}
	result := recommendations{Links: []recommendation{}}
	if byCosine {
		err = result.addSimilar(ctx, c, in)
	} else {
		err = result.addLearned(ctx, c, in, s.stderr)
	}
	if err != nil {
		return err
	}
	in.progress.clear()
	columns := []string{"id", "node", "score", "why"}
	if !c.Bool("why") {
		columns = columns[:3]
	}
	return out.writeResult(ctx, c, result, columns, func(yield func([]string) bool) {
		for _, l := range result.Links {
			line := []string{l.ID, l.Node, short(l.Score), strings.Join(l.Common, ", ")}
			if !yield(line[:len(columns)]) {
				return
			}
		}
	})
}

// explain names neighbours that both ends of a link have, with -why.
func (r *recommendations) explain(c *cli.Command, g *coles.Graph) {
	if !c.Bool("why") {
		return
	}
	const most = 5
	ids := g.IDs()
	for k := range r.Links {
		l := &r.Links[k]
		u, _ := g.Row(l.ID)
		v, _ := g.Row(l.Node)
		for _, i := range link.InCommon(g, u, v, most) {
			l.Common = append(l.Common, ids[i])
		}
	}
}

// addSimilar adds the most similar nodes by vectors.
func (r *recommendations) addSimilar(ctx context.Context, c *cli.Command, in *inputs) error {
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
	asked, may, err := askedLinks(ctx, c, in, g)
	if err != nil {
		return err
	}
	in.progress.show("links", 0, 0)
	index, err := near.NewIndex(ctx, e.rows, near.Cosine)
	if err != nil {
		return err
	}
	index.Progress = in.progress.show
	found, err := index.RecommendLinks(ctx, g, asked, c.Int("k"), may)
	r.add(g.IDs(), asked, found)
	r.explain(c, g)
	return err
}

// addLearned adds what a recommender finds that learns from the graph itself.
func (r *recommendations) addLearned(ctx context.Context, c *cli.Command, in *inputs, stderr io.Writer) error {
	e, err := newEmbedder(ctx, c, in)
	if err != nil {
		return err
	}
	in.directed = c.Bool("directed")
	d, g, err := readArgument(ctx, c, in)
	if err != nil {
		return err
	}
	asked, may, err := askedLinks(ctx, c, in, g)
	if err != nil {
		return err
	}
	options := link.Options{Sides: d.Sides, Seed: 1, Progress: in.progress.show}
	setNumber(c, "seed", &options.Seed, c.Uint64)
	if in.directed {
		d.Adjacency.DoNonZero(func(u, v int, _ float64) { options.Arcs = append(options.Arcs, coles.Edge{U: u, V: v}) })
	} else if d.Sides == nil {
		options.Sides = link.Sides(g)
	}
	if options.Sides != nil {
		fmt.Fprintln(stderr, "coles: all edges join nodes of two kinds, and so do the links; -by cosine takes any pair")
	}
	if usually(forLinks)(e, d); d.Features != nil || e.model != nil {
		options.Features = d.Features
		options.Embed = func(ctx context.Context, g *coles.Graph) (mat.Matrix, error) {
			_, y, err := e.embed(ctx, g, d.Features)
			return y, err
		}
	} else if err := withoutVectors(c); err != nil {
		return err
	}
	recommender, err := link.Fit(ctx, g, options)
	if err != nil {
		return err
	}
	in.progress.clear()
	fmt.Fprintln(stderr, "coles:", recommender.Worth)
	r.Worth = &recommender.Worth
	if c.IsSet("pairs") {
		pairs, err := readPairs(ctx, in, c.String("pairs"), g)
		if err != nil {
			return err
		}
		scores, err := recommender.Scores(ctx, pairs)
		ids := g.IDs()
		for q, score := range scores {
			r.Links = append(r.Links, recommendation{ID: ids[pairs[q].U], Node: ids[pairs[q].V], Score: score})
		}
		r.explain(c, g)
		return err
	}
	found, err := recommender.Recommend(ctx, asked, c.Int("k"), may)
	r.add(g.IDs(), asked, found)
	r.explain(c, g)
	unknown := 0
	for _, matches := range found {
		if len(matches) > 0 && matches[0].Score == 0 {
			unknown++
		}
	}
	if unknown > 0 {
		fmt.Fprintf(stderr, "coles: nothing is known of %d of %d nodes: they get the nodes of most edges, with score 0\n", unknown, len(found))
	}
	return err
}

// withoutVectors refuses options for vectors where none are made.
func withoutVectors(c *cli.Command) error {
	for _, f := range settingsFlags() {
		if name := f.Names()[0]; c.IsSet(name) && name != "seed" {
			return usagef("-%s changes vectors, and without -features walks need none: -by cosine takes them", name)
		}
	}
	return nil
}

// add takes what was found for the nodes asked about, nil for all.
func (r *recommendations) add(ids []string, asked []int, found [][]near.Match) {
	count := 0
	for _, matches := range found {
		count += len(matches)
	}
	r.Links = make([]recommendation, 0, count)
	for q, matches := range found {
		u := q
		if asked != nil {
			u = asked[q]
		}
		for _, m := range matches {
			r.Links = append(r.Links, recommendation{ID: ids[u], Node: ids[m.Row], Score: m.Score})
		}
	}
}

// askedLinks are the nodes to recommend to, nil for all, and what may be recommended to them.
func askedLinks(ctx context.Context, c *cli.Command, in *inputs, g *coles.Graph) (nodes []int, may func(node, recommended int) bool, err error) {
	ids := g.IDs()
	if nodes, err = namedRows(c.StringSlice("node"), ids, in.text.Warn); err != nil || !c.IsSet("among") {
		return nodes, nil, err
	}
	names, err := readIDs(ctx, in, c.String("among"))
	if err != nil {
		return nil, nil, err
	}
	rows, err := namedRows(names, ids, nil)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", nameOf(c.String("among")), err)
	}
	among := make([]bool, len(ids))
	for _, v := range rows {
		among[v] = true
	}
	return nodes, func(_, v int) bool { return among[v] }, nil
}

// readPairs reads pairs of the graph's nodes, each once, in the order of the nodes.
func readPairs(ctx context.Context, in *inputs, path string, g *coles.Graph) ([]coles.Edge, error) {
	s, err := in.source(path)
	if err != nil {
		return nil, err
	}
	defer s.close()
	s.text = dataset.EdgeListOptions{Header: in.text.Header, SkipUnknown: in.text.SkipUnknown, Unweighted: true}
	nameNodes(&s.text, g.IDs(), g.Nodes())
	f, err := readingFormat("", path, true)
	if err != nil {
		return nil, err
	}
	d, err := s.read(ctx, f)
	if err != nil {
		return nil, s.errAt(err)
	}
	var pairs []coles.Edge
	d.Adjacency.DoNonZero(func(u, v int, _ float64) { pairs = append(pairs, coles.Edge{U: u, V: v}) })
	slices.SortFunc(pairs, func(a, b coles.Edge) int { return (a.U-b.U)*g.Nodes() + a.V - b.V })
	return pairs, nil
}
