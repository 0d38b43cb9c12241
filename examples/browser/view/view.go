// Package view answers what the page asks: it reads a graph, embeds it, places the nodes on a map,
// finds the nodes nearest to one, predicts classes and clusters. It does not depend on a browser.
package view

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"coles"
	"coles/dataset"
	"coles/dataset/parse"
	"coles/internal/setting"
	"coles/near"
	"coles/plane"
	"coles/task"

	"gonum.org/v1/gonum/mat"
)

const (
	mostEdges = 3000    // that a map draws: more are a grey cloud
	mostTSNE  = 1500    // nodes that t-SNE places; it takes seconds in a browser, n² of them
	mostBytes = 2 << 30 // memory of a fit: a page has 4 GB, and this computes alone in it
	nearest   = 10      // rows of the table
)

// A Request names a sample or files to embed, or wants the first lines of a file, or asks about the last graph. If all are
// missing, it asks for the nodes nearest to a node.
type Request struct {
	Sample   string          // karate or communities
	Files    map[string]File // "edges" (or an archive), "features" and "labels"
	Options  parse.Options   // of how the files are read
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
		Warning string         `json:"warning"` // in words
		Advice  []parse.Advice `json:"advice"`  // what says otherwise
	}
	// A Failure is an error.
	Failure struct {
		Error  string         `json:"error"`  // its text
		Advice []parse.Advice `json:"advice"` // what may help
	}
)

// A View is the last graph that was embedded.
type View struct {
	data    *task.Data
	graph   Graph
	rows    mat.Matrix // the embedding
	similar *task.Similar
}

// Answer sends the page the answer to a request. A graph comes as stages, a [Graph] and one or two maps; a preview as lines;
// another node as its table. Vectors come as a [Download], predictions and clusters as [Groups]. A [Failure] comes last if
// something is wrong. A file that cannot be embedded leaves the graph before it.
func (v *View) Answer(ctx context.Context, r Request, send func(message any)) {
	if err := v.answer(ctx, r, send); err != nil {
		n := task.NoteOf(err)
		send(Failure{n.Text, n.Advice})
	}
}

func (v *View) answer(ctx context.Context, r Request, send func(message any)) error {
	switch {
	case r.Preview != nil:
		send(Preview{r.Preview.firstLines(ctx)})
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
	f, err := fit(ctx, d, task.Fitting{}, send)
	if err != nil {
		return err
	}
	for _, note := range f.Notes {
		send(Warning{note.Text, note.Advice})
	}
	if said := f.Notice(); said != "" {
		send(Warning{said, nil})
	}
	unit, err := plane.UnitRows(ctx, f.Rows) // only directions are compared
	if err != nil {
		return err
	}
	similar, err := task.NewSimilar(ctx, d, f.Rows, near.Cosine, nil)
	if err != nil {
		return err
	}
	*v = View{d, Graph{Graph: describe(d), IDs: d.Graph.IDs(), Classes: d.Classes, First: plane.Important(d.Graph.Degrees(), nil, nil)}, f.Rows, similar}
	if d.Labels != nil {
		v.graph.Labels = task.Known(d.Dataset, v.nodes())
	}
	if d.Graph.Report().Edges <= mostEdges {
		for e := range d.Graph.Edges() {
			v.graph.Edges = append(v.graph.Edges, e.U, e.V)
		}
	}
	send(v.graph)

	// The components are there at once. t-SNE draws a better map, where it does not take too long.
	final := v.nodes() > mostTSNE || v.nodes() < 4
	if err := place(ctx, unit, true, Map{Method: "principal components", Final: final}, start, send); err != nil || final {
		return err
	}
	send(Stage{Stage: "t-SNE", Total: 1})
	return place(ctx, unit, false, Map{Method: "t-SNE", Final: true}, start, send)
}

func (v *View) nodes() int { return len(v.graph.IDs) }

// ofLast answers a request about the last graph.
func (v *View) ofLast(ctx context.Context, r Request, send func(message any)) error {
	switch {
	case v.data == nil:
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

// near sends the nodes most similar to one.
func (v *View) near(ctx context.Context, node int, send func(message any)) error {
	found, err := v.similar.Rows(ctx, []int{node}, nearest)
	if err != nil {
		return err
	}
	send(Table{append([]near.Match{}, found[0]...), node})
	return nil
}

// fit fits a graph, if the memory suffices.
func fit(ctx context.Context, d *task.Data, how task.Fitting, send func(message any)) (*task.Fitted, error) {
	size, err := how.For.Settings(d.Graph.Nodes(), d.Columns()).Estimate(d.Graph, d.Features)
	if err != nil {
		return nil, err
	}
	if size > mostBytes {
		return nil, fmt.Errorf("%w: the fit takes %d MB, a page has %d MB for it", coles.ErrTooLarge, size>>20, mostBytes>>20)
	}
	how.Progress = func(stage string, done, total int) { send(Stage{stage, done, total}) }
	return d.Fit(ctx, how)
}

// place sends a map by principal components or by t-SNE.
func place(ctx context.Context, unit mat.Matrix, components bool, m Map, start time.Time, send func(message any)) error {
	places, err := plane.Places(ctx, unit, components, 1, nil)
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

func describe(d *task.Data) string {
	features := "no features"
	if d.Features != nil {
		features = setting.Count(d.Columns(), "features")
	}
	return fmt.Sprintf("%s, %s, %s", setting.Count(d.Graph.Nodes(), "nodes"), setting.Count(d.Graph.Report().Edges, "edges"), features)
}
