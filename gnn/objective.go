package gnn

import (
	"coles/gnn/autodiff"
	"coles/internal/matrix"
)

// The names of objectives that something depends on.
const (
	colesName     = "coles"
	powerMeanName = "power-mean"
)

// An Objective is the loss of a training: one of those here, or of the program's ([NewObjective]). The
// zero value is no objective. The text form, in JSON too, is
//
//	coles:10         COLES(10)
//	sampled-nce:5,1  SampledNCE(5, 1)
//	power-mean:0,5   PowerMean(0, 5)
//	cross-entropy    the one of TrainClassifier
//	custom:NAME      NewObjective("NAME", …)
//
// One of NewObjective that was read from a text has a name only: set it anew.
type Objective struct {
	label
	spec   ObjectiveSpec
	loss32 loss[float32]
	loss64 loss[float64] // both nil where only the name is known
}

// loss computes an objective.
type loss[T autodiff.Float] = func(s *Step[T]) *autodiff.Value[T]

// An ObjectiveSpec describes an objective to the training, apart from its loss.
type ObjectiveSpec struct {
	// Parameters lists what the objective trains in addition to the network, for d features and d′
	// outputs; nil for nothing. A model does not keep them.
	Parameters func(d, width int) []Parameter
	// Phases are gone through in every epoch, one after the other; nil for one step that trains
	// everything.
	Phases []Phase
	// Labels is set if the loss reads labels ([Step.Labels]): it is for [TrainClassifier].
	Labels bool
}

// A Phase is a part of an epoch in which some of the parameters are trained. The optimizer keeps
// what it remembers for each phase apart.
type Phase struct {
	// Steps is how often the phase is done, one after the other.
	Steps int
	// Rate multiplies the rate of the optimizer.
	Rate float64
	// Trains reports whether a parameter of this name is trained: "0.weight" is one of the first
	// layer, "objective.weight" one of the objective. nil is true of all.
	Trains func(name string) bool
}

// phases are the phases of the objective, at least one.
func (o Objective) phases() []Phase {
	if o.spec.Phases == nil {
		return []Phase{{Steps: 1, Rate: 1}}
	}
	return o.spec.Phases
}

// NewObjective makes an objective of a loss, a 1 × 1 value to be made small, given in both
// precisions: write it once, with a type parameter, and name both. The name, without a comma, is
// the objective's name in checkpoints and model files.
//
//	func logistic[T autodiff.Float](s *gnn.Step[T]) *autodiff.Value[T] { // of the edges
//		us, vs, _ := s.Edges()
//		h := s.Output(&gnn.View{})
//		return s.Scale(s.Mean(s.LogSigmoid(s.GatherDots(h, us, h, vs))), -1)
//	}
//
//	gnn.NewObjective("logistic", gnn.ObjectiveSpec{}, logistic[float32], logistic[float64])
func NewObjective(name string, spec ObjectiveSpec,
	loss32 func(*Step[float32]) *autodiff.Value[float32], loss64 func(*Step[float64]) *autodiff.Value[float64],
) Objective {
	return Objective{label: label{name: name, custom: true}, spec: spec, loss32: loss32, loss64: loss64}
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
	if !o.some() {
		return bad("Objective", nil, "one")
	}
	if err := o.checkName(); err != nil {
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
	for _, a := range o.args {
		switch v := a.(type) {
		case int:
			if v < 1 || v > maxNegatives {
				return bad("Objective", o, "1 to %d negatives for each edge", maxNegatives)
			}
		case float64:
			if !matrix.Finite(v) || v < 0 && o.name != powerMeanName {
				return bad("Objective", o, "finite numbers, β and η at least 0")
			}
		}
	}
	return nil
}

// MarshalText gives the text form.
func (o Objective) MarshalText() ([]byte, error) { return []byte(o.String()), o.check() }
