package gnn

import (
	"context"
	"fmt"
	"io"
	"slices"

	"coles"
	"coles/internal/kernel"
	"coles/internal/parallel"

	"gonum.org/v1/gonum/mat"
)

// A Classifier is a network trained on labels. It is immutable and safe for use by
// many goroutines.
type Classifier struct {
	model   Model
	classes []int // the label of each output, ascending
}

// targets are the nodes that a classifier is trained on, and their outputs.
type targets struct{ rows, classes []int }

// TrainClassifier trains a network on the labels of some nodes (semi-supervised):
// the loss is the mean of −log softmax(h_i)[y_i] over the rows of train. It stops once 20
// epochs have brought no lower loss on the rows of val, which are used for nothing
// else, and goes back to the best. (By accuracy, which moves in steps, it would stop
// too early where val is small.) labels has an entry for each node, of which only those
// of train and val are read. The result depends on the input and the settings only.
//
// [ClassifierSettings] is what it does unless options say otherwise. It takes no other
// objective, no batches, augmentation or checkpoints, and no other validation.
//
// Errors: those of [Train], and [ErrLabels].
func TrainClassifier(ctx context.Context, g *coles.Graph, x mat.Matrix, labels, train, val []int, opts ...Option) (*Classifier, error) {
	if err := checkContext(ctx); err != nil {
		return nil, err
	}
	c, err := newConfig(ClassifierSettings(), opts)
	if err != nil {
		return nil, err
	}
	classes, err := checkLabels(g.Nodes(), labels, train, val)
	if err != nil {
		return nil, err
	}
	if err := c.suitsClassifier(len(classes)); err != nil {
		return nil, err
	}
	if c.Precision == coles.Float64 {
		return classifyIn[float64](ctx, c, g, x, classes, labels, train, val)
	}
	c.Precision = coles.Float32
	return classifyIn[float32](ctx, c, g, x, classes, labels, train, val)
}

// suitsClassifier refuses what a classifier does not do.
func (c config) suitsClassifier(classes int) error {
	bad := func(what string) error { return fmt.Errorf("gnn: classifier: %w: %s", coles.ErrSetting, what) }
	switch width := c.Network.width(); {
	case c.Objective.kind != classObjective:
		return bad("an objective without labels")
	case c.BatchSize > 0:
		return bad("batches")
	case !c.Augmentation.none():
		return bad("augmentation")
	case c.checkpoint.save != nil:
		return bad("checkpoints")
	case c.validation.score != nil:
		return bad("another validation than by the rows of val")
	case width != AutoWidth && width != classes:
		return bad(fmt.Sprintf("%d outputs for %d classes", width, classes))
	}
	return nil
}

func classifyIn[T kernel.Float](ctx context.Context, c config, g *coles.Graph, x mat.Matrix, classes, labels, rows, val []int) (*Classifier, error) {
	ctx, dismiss := parallel.Crew(ctx)
	defer dismiss()
	r, err := newRun[T](ctx, c, g, x, len(classes))
	if err != nil {
		return nil, err
	}
	r.targets = targetsOf(classes, labels, rows)
	check := targetsOf(classes, labels, val)
	r.judge = &judge[T]{1, patience, func(_ context.Context, h kernel.Matrix[T]) (float64, error) {
		return -r.tape.SoftmaxCrossEntropy(r.tape.Constant(h), check.rows, check.classes).Scalar(), r.tape.Err()
	}}
	if err := r.train(ctx); err != nil {
		return nil, err
	}
	m, err := r.model(ctx)
	if err != nil {
		return nil, err
	}
	return &Classifier{*m, classes}, nil
}

// patience is after how many epochs without a lower loss a classifier's training ends.
const patience = 20

