package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"coles/near"
	"coles/task"

	"github.com/urfave/cli/v3"
	"gonum.org/v1/gonum/mat"
)

// similarOptions are the options of the command.
type similarOptions struct {
	inputOptions
	result                        resultOptions
	embedding, graph, queries, by string
	k                             int
}

func similarCommand(s streams) *cli.Command {
	o := &similarOptions{}
	by := ofAnswer.text(&o.by, "by", "`SIMILARITY`: cosine or dot")
	by.Value = "cosine"
	return command(s, spec{
		input: &o.inputOptions, name: "similar", usage: "the nodes nearest to some in an embedding", args: "ID...",
		first: []string{"embedding", "graph", "from", "ids", "names", "queries", "k", "by", "json", "o"},
		flags: slices.Concat([]cli.Flag{
			ofInput.file(&o.embedding, "embedding", "`FILE` of vectors (default: standard input)"),
			ofInput.file(&o.graph, "graph", "find nodes with like neighbours in the graph of `FILE`"),
			ofInput.text(&o.from, "from", "`FORMAT` of the vectors: "+formatNames(holdsVectors)+", or of -graph; by the name of the file if not given"),
			o.idsFlag(), o.namesFlag(),
			o.headerFlag(),
			ofAnswer.file(&o.queries, "queries", "find the rows nearest to each row of the vectors in `FILE`"),
			ofAnswer.usually(&o.k, "k", 10, "at most so many `NODES` for each ID"),
			by,
		}, o.result.flags()),
		run: o.run,
	})
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

func (o *similarOptions) run(ctx context.Context, s *session) error {
	var by near.Similarity
	if err := by.UnmarshalText([]byte(o.by)); err != nil {
		return usagef("-by %s: want cosine or dot", o.by)
	}
	if err := s.atLeast1("k", o.k); err != nil {
		return err
	}
	switch {
	case len(s.args) == 0 && o.queries == "":
		return usagef("nearest to what? name an ID, or -queries FILE")
	case len(s.args) > 0 && o.queries != "":
		return usagef("either IDs or -queries")
	case o.graph != "" && s.set("embedding", "queries", "by"):
		return usagef("-embedding, -queries and -by are of vectors, and -graph compares neighbours")
	}
	out, err := o.result.output(s, nil)
	if err != nil {
		return err
	}
	d, y, err := o.data(ctx, s)
	if err != nil {
		return err
	}
	similar, err := task.NewSimilar(ctx, d, y, by, s.progress.show)
	if err != nil {
		return err
	}
	ids, queries, matches, err := o.find(ctx, s, d, similar)
	if err != nil {
		return err
	}
	s.progress.clear()
	columns, labels := []string{"id", "node", "similarity", "degree", "class"}, task.Known(d.Dataset, len(ids))
	if d.Graph == nil {
		columns = columns[:3]
	} else if slices.Max(labels) < 0 {
		columns = columns[:4]
	}
	ids, queries = d.Called(ids), d.Called(queries)
	result := make([]neighbours, len(queries))
	var lines [][]string
	for q, found := range matches {
		result[q] = neighbours{queries[q], make([]neighbour, len(found))}
		for j, m := range found {
			v := neighbour{ID: ids[m.Row], Similarity: m.Score}
			if d.Graph != nil {
				edges, _ := d.Graph.Neighbors(m.Row)
				v.Degree, v.Class = len(edges), d.Class(labels[m.Row])
			}
			line := []string{queries[q], v.ID, short(v.Similarity), strconv.Itoa(v.Degree), v.Class}
			result[q].Similar[j], lines = v, append(lines, line[:len(columns)])
		}
	}
	return o.result.write(ctx, out, result, columns, slices.Values(lines))
}

// data are the nodes of -graph, or else of vectors.
func (o *similarOptions) data(ctx context.Context, s *session) (*task.Data, mat.Matrix, error) {
	if o.graph != "" {
		d, err := s.readAt(ctx, o.graph)
		return d, nil, err
	}
	from, err := s.source(o.embedding)
	if err == nil {
		err = s.beside()
	}
	if err != nil {
		return nil, nil, err
	}
	d, y, err := s.files.Embedding(ctx, from)
	return d, y, s.told(err)
}

// find finds the nodes that are similar to some, or the nearest to other vectors.
func (o *similarOptions) find(ctx context.Context, s *session, d *task.Data, similar *task.Similar) (ids, queries []string, found [][]near.Match, err error) {
	ids = task.Names(d.IDs, similar.Nodes())
	if o.queries == "" {
		rows, err := namedRows(s.args, ids, s.warn)
		s.progress.show("compare neighbours", 0, 0)
		if err == nil {
			found, err = similar.Rows(ctx, rows, o.k)
		}
		return ids, picked(ids, rows), found, err
	}
	from, err := s.source(o.queries)
	if err != nil {
		return nil, nil, nil, err
	}
	s.files = task.Files{Options: s.files.Options}
	q, y, err := s.files.Embedding(ctx, from)
	if err = s.told(err); err != nil {
		return nil, nil, nil, err
	}
	if found, err = similar.Index().Vectors(ctx, y, min(o.k, len(ids))); err == nil {
		s.warn(fmt.Errorf("%s, %s: files of vectors do not name their model, and those of two models are not alike", nameOf(o.embedding), nameOf(o.queries)))
	}
	return ids, task.Names(q.IDs, len(found)), found, err
}
