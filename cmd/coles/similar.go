package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"coles"
	"coles/near"

	"github.com/urfave/cli/v3"
)

const similarDescription = `Finds the nodes whose vectors are most similar to those of the nodes named by
ID, exactly, and prints a line "ID, node, similarity" for each, separated by
tabs, best first. In a file without ids, and without -ids, a node is named by
its row, from 0. -queries asks for all rows of another file instead, of vectors
by the same model.

-graph asks for the nodes of GRAPH whose neighbours are most alike, without vectors:
of a graph without features the nearest vectors are often a node's own leaves. Their
degrees stand beside them, and their classes where an archive has some.

A part of a name will do where only one node has it.

Examples:
   coles similar -embedding friends.npy -ids friends.ids -k 3 ann
   coles similar -embedding cora.npy -k 3 -by dot 0 17
   coles embed friends.tsv | coles similar -json ann bob
   coles similar -graph friends.tsv ann`

func similarCommand(s streams) *cli.Command {
	return &cli.Command{
		Name: "similar", Usage: "the nodes nearest to some in an embedding",
		ArgsUsage: "ID...", Description: similarDescription,
		Flags: append([]cli.Flag{
			fileFlag("embedding", "`FILE` of vectors (default: standard input)"),
			fileFlag("graph", "find nodes with like neighbours in the graph of `FILE`"),
			&cli.StringFlag{Name: "from", Usage: "`FORMAT` of the vectors: " + formatNames(holdsVectors) + ", or of -graph; by the name of the file if not given"},
			idsFlag(),
			headerFlag(),
			fileFlag("queries", "find the rows nearest to each row of the vectors in `FILE`"),
			&cli.IntFlag{Name: "k", Value: 10, Usage: "at most so many `NODES` for each ID"},
			&cli.StringFlag{Name: "by", Value: "cosine", Usage: "`SIMILARITY`: cosine or dot"},
		}, resultFlags()...),
		Action: action(s, similar),
	}
}

// neighbours are the nodes found for one query.
type neighbours struct {
	Query   string      `json:"query"`
	Similar []neighbour `json:"similar"`
}

// A neighbour has its degree where the graph is known, and its class where that is.
type neighbour struct {
	ID         string  `json:"id"`
	Similarity float64 `json:"similarity"`
	Degree     int     `json:"degree,omitempty"` // how many edges
	Class      string  `json:"class,omitempty"`
}

func similar(ctx context.Context, c *cli.Command, in *inputs, s streams) error {
	var by near.Similarity
	if err := by.UnmarshalText([]byte(c.String("by"))); err != nil {
		return usagef("-by %s: want cosine or dot", c.String("by"))
	}
	if err := atLeast1(c, "k"); err != nil {
		return err
	}
	k, ids := c.Int("k"), c.Args().Slice()
	switch {
	case len(ids) == 0 && !c.IsSet("queries"):
		return usagef("nearest to what? name an ID, or -queries FILE")
	case len(ids) > 0 && c.IsSet("queries"):
		return usagef("either IDs or -queries")
	}
	out, err := newOutput(c, []string{c.String("graph"), c.String("queries")}, "-o", cmp.Or(c.String("o"), standard), false, s)
	if err != nil {
		return err
	}
	if c.IsSet("graph") {
		return alike(ctx, c, in, out, ids, k)
	}
	d, err := readEmbeddingFile(ctx, in, c.String("from"), c.String("embedding"))
	if err != nil {
		return err
	}
	n, _ := d.Features.Dims()
	names := rowNames(d.IDs, n)
	index, err := near.NewIndex(ctx, d.Features, by)
	if err != nil {
		return err
	}
	index.Progress = in.progress.show
	var found [][]near.Match
	if c.IsSet("queries") {
		queries := c.String("queries")
		ids, found, err = nearestToQueries(ctx, in, queries, index, min(k, n))
		if err == nil {
			in.text.Warn(fmt.Errorf("%s, %s: files of vectors do not name their model, and those of two models are not alike", nameOf(c.String("embedding")), nameOf(queries)))
		}
	} else {
		var rows []int
		if rows, err = namedRows(ids, names, in.text.Warn); err == nil {
			ids, found = picked(names, rows), make([][]near.Match, len(rows))
		}
		if k = min(k, n-1); err == nil && k > 0 {
			found, err = index.Rows(ctx, rows, k)
		}
	}
	if err != nil {
		return err
	}
	return writeSimilar(ctx, c, in, out, ids, found, []string{"id", "node", "similarity"}, func(m near.Match) neighbour { return neighbour{ID: names[m.Row], Similarity: m.Score} })
}

