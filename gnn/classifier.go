package gnn

import (
	"context"
	"fmt"
	"io"
	"slices"

	"coles"
	"coles/internal/matrix"

	"gonum.org/v1/gonum/mat"
)

// A Classifier is a network trained on labels, safe for many goroutines.
type Classifier struct {
	model   Model
	classes []int // the label of each output, ascending
}

// TrainClassifier trains a network on the labels of some nodes. labels has an entry, 0 or more, for each node; only
// those of train and val are read. The loss is the mean of −log softmax(h_i)[y_i] over the rows of train. It begins
// with [ClassifierSettings]. The rows of val serve to stop: once [Settings].Patience epochs, 20, have brought no
// lower loss on them, the training goes back to the best epoch. The result depends on the input and the settings
// only. The objective has to read labels. There is no augmentation, checkpoint or other validation. With [Linear]
// layers alone it is a multilayer perceptron. [Settings].BatchSize makes steps of that many rows of train, drawn anew
// in every epoch, each with the neighbours that its output depends on. Errors: as [Train]; [coles.ErrShape] for
// labels of another length, no rows or a single class; [coles.ErrIndex] for rows without a node or label, rows in
// both train and val, and classes of val alone.
func TrainClassifier(ctx context.Context, g *coles.Graph, x mat.Matrix, labels, train, val []int, opts ...Option) (*Classifier, error) {
	c, err := newConfig(ClassifierSettings(), opts)
	if err != nil {
		return nil, err
	}
	classes, err := classesOf(g.Nodes(), labels, train, val)
	if err != nil {
		return nil, fmt.Errorf("gnn: classifier: %w", err)
	}
	switch width := c.Network.width(); {
	case c.Augmentation.Some() || c.save != nil || c.score != nil:
		return nil, bad("Augmentation", c.Augmentation, "none, and no checkpoints or validation, for a classifier")
	case width != AutoWidth && width != len(classes):
		return nil, bad("Network", c.Network, "a width of %d, the number of classes", len(classes))
	}
	c.every, c.patience = 1, c.Patience
	if c.Patience == 0 {
		c.patience = c.Epochs
	}
	s := supervision{len(classes), targetsOf(classes, labels, train), targetsOf(classes, labels, val)}
	m, err := fit(ctx, c, g, x, nil, s)
	if err != nil {
		return nil, err
	}
	return &Classifier{*m, classes}, nil
}

// classesOf returns the labels of the rows of train, ascending.
func classesOf(n int, labels, train, val []int) ([]int, error) {
	if len(labels) != n || len(train) == 0 || len(val) == 0 {
		return nil, fmt.Errorf("%w: %d labels for %d nodes, %d rows to train on and %d to stop by", coles.ErrShape, len(labels), n, len(train), len(val))
	}
	trained := make([]bool, n)
	for k, i := range slices.Concat(train, val) {
		switch {
		case i < 0 || i >= n:
			return nil, fmt.Errorf("%w: row %d of %d", coles.ErrIndex, i, n)
		case labels[i] < 0:
			return nil, fmt.Errorf("%w: row %d has no label, but %d", coles.ErrIndex, i, labels[i])
		case k < len(train):
			trained[i] = true
		case trained[i]:
			return nil, fmt.Errorf("%w: row %d is to train on, and to stop by", coles.ErrIndex, i)
		}
	}
	var classes []int
	for _, i := range train {
		classes = append(classes, labels[i])
	}
	slices.Sort(classes)
	classes = slices.Compact(classes)
	if len(classes) < 2 {
		return nil, fmt.Errorf("%w: a single class to train on", coles.ErrShape)
	}
	for _, i := range val {
		if !slices.Contains(classes, labels[i]) {
			return nil, fmt.Errorf("%w: row %d has label %d, which no row to train on has", coles.ErrIndex, i, labels[i])
		}
	}
	return classes, nil
}

func targetsOf(classes, labels, rows []int) targets {
	t := targets{rows: slices.Clone(rows)} // a callback may use its own again
	for _, i := range rows {
		c, _ := slices.BinarySearch(classes, labels[i])
		t.classes = append(t.classes, c)
	}
	return t
}

// Predict returns the label of every node of a graph with the same features: of equal scores the lowest.
// Errors: as [Model.Embed].
func (c *Classifier) Predict(ctx context.Context, g *coles.Graph, x mat.Matrix) ([]int, error) {
	h, err := c.Scores(ctx, g, x)
	if err != nil {
		return nil, err
	}
	labels := make([]int, g.Nodes())
	for i := range labels {
		row := h.RawRowView(i)
		labels[i] = c.classes[slices.Index(row, slices.Max(row))]
	}
	return labels, nil
}

// Scores returns the output of the network for every node (n × classes), before the softmax; column
// j is the label Classes()[j]. Errors: as [Model.Embed].
func (c *Classifier) Scores(ctx context.Context, g *coles.Graph, x mat.Matrix) (*mat.Dense, error) {
	h, err := c.model.output(ctx, g, x)
	if err != nil {
		return nil, err
	}
	return matrix.ToDense(h), nil
}

// Classes returns the labels that it predicts, ascending.
func (c *Classifier) Classes() []int { return slices.Clone(c.classes) }

// Report describes the training.
func (c *Classifier) Report() Report { return c.model.report }

// Settings are the training's, widths and precision resolved.
func (c *Classifier) Settings() Settings { return c.model.Settings() }

// WriteTo writes the classifier. Errors: as [Model.WriteTo].
func (c *Classifier) WriteTo(w io.Writer) (int64, error) { return c.model.write(w, c.classes) }

// ReadClassifier reads what [Classifier.WriteTo] wrote, as [ReadModel] does.
func ReadClassifier(r io.Reader, layers ...Layer) (*Classifier, error) {
	m, classes, err := readModel(r, layers)
	if err == nil && (len(classes) != m.settings.Network.width() || !slices.IsSorted(classes)) {
		err = fmt.Errorf("%w: %d classes of a network with %d outputs", coles.ErrFormat, len(classes), m.settings.Network.width())
	}
	if err != nil {
		return nil, fmt.Errorf("gnn: read classifier: %w", err)
	}
	return &Classifier{*m, classes}, nil
}
