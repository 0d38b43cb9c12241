// Package view answers what the page asks: it reads a graph, embeds it, places the nodes on a map,
// finds the nodes nearest to one, predicts classes and clusters. It does not depend on a browser.
package view

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"coles"
	"coles/dataset"
	"coles/internal/examples/cli"
	"coles/live"
	"coles/near"
	"coles/plane"

	"gonum.org/v1/gonum/mat"
)

const (
	mostEdges = 3000    // that a map draws: more are a grey cloud
	mostTSNE  = 1500    // nodes that t-SNE places; it takes seconds in a browser, n² of them
	mostBytes = 2 << 30 // memory of a fit: a page has 4 GB, and this computes alone in it
	nearest   = 10      // rows of the table
)

// A Request names a sample or files to embed, or wants the first lines of a file, or asks about the last
// graph: if all are missing, for the nodes nearest to a node.
type Request struct {
	Sample   string          // karate or communities
	Files    map[string]File // "edges" (or an archive), "features" and "labels"
	Options  Options         // of how the files are read
	Preview  *File           // of which the first lines are wanted
	Want     string          // vectors, predictions or clusters
	Clusters int             // how many, 0 for as many as have the largest silhouette
	Node     int             // row
}

// Messages to the page, which recognises each by its first member.
type (
	// A Stage reports the progress of a computation.
	Stage struct {
		Stage string `json:"stage"` // by the name that the fit gives it
		Done  int    `json:"done"`  // steps of the stage
		Total int    `json:"total"` // steps of the stage, done or not
	}
	// A Graph describes the nodes. Labels and Classes may be nil.
	Graph struct {
		Graph   string   `json:"graph"` // its sizes, in words
		IDs     []string `json:"ids"`
		Labels  []int    `json:"labels"`  // −1 where a node has none
		Classes []string `json:"classes"` // names of the labels
		Edges   []int    `json:"edges"`   // the two ends of each, in turn, where they are few
		First   []int    `json:"first"`   // the nodes by their degrees, largest first
	}
	// A Preview is the first lines of a file, by their fields.
	Preview struct {
		Preview [][]string `json:"preview"` // nil for a file that is no text
	}
	// A Map is a place for each node.
	Map struct {
		Map     [][2]float64 `json:"map"`     // a place for each node
		Method  string       `json:"method"`  // in words
		Final   bool         `json:"final"`   // no better one follows
		Seconds float64      `json:"seconds"` // since the request
	}
	// A Table is the nodes nearest to one by cosine, best first.
	Table struct {
		Table []near.Match `json:"table"` // neighbours by row
		Node  int          `json:"node"`  // whose neighbours
	}
	// Groups are classes or clusters that replace the labels.
	Groups struct {
		Groups []int    `json:"groups"` // for each node
		Names  []string `json:"names"`  // nil for numbers
		Noun   string   `json:"noun"`   // of a group without a name
		Note   string   `json:"note"`   // how they were found, in words
		CSV    Download `json:"csv"`
	}
	// A Download is a file in CSV.
	Download struct {
		File string `json:"file"` // its name
		Text string `json:"text"` // what is in it
	}
	// A Warning is a line about files that may be misread.
	Warning struct {
		Warning string   `json:"warning"` // in words
		Advice  []Advice `json:"advice"`  // what says otherwise
	}
	// A Failure is an error.
	Failure struct {
		Error  string   `json:"error"`  // its text
		Advice []Advice `json:"advice"` // what may help
	}
)

// A View is the last graph that was embedded.
type View struct {
	graph      Graph
	edges      *coles.Graph
	labels     *dataset.Dataset // has them
	bare       bool             // without features
	rows, unit mat.Matrix       // the embedding, and its rows at unit length
	index      *near.Index
	nodes      int
}

// Answer sends the page what it asked for: a graph comes as stages, a [Graph]
// and one or two maps, a preview as its lines, another node as its table, vectors as a [Download], predictions and
// clusters as [Groups]. A [Failure] comes last where something is wrong. A file that cannot be
// embedded leaves the graph before it.
func (v *View) Answer(ctx context.Context, r Request, send func(message any)) {
	if err := v.answer(ctx, r, send); err != nil {
		text, advice := words(err)
		send(Failure{text, advice})
	}
}

