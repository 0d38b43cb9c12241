package gnn

import (
	"fmt"
	"slices"

	"coles"
	"coles/gnn/optim"
)

// DefaultSettings is COLES-GCN with soft orthogonality, for every graph:
//
//	Network       GCN(512), ReLU, GCN of 512 columns, or 256 up to 512 features: the paper's
//	Objective     COLES(10): with β = 1 one direction takes most of the energy
//	Preparation   PrepareRowL2, times 5: Adam undoes the weights of TF-IDF
//	Negatives     ExpectedDegreeNegatives, η′ = 1: deterministic, no trivial direction left
//	Optimizer     Adam(1e-3) with coupled decay 5e-4
//	Epochs        20: more changes little, but four times as many overfit
//	Norm, Seed    4, 1
func DefaultSettings() Settings {
	return Settings{
		Network:      Network{GCN(512), ReLU(), GCN(AutoWidth)},
		Objective:    COLES(10),
		Preparation:  coles.PrepareRowL2,
		FeatureScale: 5,
		Negatives:    coles.ExpectedDegreeNegatives(),
		Kappa:        1,
		Eta:          1,
		Optimizer:    optim.Adam(1e-3).WithDecay(5e-4),
		Epochs:       20,
		Norm:         4,
		Seed:         1,
	}
}

// StiefelSettings is COLES-GCN (Stiefel): the last weight is orthonormal, there is no penalty, decay is 1e-2. It
// stops at effective rank 3 or epoch 30.
func StiefelSettings() Settings {
	s := DefaultSettings()
	s.Network = Network{GCN(512), ReLU(), GCN(AutoWidth).Orthonormal()}
	s.Objective = COLES(0)
	s.Optimizer = optim.Adam(1e-3).WithDecay(1e-2)
	s.Epochs = 30
	s.StopRank = 3
	s.Norm = 2.2
	return s
}

// LinearSettings is the paper's linear encoder by Adam for small graphs: S²GC, one linear layer, no penalty, until the
// effective rank is 9.
func LinearSettings() Settings {
	s := DefaultSettings()
	s.Network = Network{Propagate(coles.S2GCSum(8)), Linear(AutoWidth)}
	s.Objective = COLES(0)
	s.Optimizer = optim.Adam(1e-3)
	s.Epochs = 60
	s.StopRank = 9
	s.Norm = 2.5
	return s
}

// AugmentedSettings is COLES-GCN (+Aug): two views, at GRACE's lowest rates.
func AugmentedSettings() Settings {
	s := DefaultSettings()
	s.Augmentation = Drop([2]float64{0.1, 0.2}, [2]float64{0.1, 0.2})
	return s
}

// ClassifierSettings is the semi-supervised GCN of Kipf and Welling: 16 hidden columns with dropout 0.5, unit rows,
// Adam(0.02) with decay 1e-2, at most 200 epochs.
func ClassifierSettings() Settings {
	s := DefaultSettings()
	s.Network = Network{GCN(16), ReLU(), Dropout(0.5), GCN(AutoWidth)}
	s.Objective = crossEntropy()
	s.FeatureScale = 1
	s.Optimizer = optim.Adam(0.02).WithDecay(1e-2)
	s.Epochs = 200
	s.Patience = 20
	s.Norm = 0
	return s
}

// checkUsed refuses a setting that a training has no use for, as [Settings] says. A program's own objective may
// use all that a step has.
func (s Settings) checkUsed() error {
	o, sampler := s.Objective, s.Negatives
	contrasts, none := !o.Custom && o.Name == colesName, sampler == coles.NegativeSampler{}
	drawn := !none && sampler != coles.ExpectedUniformNegatives() && sampler != coles.ExpectedDegreeNegatives()
	user := fmt.Sprintf("the %v objective", o)
	if contrasts {
		user = fmt.Sprintf("the %v sampler", sampler)
	}
	usual := []Settings{ClassifierSettings(), DefaultSettings(), StiefelSettings(), LinearSettings(), {}}
	for _, field := range []struct {
		name   string
		unused bool
		value  func(s Settings) any
	}{
		{"Negatives", !o.Custom && !contrasts, func(s Settings) any { return s.Negatives }},
		{"Kappa", !o.Custom && !(contrasts && drawn), func(s Settings) any { return s.Kappa }},
		{"Eta", !o.Custom && (!contrasts || none), func(s Settings) any { return s.Eta }},
		{"FreshNegatives", !o.Custom && (o.spec.Labels || contrasts && !drawn), func(s Settings) any { return s.FreshNegatives }},
		{"Norm", o.spec.Labels, func(s Settings) any { return s.Norm }},
	} {
		value := field.value(s)
		if field.unused && !slices.ContainsFunc(usual, func(s Settings) bool { return field.value(s) == value }) {
			return bad(field.name, value, "%v, since %s has no use for it", field.value(usual[0]), user)
		}
	}
	if !o.Custom && s.Augmentation.edges != [2]float64{} && s.Network.hops() == 0 {
		return bad("Augmentation", s.Augmentation, "no edges dropped, since no layer looks at them")
	}
	return nil
}
