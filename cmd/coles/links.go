package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"coles"
	"coles/dataset/parse"
	"coles/link"
	"coles/near"
	"coles/task"

	"github.com/urfave/cli/v3"
	"gonum.org/v1/gonum/mat"
)

// linksOptions are the options of the command.
type linksOptions struct {
	vectorOptions
	result           resultOptions
	nodes            []string
	k                int
	by, among, pairs string
	relation         string // a kind of edges
	why              bool
}

func linksCommand(s streams) *cli.Command {
	o := &linksOptions{}
	by := ofAnswer.text(&o.by, "by", "`SCORES`: walks, or cosine for those of vectors alone")
	by.Value = "walks"
	c := command(s, spec{
		input: &o.inputOptions, name: "links", usage: "links that a graph may lack, best first", args: "[GRAPH]", settings: true,
		first: []string{"features", "bipartite", "directed", "node", "k", "among", "pairs", "why", "json", "o"},
		flags: slices.Concat([]cli.Flag{
			&cli.StringSliceFlag{Name: "node", Category: string(ofAnswer), Usage: "recommend links for the node `ID`; may be given again (default: for all)", Destination: &o.nodes},
			ofAnswer.usually(&o.k, "k", 10, "at most so many `LINKS` for each node"),
			by, o.namesFlag(),
			ofAnswer.file(&o.among, "among", "recommend none but the nodes of `FILE`, an id a line"),
			ofAnswer.text(&o.relation, "relation", "recommend links of one `KIND` of edges, of those that -type tells, by walks along them and vectors by all; -by cosine leaves out the walks"),
			ofAnswer.yes(&o.why, "why", "name neighbours that both have, those of fewest edges first"),
			ofAnswer.file(&o.pairs, "pairs", "no recommendations, but the scores of the pairs of `FILE`, an edge list of nodes and what is to be recommended to them"),
		}, o.result.flags(), o.vectorOptions.flags()),
		run: o.run,
	})
	c.DisableSliceFlagSeparator = true // an id may hold a comma
	return c
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

func (o *linksOptions) run(ctx context.Context, s *session) error {
	if err := o.checkLinks(s); err != nil {
		return err
	}
	out, err := o.output(s, &o.result)
	if err != nil {
		return err
	}
	result := &recommendations{Links: []recommendation{}}
	add := o.addLearned
	if o.byCosine() {
		add = o.addSimilar
	}
	d, err := add(ctx, s, result)
	if err != nil {
		return err
	}
	s.progress.clear()
	columns := []string{"id", "node", "score"}
	if o.why {
		columns = append(columns, "why")
		result.explain(d.Graph)
	}
	for k := range result.Links {
		l := &result.Links[k]
		ends := d.Called([]string{l.ID, l.Node})
		l.ID, l.Node, l.Common = ends[0], ends[1], d.Called(l.Common)
	}
	return o.result.write(ctx, out, result, columns, func(yield func([]string) bool) {
		for _, l := range result.Links {
			line := []string{l.ID, l.Node, short(l.Score), strings.Join(l.Common, ", ")}
			if !yield(line[:len(columns)]) {
				return
			}
		}
	})
}

// byCosine reports whether vectors recommend that were made of all edges, or given.
func (o *linksOptions) byCosine() bool {
	return o.by == "cosine" && o.relation == "" || o.embedding != ""
}

// checkLinks refuses options that contradict one another.
func (o *linksOptions) checkLinks(s *session) error {
	if err := s.atLeast1("k", o.k); err != nil {
		return err
	}
	switch {
	case o.by != "cosine" && o.by != "walks":
		return usagef("-by %s: want walks or cosine", o.by)
	case o.embedding != "" && len(s.args) == 0:
		return usagef("which links are there already? name GRAPH, too")
	case o.embedding != "" && s.set("by") && o.by != "cosine":
		return usagef("-by walks makes vectors of its own, without the edges that it hides: -embedding goes with cosines")
	case o.directed && (o.byCosine() || o.opts.Bipartite):
		return usagef("-directed is for walks among nodes of one kind: cosines have no direction, and -bipartite says it")
	case o.relation != "" && (o.embedding != "" || o.directed):
		return usagef("-relation makes vectors of its own, and its edges have no direction: it goes without -embedding and -directed")
	case o.pairs != "" && (o.byCosine() || s.set("node", "among", "k")):
		return usagef("-pairs asks for scores by walks: -by cosine, -embedding, -node, -among and -k say nothing of them")
	}
	return nil
}

// explain names neighbours that both ends of a link have.
func (r *recommendations) explain(g *coles.Graph) {
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
func (o *linksOptions) addSimilar(ctx context.Context, s *session, to *recommendations) (*task.Data, error) {
	v, err := o.read(ctx, s, task.ForLinks, nil)
	if err != nil {
		return nil, err
	}
	asked, may, err := o.asked(ctx, s, v.Graph)
	if err != nil {
		return nil, err
	}
	s.progress.show("links", 0, 0)
	index, err := near.NewIndex(ctx, v.Rows, near.Cosine)
	if err != nil {
		return nil, err
	}
	index.Progress = s.progress.show
	found, err := index.RecommendLinks(ctx, v.Graph, asked, o.k, may)
	to.add(v.Graph.IDs(), asked, found)
	return v.Data, err
}

// addLearned adds what a recommender finds that learns from the graph itself.
func (o *linksOptions) addLearned(ctx context.Context, s *session, to *recommendations) (*task.Data, error) {
	by, err := o.fit.how(ctx, s, o.with, task.ForLinks)
	if err != nil {
		return nil, err
	}
	s.files.AsItIs = o.directed
	d, err := s.read(ctx)
	if err != nil {
		return nil, err
	}
	asked, may, err := o.asked(ctx, s, d.Graph)
	if err != nil {
		return nil, err
	}
	how := task.Linking{Directed: o.directed, Kind: o.relation, ByCosine: o.by == "cosine", Seed: o.fit.seed, Progress: s.progress.show}
	if d.Features != nil || s.files.By != nil || o.relation != "" {
		how.Embed = func(ctx context.Context, g *coles.Graph) (mat.Matrix, error) {
			f, err := s.embed(ctx, d.On(g), by)
			if err != nil {
				return nil, err
			}
			return f.Rows, nil
		}
	} else if err := withoutVectors(s); err != nil {
		return nil, err
	}
	recommender, err := d.Links(ctx, how)
	for _, n := range recommender.Notes {
		s.say("%s%s", n.Text, advice(n.Advice))
	}
	if err != nil {
		return nil, err
	}
	s.say("%v", recommender.Worth)
	to.Worth = &recommender.Worth
	s.progress.show("recommend", 0, 0)
	ids := d.Graph.IDs()
	if o.pairs != "" {
		pairs, err := s.readPairs(ctx, o.pairs, d.Graph)
		if err != nil {
			return nil, err
		}
		scores, err := recommender.Scores(ctx, pairs)
		for q, score := range scores {
			to.Links = append(to.Links, recommendation{ID: ids[pairs[q].U], Node: ids[pairs[q].V], Score: score})
		}
		return d, err
	}
	found, err := recommender.Recommend(ctx, asked, o.k, may)
	to.add(ids, asked, found)
	unknown := 0
	for _, matches := range found {
		if len(matches) > 0 && matches[0].Score == 0 {
			unknown++
		}
	}
	if unknown > 0 {
		s.say("nothing is known of %d of %d nodes: they get the nodes of most edges, with score 0", unknown, len(found))
	}
	return d, err
}

// withoutVectors refuses options for vectors where none are made.
func withoutVectors(s *session) error {
	for _, name := range fittingNames {
		if s.set(name) && name != "seed" {
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

// asked are the nodes to recommend to, nil for all, and what may be recommended to them.
func (o *linksOptions) asked(ctx context.Context, s *session, g *coles.Graph) (nodes []int, may func(node, recommended int) bool, err error) {
	ids := g.IDs()
	if nodes, err = namedRows(o.nodes, ids, s.warn); err != nil || o.among == "" {
		return nodes, nil, err
	}
	names, err := readIDs(ctx, s, o.among)
	if err != nil {
		return nil, nil, err
	}
	rows, err := namedRows(names, ids, nil)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", nameOf(o.among), err)
	}
	among := make([]bool, len(ids))
	for _, v := range rows {
		among[v] = true
	}
	return nodes, func(_, v int) bool { return among[v] }, nil
}

// readPairs reads pairs of the graph's nodes, each once, in the order of the nodes.
func (s *session) readPairs(ctx context.Context, path string, g *coles.Graph) ([]coles.Edge, error) {
	file, err := s.source(path)
	if err != nil {
		return nil, err
	}
	how := parse.Options{Header: s.opts.Header, SkipUnknown: s.opts.SkipUnknown, Unweighted: true, Nodes: g.IDs()}
	d, err := (&task.Files{Graph: file, AsItIs: true, Options: how}).Load(ctx)
	if err != nil {
		return nil, err
	}
	var pairs []coles.Edge
	d.Adjacency.DoNonZero(func(u, v int, _ float64) { pairs = append(pairs, coles.Edge{U: u, V: v}) })
	slices.SortFunc(pairs, func(a, b coles.Edge) int { return (a.U-b.U)*g.Nodes() + a.V - b.V })
	return pairs, nil
}
