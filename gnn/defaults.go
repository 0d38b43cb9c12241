package gnn

import "coles"

// DefaultSettings is COLES-GCN with soft orthogonality.
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

// ClassifierSettings is the semi-supervised GCN.
func ClassifierSettings() Settings {
	s := DefaultSettings()
	s.Network = Network{Dropout(0.5), GCN(16), ReLU(), Dropout(0.5), GCN(AutoWidth)}
	s.Objective = Objective{kind: classObjective}
	s.FeatureScale = 1
	s.Optimizer = Adam(0.02).WithDecay(5e-4)
	s.Epochs = 200
	s.Norm = 0
	return s
}