// alike finds the nodes of -graph with like neighbours.
func alike(ctx context.Context, c *cli.Command, in *inputs, out sink, ids []string, k int) error {
	for _, name := range []string{"embedding", "queries", "by"} {
		if c.IsSet(name) {
			return usagef("-%s is of vectors, and -graph compares neighbours", name)
		}
	}
	d, err := readGraph(ctx, c, in, c.String("graph"))
	if err != nil {
		return err
	}
	g, err := undirected(d, c.String("graph"))
	if err != nil {
		return err
	}
	names := g.IDs()
	rows, err := namedRows(ids, names, in.text.Warn)
	if err != nil {
		return err
	}
	found := make([][]near.Match, len(ids))
	if k = min(k, len(names)-1); k > 0 {
		if found, err = near.Alike(ctx, g, rows, k); err != nil {
			return err
		}
	}
	ids = picked(names, rows)
	labels := knownLabels(d, len(names))
	columns := []string{"id", "node", "similarity", "degree", "class"}
	if slices.Max(labels) < 0 {
		columns = columns[:4]
	}
	return writeSimilar(ctx, c, in, out, ids, found, columns, func(m near.Match) neighbour {
		edges, _ := g.Neighbors(m.Row)
		v := neighbour{ID: names[m.Row], Similarity: m.Score, Degree: len(edges)}
		if l := labels[m.Row]; l >= 0 {
			v.Class = strconv.Itoa(l)
			if d.Classes != nil {
				v.Class = d.Classes[l]
			}
		}
		return v
	})
}

// writeSimilar writes what as makes of what was found.
func writeSimilar(ctx context.Context, c *cli.Command, in *inputs, out sink, ids []string, found [][]near.Match, columns []string, as func(near.Match) neighbour) error {
	in.progress.clear()
	result := make([]neighbours, len(ids))
	var lines [][]string
	for i, matches := range found {
		result[i] = neighbours{ids[i], make([]neighbour, len(matches))}
		for j, m := range matches {
			v := as(m)
			line := []string{ids[i], v.ID, short(v.Similarity), strconv.Itoa(v.Degree), v.Class}
			result[i].Similar[j], lines = v, append(lines, line[:len(columns)])
		}
	}
	return out.writeResult(ctx, c, result, columns, slices.Values(lines))
}

// namedRows are the rows of ids, nil for none. Where it can be said, a part of one name stands for it.
func namedRows(ids, names []string, say func(error)) (rows []int, err error) {
	row := make(map[string]int, len(names))
	for i, id := range names {
		row[id] = i
	}
	for _, id := range ids {
		if i, ok := row[id]; ok {
			rows = append(rows, i)
			continue
		}
		if areNumbers(names) {
			return nil, fmt.Errorf("%w: unknown node %q; rows are numbered, 0 to %d: name them by -ids", coles.ErrIDs, id, len(names)-1)
		}
		var like []int
		if say != nil {
			like = called(id, names)
		}
		switch {
		case len(like) == 1:
			say(fmt.Errorf("%q is taken for %q", id, names[like[0]]))
			rows = append(rows, like[0])
		case len(like) > 1:
			const most = 5
			some := make([]string, min(most, len(like)))
			for q := range some {
				some[q] = strconv.Quote(names[like[q]])
			}
			return nil, fmt.Errorf("%w: unknown node %q; %d have it in their names, such as %s", coles.ErrIDs, id, len(like), strings.Join(some, ", "))
		default:
			return nil, fmt.Errorf("%w: unknown node %q%s", coles.ErrIDs, id, didYouMean("", id, names))
		}
	}
	return rows, nil
}

func nearestToQueries(ctx context.Context, in *inputs, path string, index *near.Index, k int) ([]string, [][]near.Match, error) {
	q, err := readEmbeddingFile(ctx, in, "", path)
	if err != nil {
		return nil, nil, err
	}
	found, err := index.Vectors(ctx, q.Features, k)
	if err != nil {
		return nil, nil, err
	}
	return rowNames(q.IDs, len(found)), found, nil
}
