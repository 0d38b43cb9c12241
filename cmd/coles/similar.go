package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"coles/near"
	"coles/task"

	"github.com/urfave/cli/v3"
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
		flags: slices.Concat([]cli.Flag{
			ofInput.file(&o.embedding, "embedding", "`FILE` of vectors (default: standard input)"),
			ofInput.file(&o.graph, "graph", "find nodes with like neighbours in the graph of `FILE`"),
			ofInput.text(&o.from, "from", "`FORMAT` of the vectors: "+formatNames(holdsVectors)+", or of -graph; by the name of the file if not given"),
			o.idsFlag(),
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

// found is what is similar to some nodes.
type found struct {
	ids     []string
	matches [][]near.Match
	columns []string
	as      func(near.Match) neighbour
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
	}
	out, err := o.result.output(s, nil)
	if err != nil {
		return err
	}
	var f *found
	if o.graph != "" {
		f, err = o.alike(ctx, s)
	} else {
		f, err = o.nearest(ctx, s, by)
	}
	if err != nil {
		return err
	}
	s.progress.clear()
	result := make([]neighbours, len(f.ids))
	var lines [][]string
	for i, matches := range f.matches {
		result[i] = neighbours{f.ids[i], make([]neighbour, len(matches))}
		for j, m := range matches {
			v := f.as(m)
			line := []string{f.ids[i], v.ID, short(v.Similarity), strconv.Itoa(v.Degree), v.Class}
			result[i].Similar[j], lines = v, append(lines, line[:len(f.columns)])
		}
	}
	return o.result.write(ctx, out, result, f.columns, slices.Values(lines))
}

// nearest finds the nodes of like vectors.
func (o *similarOptions) nearest(ctx context.Context, s *session, by near.Similarity) (*found, error) {
	d, err := s.readEmbeddingFile(ctx, o.from, o.embedding)
	if err != nil {
		return nil, err
	}
	n, _ := d.Features.Dims()
	names := task.Names(d.IDs, n)
	index, err := near.NewIndex(ctx, d.Features, by)
	if err != nil {
		return nil, err
	}
	index.Progress = s.progress.show
	f := &found{columns: []string{"id", "node", "similarity"}, as: func(m near.Match) neighbour { return neighbour{ID: names[m.Row], Similarity: m.Score} }}
	if o.queries != "" {
		q, err := s.readEmbeddingFile(ctx, "", o.queries)
		if err != nil {
			return nil, err
		}
		f.matches, err = index.Vectors(ctx, q.Features, min(o.k, n))
		if err == nil {
			f.ids = task.Names(q.IDs, len(f.matches))
			s.warn(fmt.Errorf("%s, %s: files of vectors do not name their model, and those of two models are not alike", nameOf(o.embedding), nameOf(o.queries)))
		}
		return f, err
	}
	rows, err := namedRows(s.args, names, s.warn)
	if err != nil {
		return nil, err
	}
	f.ids, f.matches = picked(names, rows), make([][]near.Match, len(rows))
	if k := min(o.k, n-1); k > 0 {
		f.matches, err = index.Rows(ctx, rows, k)
	}
	return f, err
}

// alike finds the nodes of -graph with like neighbours.
func (o *similarOptions) alike(ctx context.Context, s *session) (*found, error) {
	for _, name := range []string{"embedding", "queries", "by"} {
		if s.set(name) {
			return nil, usagef("-%s is of vectors, and -graph compares neighbours", name)
		}
	}
	d, err := s.readGraph(ctx, o.graph)
	if err != nil {
		return nil, err
	}
	if err := s.withGraph(d, o.graph); err != nil {
		return nil, err
	}
	names := d.Graph.IDs()
	rows, err := namedRows(s.args, names, s.warn)
	if err != nil {
		return nil, err
	}
	labels := task.Known(d.Dataset, len(names))
	f := &found{ids: picked(names, rows), matches: make([][]near.Match, len(rows)), columns: []string{"id", "node", "similarity", "degree", "class"}}
	if slices.Max(labels) < 0 {
		f.columns = f.columns[:4]
	}
	f.as = func(m near.Match) neighbour {
		edges, _ := d.Graph.Neighbors(m.Row)
		v := neighbour{ID: names[m.Row], Similarity: m.Score, Degree: len(edges)}
		if l := labels[m.Row]; l >= 0 {
			v.Class = strconv.Itoa(l)
			if d.Classes != nil {
				v.Class = d.Classes[l]
			}
		}
		return v
	}
	s.progress.show("compare neighbours", 0, 0)
	if k := min(o.k, len(names)-1); k > 0 {
		f.matches, err = near.Alike(ctx, d.Graph, rows, k)
	}
	return f, err
}