func (v *View) answer(ctx context.Context, r Request, send func(message any)) error {
	switch {
	case r.Preview != nil:
		send(Preview{r.Preview.firstLines()})
		return nil
	case r.Sample == "" && r.Files == nil:
		return v.ofLast(ctx, r, send)
	}
	start := time.Now()
	send(Stage{Stage: "read", Total: 1})
	d, err := read(ctx, r, send)
	if err != nil {
		return err
	}
	g, rows, err := embed(ctx, d, send)
	if err != nil {
		return err
	}
	y, err := cli.Prepared(ctx, coles.PrepareRowL2, rows) // only directions are compared
	if err != nil {
		return err
	}
	index, err := near.NewIndex(ctx, y, near.Cosine)
	if err != nil {
		return err
	}
	*v = View{Graph{Graph: describe(g, d), IDs: g.IDs(), Labels: known(d), Classes: d.Classes, First: byDegree(g)}, g, &dataset.Dataset{Labels: d.Labels, Unlabeled: d.Unlabeled, Classes: d.Classes}, d.Features == nil, rows, y, index, g.Nodes()}
	if g.Report().Edges <= mostEdges {
		for e := range g.Edges() {
			v.graph.Edges = append(v.graph.Edges, e.U, e.V)
		}
	}
	send(v.graph)

	// The components are there at once. t-SNE draws a better map, where it does not take too long.
	final := v.nodes > mostTSNE || v.nodes < 4
	if err := place(ctx, y, components, Map{Method: "principal components", Final: final}, start, send); err != nil || final {
		return err
	}
	send(Stage{Stage: "t-SNE", Total: 1})
	return place(ctx, y, func(ctx context.Context, y mat.Matrix) (*mat.Dense, error) { return plane.TSNE{Seed: 1}.Places(ctx, y) },
		Map{Method: "t-SNE", Final: true}, start, send)
}

// ofLast answers a request about the last graph.
func (v *View) ofLast(ctx context.Context, r Request, send func(message any)) error {
	switch {
	case v.index == nil:
		return errors.New("no graph is embedded yet")
	case r.Want == "vectors":
		var text strings.Builder
		err := dataset.WriteCSV(&text, v.graph.IDs, v.rows)
		if err == nil {
			send(Download{"vectors.csv", text.String()})
		}
		return err
	case r.Want == "predictions":
		return v.predict(ctx, send)
	case r.Want == "clusters":
		return v.cluster(ctx, r.Clusters, send)
	}
	return v.near(ctx, r.Node, send)
}

// near sends the nodes nearest to one.
func (v *View) near(ctx context.Context, node int, send func(message any)) error {
	table := Table{Table: []near.Match{}, Node: node}
	if v.nodes > 1 {
		var found [][]near.Match
		var err error
		if v.bare {
			found, err = near.Alike(ctx, v.edges, []int{node}, min(nearest, v.nodes-1))
		} else {
			found, err = v.index.Rows(ctx, []int{node}, min(nearest, v.nodes-1))
		}
		if err != nil {
			return err
		}
		table.Table = append(table.Table, found[0]...)
	}
	send(table)
	return nil
}

// embed fits a graph, if the memory suffices.
func embed(ctx context.Context, d *dataset.Dataset, send func(message any)) (*coles.Graph, mat.Matrix, error) {
	g, err := d.Graph()
	if err != nil {
		return nil, nil, err
	}
	size, err := coles.DefaultSettings().Estimate(g, d.Features)
	if err != nil {
		return nil, nil, err
	}
	if size > mostBytes {
		return nil, nil, fmt.Errorf("%w: the fit takes %d MB, a page has %d MB for it", coles.ErrTooLarge, size>>20, mostBytes>>20)
	}
	opts := []coles.Option{coles.WithProgress(func(stage string, done, total int) { send(Stage{stage, done, total}) })}
	if d.Undirected != nil { // of rows
		share, err := live.RowShare(ctx, d.Features)
		if err != nil {
			return nil, nil, err
		}
		opts = append(opts, coles.With(func(s *coles.Settings) { s.Kind, s.Structure = coles.UseGraph, share }))
	}
	m, err := coles.Fit(ctx, g, d.Features, opts...)
	if err != nil {
		return nil, nil, err
	}
	if said := m.Report().Notice(); said != "" {
		send(Warning{said, []Advice{}})
	}
	return g, m.Embedding(), nil
}

// components are the first two principal components, the second zero where there is one column.
func components(ctx context.Context, y mat.Matrix) (*mat.Dense, error) {
	n, columns := y.Dims()
	pca, err := plane.PCA(ctx, y, min(2, columns))
	if err != nil {
		return nil, err
	}
	places := mat.NewDense(n, 2, nil)
	places.Copy(pca)
	return places, nil
}

// place sends a map that a method makes.
func place(ctx context.Context, y mat.Matrix, method func(context.Context, mat.Matrix) (*mat.Dense, error), m Map, start time.Time, send func(message any)) error {
	places, err := method(ctx, y)
	if err != nil {
		return err
	}
	n, _ := places.Dims()
	m.Map = make([][2]float64, n)
	for i := range m.Map {
		m.Map[i] = [2]float64(places.RawRowView(i))
	}
	m.Seconds = time.Since(start).Seconds()
	send(m)
	return nil
}

// known is the labels, −1 where a node has none.
func known(d *dataset.Dataset) []int {
	labels := append([]int(nil), d.Labels...)
	for _, i := range d.Unlabeled {
		labels[i] = -1
	}
	return labels
}

// byDegree are the nodes, those of the largest degree first.
func byDegree(g *coles.Graph) []int {
	degrees, order := g.Degrees(), make([]int, g.Nodes())
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(degrees[j], degrees[i]) })
	return order
}

func describe(g *coles.Graph, d *dataset.Dataset) string {
	features := "no features"
	if d.Features != nil {
		_, columns := d.Features.Dims()
		features = fmt.Sprintf("%d features", columns)
	}
	return fmt.Sprintf("%d nodes, %d edges, %s", g.Nodes(), g.Report().Edges, features)
}
