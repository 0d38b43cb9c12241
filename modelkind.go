package coles

import (
	"fmt"

	"coles/internal/setting"
)

// A ModelKind says whether a model embeds nodes by the graph and their features, or by their
// features alone. The zero value, "auto", is what the [Alignment] of the features says.
type ModelKind int

const (
	// GraphModel is COLES: FXPᵀ with the top eigenvectors P of XᵀFᵀΔWFX.
	GraphModel ModelKind = iota + 1
	// FeatureModel is COLES with F = I and ΔW = I: XPᵀ with the top eigenvectors P of XᵀX, not
	// centred, scaled in the same way. It is for graphs whose neighbours differ, where smoothing
	// takes away what a node's own features say. It looks at no edge, and has no degree column.
	FeatureModel
)

var modelKindNames = []string{"auto", "graph", "features"}

// String is the name that UnmarshalText reads.
func (k ModelKind) String() string { return setting.Name(k, modelKindNames) }

// MarshalText gives the name that UnmarshalText reads.
func (k ModelKind) MarshalText() ([]byte, error) { return setting.Marshal(k, modelKindNames) }

// UnmarshalText reads a name such as "graph".
func (k *ModelKind) UnmarshalText(text []byte) error {
	return setting.Unmarshal(k, text, modelKindNames)
}

// alignedFrom is the q from which the graph is used. Every threshold from 0.75 to 0.86 decides alike
// on the 31 graphs on which it was set, with the accuracies of both models in view. It is below 1
// because filtered features also carry what no half of the columns shows: who the neighbours are.
const alignedFrom = 0.8

// Model is the kind of model that the measurement is for: [FeatureModel] where q is known and below
// 0.8. Features that know nothing of each other are no evidence against the graph.
func (a Alignment) Model() ModelKind {
	if a.Known && a.Ratio < alignedFrom {
		return FeatureModel
	}
	return GraphModel
}

// String says what q means, and which model it is for.
func (a Alignment) String() string {
	why := fmt.Sprintf("own features agree with each other %.2g times more than with their neighbours' (q = %.2g)", 1/a.Ratio, a.Ratio)
	switch {
	case !a.Known && a.Columns == 0:
		why = fmt.Sprintf("fewer than %d features cannot tell", leastAligned)
	case !a.Known:
		why = "own features hardly know each other"
	case a.Ratio == 0:
		why = "neighbours know nothing of a node's features"
	case a.Ratio >= 1:
		why = fmt.Sprintf("own features agree with each other %.2g times less than with their neighbours' (q = %.2g)", a.Ratio, a.Ratio)
	}
	if a.Model() == FeatureModel {
		return why + ": feature model"
	}
	return why + ": graph model"
}
