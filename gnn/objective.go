package gnn

import (
	"encoding/json"
	"fmt"
	"math"

	"coles"
	"coles/internal/enum"
	"coles/internal/strict"
)

// An Objective is what a network is trained for. In the formulas H is its
// output, n×d′ with rows h_i, the embedding before it is scaled. The zero value
// is no objective.
type Objective struct {
	kind      objectiveKind
	beta      float64
	negatives int
	eta       float64
	power     float64
}

type objectiveKind int

const (
	colesObjective objectiveKind = iota + 1
	nceObjective
	meanObjective
	classObjective
)

var objectiveNames = []string{"none", "coles", "sampled-nce", "power-mean", "cross-entropy"}

func (k objectiveKind) String() string { return enum.Name(k, objectiveNames) }

func (k objectiveKind) MarshalText() ([]byte, error) {
	return enum.Marshal(k, objectiveNames, coles.ErrSetting)
}

func (k *objectiveKind) UnmarshalText(text []byte) error {
	return enum.Unmarshal(k, text, objectiveNames, coles.ErrSetting)
}

// COLES is the problem of the paper for a network, its "soft orthogonality"
// relaxation: the loss
//
//	−Tr(HᵀΔWH)/n + β·‖HᵀH/n − I‖²_F/d′.
//
// β = 0 leaves the penalty out: for a network whose weights are bounded otherwise
// (see [Layer.Orthonormal]), or for so few steps that it does not matter.
func COLES(beta float64) Objective { return Objective{kind: colesObjective, beta: beta} }

// SampledNCE is the rival of the paper with the same networks: the loss is the mean
// of −log σ(h_u·h_v) over the edges plus η times that of −log σ(−h_u·h_w) over the given
// number of nodes w drawn uniformly for each edge.
func SampledNCE(negatives int, eta float64) Objective {
	return Objective{kind: nceObjective, negatives: negatives, eta: eta}
}

// PowerMean is the pairwise loss of the paper with a generalised mean: the sum of
//
//	−log(e^{h_u·h_v} / M_p(e^{h_u·h_w₁}, …, e^{h_u·h_wN}))
//
// over the edges, each with its share in Σ W⁺, with N nodes w drawn uniformly for it and
// M_p(x) = ((1/N)·Σ x_iᵖ)^{1/p}: arithmetic for p = 1, harmonic for −1, quadratic for 2
// and, for p = 0, the geometric mean. That one is, in expectation, COLES with
// uniform negatives.
func PowerMean(p float64, negatives int) Objective {
	return Objective{kind: meanObjective, power: p, negatives: negatives}
}

// contrasts tells whether the loss is one of ΔW.
func (o Objective) contrasts() bool { return o.kind == colesObjective }

func (o Objective) check() error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("gnn: objective: %w: "+format, append([]any{coles.ErrSetting}, args...)...)
	}
	finite := func(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
	switch {
	case o.kind < colesObjective || o.kind > classObjective:
		return bad("none")
	case !(o.beta >= 0 && finite(o.beta)):
		return bad("β = %v, want 0 or more", o.beta)
	case !(o.eta >= 0 && finite(o.eta)):
		return bad("η = %v, want 0 or more", o.eta)
	case !finite(o.power):
		return bad("p = %v", o.power)
	case (o.kind == nceObjective || o.kind == meanObjective) && (o.negatives < 1 || o.negatives > maxNegatives):
		return bad("%d negatives for each edge, want 1 to %d", o.negatives, maxNegatives)
	}
	return nil
}

// maxNegatives bounds the nodes that are drawn for each edge.
const maxNegatives = 10_000

// String is the name it has in JSON, with its numbers.
func (o Objective) String() string {
	switch o.kind {
	case colesObjective:
		return fmt.Sprintf("%v(β = %g)", o.kind, o.beta)
	case nceObjective:
		return fmt.Sprintf("%v(%d, η = %g)", o.kind, o.negatives, o.eta)
	case meanObjective:
		return fmt.Sprintf("%v(p = %g, %d)", o.kind, o.power, o.negatives)
	}
	return o.kind.String()
}

// objectiveJSON is an objective outside Go.
type objectiveJSON struct {
	Kind      objectiveKind `json:"kind"`
	Beta      float64       `json:"beta,omitempty"`
	Negatives int           `json:"negatives,omitempty"`
	Eta       float64       `json:"eta,omitempty"`
	Power     float64       `json:"power,omitempty"`
}

// MarshalJSON writes the kind of the objective and its numbers.
func (o Objective) MarshalJSON() ([]byte, error) {
	return json.Marshal(objectiveJSON{o.kind, o.beta, o.negatives, o.eta, o.power})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (o *Objective) UnmarshalJSON(text []byte) error {
	var j objectiveJSON
	if err := strict.Unmarshal(text, &j, coles.ErrSetting); err != nil {
		return err
	}
	read := Objective{j.Kind, j.Beta, j.Negatives, j.Eta, j.Power}
	if err := read.check(); err != nil {
		return err
	}
	*o = read
	return nil
}
