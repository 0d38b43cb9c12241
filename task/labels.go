package task

import (
	"fmt"
	"slices"

	"coles"
	"coles/dataset"
	"coles/learn"
)

// A Target is what labels are of: one class a node, several, or a number. One of the three is there, of all nodes.
type Target struct {
	learn.Labels
	Names []string // of the classes, nil for numbers and where the classes have none
}

// Meanings are what labels may be taken as by [TargetOf].
var Meanings = []string{"classes", "numbers", "several"}

// TargetOf takes the labels of n nodes as one of [Meanings] or, for "", as what they look like: sets of classes where
// [dataset.Dataset.LabelSets] finds some, numbers where [dataset.Dataset.LabelNumbers] does, else classes. Errors: a
// [*NumberError] where a label among numbers is none.
func TargetOf(d *dataset.Dataset, n int, as string) (Target, error) {
	classes := Target{Labels: learn.Labels{Classes: Known(d, n)}, Names: d.Classes}
	if as == "classes" || d.Classes == nil {
		return classes, nil
	}
	if sets, names, found := d.LabelSets(); as == "several" || as == "" && found {
		return Target{learn.Labels{Sets: sets}, names}, nil
	}
	values, odd, found := d.LabelNumbers()
	switch {
	case as == "" && !found:
		return classes, nil
	case odd >= 0:
		return Target{}, &NumberError{Label: d.Classes[d.Labels[odd]], Node: Names(d.IDs, n)[odd]}
	}
	return Target{Labels: learn.Labels{Values: values}}, nil
}

// A NumberError is a [coles.ErrFormat]: a label that is no number among numbers.
type NumberError struct{ Label, Node string }

func (e *NumberError) Error() string {
	return fmt.Sprintf("%v: the label %q of node %s is no number, and others are", coles.ErrFormat, e.Label, e.Node)
}

func (e *NumberError) Unwrap() error { return coles.ErrFormat }

// Kind is what the labels are.
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
