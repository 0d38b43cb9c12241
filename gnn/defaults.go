package gnn

import "coles"

// DefaultSettings is COLES-GCN with soft orthogonality. Like those below it is one
// setting for every graph:
//
//	Network       GCN(512), ReLU, GCN of 512 columns, or 256 up to 512 features: the paper's
//	Objective     COLES(10): with β = 1 one direction takes most of the energy
//	Features      PrepareRowL2, times 5: Adam undoes the weights of TF-IDF
//	Negatives     ExpectedDegreeNegatives, η′ = 1: deterministic, no trivial direction left
//	Optimizer     Adam(1e-3) with coupled decay 5e-4
//	Epochs        20: more changes little, but four times as many overfit
//	Norm          4
//	Precision     automatic, which is Float32
//	Seed          1
func DefaultSettings() Settings {
	return Settings{
		Network:      Network{GCN(512), ReLU(), GCN(AutoWidth)},
		Objective:    COLES(10),
		Features:     coles.PrepareRowL2,
		FeatureScale: 5,
		Negatives:    coles.ExpectedDegreeNegatives(),
		Kappa:        1,
		Eta:          1,
		Optimizer:    Adam(1e-3).WithDecay(5e-4),
		Epochs:       20,
		Norm:         4,
		Seed:         1,
	}
}

// StiefelSettings is COLES-GCN (Stiefel): the last weight has orthonormal columns, in
// the place of the penalty. The hidden layer is bounded by decay 1e-2 and an early
// stop at effective rank 3, after 30 epochs at most.
func StiefelSettings() Settings {
	s := DefaultSettings()
	s.Network = Network{GCN(512), ReLU(), GCN(AutoWidth).Orthonormal()}
	s.Objective = COLES(0)
	s.Optimizer = Adam(1e-3).WithDecay(1e-2)
	s.Epochs = 30
	s.StopRank = 3
	s.Norm = 2.2
	return s
}

// LinearSettings is the linear encoder of COLES by Adam, as the paper's authors train
// it on small graphs: S²GC, one linear layer, no penalty, and few steps, here until
// the effective rank is 9.
func LinearSettings() Settings {
	s := DefaultSettings()
	s.Network = Network{Propagate(coles.S2GCSum(8)), Linear(AutoWidth)}
	s.Objective = COLES(0)
	s.Optimizer = Adam(1e-3)
	s.Epochs = 60
	s.StopRank = 9
	s.Norm = 2.5
	return s
}

// AugmentedSettings is COLES-GCN (+Aug): the default on two augmented views, at the
// lower ends of the rates that GRACE tries.
func AugmentedSettings() Settings {
	s := DefaultSettings()
	s.Augmentation = Augmentation{DropEdges: [2]float64{0.1, 0.2}, MaskFeatures: [2]float64{0.1, 0.2}}
	return s
}

// ClassifierSettings is the semi-supervised GCN of Kipf and Welling: 16 hidden columns
// with dropout 0.5, unit rows, Adam(0.02) with decay 1e-2, and at most 200 epochs.
// Dropout of the words as well costs a point where labels are few.
func ClassifierSettings() Settings {
	s := DefaultSettings()
	s.Network = Network{GCN(16), ReLU(), Dropout(0.5), GCN(AutoWidth)}
	s.Objective = Objective{kind: classObjective}
	s.FeatureScale = 1
	s.Optimizer = Adam(0.02).WithDecay(1e-2)
	s.Epochs = 200
	s.Norm = 0
	return s
}
