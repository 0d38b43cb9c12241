package task

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"coles"
	"coles/dataset"
	"coles/internal/given"
	"coles/internal/setting"
	"coles/learn"

	"gonum.org/v1/gonum/mat"
)

// A Kind is a kind of labels.
type Kind int

const (
	OneClass Kind = iota
	SeveralClasses
	Number
)

// String is the kind in words.
func (k Kind) String() string {
	return []string{"one class a node", "several classes a node", "numbers"}[k]
}

// A Target holds the labels of all nodes in one of three forms: one class a node, several classes, or a number.
type Target struct {
	learn.Labels
	Names []string // of the classes, nil for numbers and where the classes have none

	features mat.Matrix // of the nodes, nil for none
}

// TargetOf takes the labels of n nodes as classes, numbers or several. For "" it takes sets of classes where
// [dataset.Dataset.LabelSets] finds some, numbers where [dataset.Dataset.LabelNumbers] does, else classes. Errors: a
// [*NumberError] for a label among numbers that is none, or too large.
func TargetOf(d *dataset.Dataset, n int, as string) (Target, error) {
	if !slices.Contains([]string{"", "classes", "numbers", "several"}, as) {
		return Target{}, setting.Bad("LabelsAs", as, "classes, numbers or several")
	}
	t, err := targetOf(d, n, as)
	if t.features = d.Features; width(t.features) == 0 {
		t.features = nil
	}
	return t, err
}

func targetOf(d *dataset.Dataset, n int, as string) (Target, error) {
	classes := Target{Labels: learn.Labels{Classes: Known(d, n)}, Names: d.Classes}
	if as == "classes" || d.Classes == nil {
		return classes, nil
	}
	if sets, names, found := d.LabelSets(); as == "several" || as == "" && found {
		return Target{Labels: learn.Labels{Sets: sets}, Names: names}, nil
	}
	values, odd, found := d.LabelNumbers()
	switch {
	case as == "" && !found:
		return classes, nil
	case odd >= 0:
		return Target{}, &NumberError{d.Classes[d.Labels[odd]], Names(d.IDs, n)[odd]}
	}
	if i := slices.IndexFunc(values, func(v float64) bool { return math.Abs(v) > given.MostSquared }); i >= 0 {
		return Target{}, &NumberError{d.Classes[d.Labels[i]], Names(d.IDs, n)[i]}
	}
	return Target{Labels: learn.Labels{Values: values}}, nil
}

// A NumberError is a label among numbers that is none, [coles.ErrFormat], or too large to square, [coles.ErrNotFinite].
type NumberError struct{ Label, Node string }

func (e *NumberError) Error() string {
	if e.Unwrap() == coles.ErrNotFinite {
		return fmt.Sprintf("%v: the square of the label %q of node %s; give labels in a larger unit", coles.ErrNotFinite, e.Label, e.Node)
	}
	return fmt.Sprintf("%v: the label %q of node %s is no number, and others are", coles.ErrFormat, e.Label, e.Node)
}

func (e *NumberError) Unwrap() error {
	if v, _ := strconv.ParseFloat(e.Label, 64); math.Abs(v) > given.MostSquared {
		return coles.ErrNotFinite
	}
	return coles.ErrFormat
}

// Kind is the kind of the labels.
func (t Target) Kind() Kind {
	switch {
	case t.Values != nil:
		return Number
	case t.Sets != nil:
		return SeveralClasses
	}
	return OneClass
}

// Any reports whether a node has a label.
func (t Target) Any() bool {
	return t.Values != nil || t.Sets != nil || len(t.Classes) > 0 && slices.Max(t.Classes) >= 0
}
