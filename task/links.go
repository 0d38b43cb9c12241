package task

import (
	"context"

	"coles"
	"coles/dataset/parse"
	"coles/link"

	"gonum.org/v1/gonum/mat"
)

// A Linking says how [Data.Links] learns. The zero value fits its own vectors.
type Linking struct {
	Directed bool // heads of arcs are recommended to tails
	// Embed makes vectors of the nodes under a graph, where there are features. Nil fits them for links: once without
	// the hidden edges, once with all, as a model that has seen what is hidden flatters itself and misleads.
	Embed func(context.Context, *coles.Graph) (mat.Matrix, error)
	// Kind is one of several of the edges, "" for all; ByCosine ranks by the column of vectors alone, as [link.Options] have it.
	Kind     string
	ByCosine bool
	Seed     uint64
	Progress coles.Progress
}

// Links recommends edges.
type Links struct {
	*link.Recommender
	Notes []Note
}

// Links learns to recommend edges from the graph itself, by walks and, where there are features, by their cosines and
// those of vectors for links. Where all edges join two kinds of nodes, so do the links. Links of a kind are learned from its
// edges, and from vectors for links by all kinds. Errors: as [link.Fit] and
// [Data.Fit].
func (d *Data) Links(ctx context.Context, how Linking) (*Links, error) {
	of := &Links{}
	options := link.Options{Sides: d.Sides, Features: d.Features, Embed: how.Embed, Seed: how.Seed, Progress: how.Progress}
	var err error
	if options.Embed == nil && (d.Features != nil || how.Kind != "") {
		options.Embed = func(ctx context.Context, g *coles.Graph) (mat.Matrix, error) {
			f, err := d.On(g).Fit(ctx, Fitting{For: ForLinks})
			if err != nil {
				return nil, err
			}
			return f.Rows, nil
		}
	}
	g := d.Graph
	if how.Kind != "" {
		if g, options.Sides, err = d.ofKind(how.Kind); err != nil {
			return of, err
		}
		embed := options.Embed
		options.OneOfSeveral, options.VectorsAlone = true, how.ByCosine
		options.Embed = func(ctx context.Context, train *coles.Graph) (mat.Matrix, error) {
			return embed(ctx, d.Graph.Without(func(e coles.Edge) bool { return joins(g, e) && !joins(train, e) }))
		}
	}
	if how.Directed {
		d.Adjacency.DoNonZero(func(u, v int, _ float64) { options.Arcs = append(options.Arcs, coles.Edge{U: u, V: v}) })
	} else if d.Sides == nil && how.Kind == "" {
		options.Sides = link.Sides(d.Graph)
	}
	if options.Sides != nil && how.Kind == "" {
		of.Notes = append(of.Notes, Note{"all edges join nodes of two kinds, and so do the links",
			[]parse.Advice{{Field: "By", Value: "cosine", Says: "takes any pair"}}})
	}
	of.Recommender, err = link.Fit(ctx, g, options)
	return of, err
}