// checkLabels returns the labels of the rows of train, ascending.
func checkLabels(n int, labels, train, val []int) ([]int, error) {
	if len(labels) != n {
		return nil, fmt.Errorf("gnn: %w: %d labels for %d nodes", ErrLabels, len(labels), n)
	}
	if len(train) == 0 || len(val) == 0 {
		return nil, fmt.Errorf("gnn: %w: %d rows to train on and %d to stop by", ErrLabels, len(train), len(val))
	}
	for _, rows := range [][]int{train, val} {
		for _, i := range rows {
			if i < 0 || i >= n {
				return nil, fmt.Errorf("gnn: %w: row %d of %d", ErrLabels, i, n)
			}
		}
	}
	var classes []int
	for _, i := range train {
		classes = append(classes, labels[i])
	}
	slices.Sort(classes)
	classes = slices.Compact(classes)
	if len(classes) < 2 {
		return nil, fmt.Errorf("gnn: %w: a single class to train on", ErrLabels)
	}
	for _, i := range val {
		if !slices.Contains(classes, labels[i]) {
			return nil, fmt.Errorf("gnn: %w: row %d has label %d, which no row to train on has", ErrLabels, i, labels[i])
		}
	}
	return classes, nil
}

func targetsOf(classes, labels, rows []int) *targets {
	t := &targets{rows: slices.Clone(rows)} // a callback may use its own again
	for _, i := range rows {
		c, _ := slices.BinarySearch(classes, labels[i])
		t.classes = append(t.classes, c)
	}
	return t
}

// argmax is the place of the first of the largest entries.
func argmax[T kernel.Float](row []T) int {
	top := 0
	for j, v := range row {
		if v > row[top] {
			top = j
		}
	}
	return top
}

// Predict returns the label of every node of a graph, be it the one trained on or
// another with the same features.
//
// Errors: as [Model.Embed].
func (c *Classifier) Predict(ctx context.Context, g *coles.Graph, x mat.Matrix) ([]int, error) {
	h, err := c.Scores(ctx, g, x)
	if err != nil {
		return nil, err
	}
	labels := make([]int, g.Nodes())
	for i := range labels {
		labels[i] = c.classes[argmax(h.RawRowView(i))]
	}
	return labels, nil
}

// Scores returns the output of the network for every node (n×classes), before the
// softmax; column j is the label Classes()[j].
//
// Errors: as [Model.Embed].
func (c *Classifier) Scores(ctx context.Context, g *coles.Graph, x mat.Matrix) (*mat.Dense, error) {
	h, err := c.network().output(ctx, g, x)
	if err != nil {
		return nil, err
	}
	return denseOf(h), nil
}

// Classes returns the labels that it tells apart, ascending.
func (c *Classifier) Classes() []int {
	if c == nil {
		return nil
	}
	return slices.Clone(c.classes)
}

// network is the model that scores; nil for a nil Classifier.
func (c *Classifier) network() *Model {
	if c == nil {
		return nil
	}
	return &c.model
}

// Report tells what the training did.
func (c *Classifier) Report() Report { return c.network().Report() }

// Settings returns the settings of the training, widths and precision resolved.
func (c *Classifier) Settings() Settings { return c.network().Settings() }

// WriteTo writes the classifier in the format of models. Errors are those of [Model.WriteTo].
func (c *Classifier) WriteTo(w io.Writer) (int64, error) { return c.network().write(w, c.Classes()) }

// ReadClassifier reads what [Classifier.WriteTo] wrote; it is as careful as [ReadModel],
// and has its errors.
func ReadClassifier(r io.Reader) (*Classifier, error) {
	m, classes, err := readModel(r)
	if err == nil && (len(classes) != m.settings.Network.width() || !slices.IsSorted(classes)) {
		err = fmt.Errorf("%w: %d classes of a network with %d outputs", coles.ErrFormat, len(classes), m.settings.Network.width())
	}
	if err != nil {
		return nil, fmt.Errorf("gnn: read classifier: %w", err)
	}
	return &Classifier{*m, classes}, nil
}
