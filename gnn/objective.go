package gnn

import (
	"coles/gnn/custom"
	"coles/internal/matrix"
)

// The names of objectives that something depends on.
const (
	colesName     = "coles"
	powerMeanName = "power-mean"
)

// An Objective is the loss of a training. The zero value is no objective. The text form, in JSON too, is
//
//	coles:10         COLES(10)
//	sampled-nce:5,1  SampledNCE(5, 1)
//	power-mean:0,5   PowerMean(0, 5)
//	cross-entropy    the one of TrainClassifier
//	custom:NAME      NewObjective("NAME", …), of which a text has the name only
type Objective struct {
	label
	spec   custom.ObjectiveSpec
	loss32 custom.Loss[float32]
	loss64 custom.Loss[float64] // both nil where only the name is known
}

// phases are the phases of the objective, at least one.
func (o Objective) phases() []custom.Phase {
	if o.spec.Phases == nil {
		return []custom.Phase{{Steps: 1, Rate: 1}}
	}
	return o.spec.Phases
}

// NewObjective makes an objective of a loss, given in both precisions: see package [coles/gnn/custom]. Files keep the
// name, without a comma.
func NewObjective(name string, spec custom.ObjectiveSpec, loss32 custom.Loss[float32], loss64 custom.Loss[float64]) Objective {
	return Objective{label: label{Name: name, Custom: true}, spec: spec, loss32: loss32, loss64: loss64}
}

// shapes lists the parameters of the objective.
func (o Objective) shapes(d, width int) ([]shape, error) {
	if o.spec.Parameters == nil {
		return nil, nil
	}
	return shapesOf(objectiveLayer, o.spec.Parameters(d, width))
}

const (
	// maxNegatives bounds the nodes that are drawn for each edge.
	maxNegatives = 10_000
	// maxPhases bounds the phases of an objective, and maxParameters all its parameters: a file
	// may declare any number of both.
	maxPhases     = 100
	maxParameters = 10_000
)

func (o Objective) check() error {
	if !o.Some() {
		return bad("Objective", nil, "one")
	}
	if err := o.CheckName(); err != nil {
		return err
	}
	if len(o.spec.Phases) > maxPhases {
		return bad("Objective", o, "at most %d phases", maxPhases)
	}
	for _, p := range o.phases() {
		if p.Steps < 1 || !(p.Rate > 0 && matrix.Finite(p.Rate)) {
			return bad("Objective", o, "phases of 1 step or more at a rate more than 0, not %d at %v", p.Steps, p.Rate)
		}
	}
	for _, a := range o.Args {
		switch v := a.(type) {
		case int:
			if v < 1 || v > maxNegatives {
				return bad("Objective", o, "1 to %d negatives for each edge", maxNegatives)
			}
		case float64:
			if !matrix.Finite(v) || v < 0 && o.Name != powerMeanName {
				return bad("Objective", o, "finite numbers, β and η at least 0")
			}
		}
	}
	return nil
}

// MarshalText gives the text form.
func (o Objective) MarshalText() ([]byte, error) { return []byte(o.String()), o.check() }
