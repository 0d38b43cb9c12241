package gnn

import (
	"errors"
	"fmt"
	"slices"

	"coles"
	"coles/internal/matrix"
	"coles/internal/setting"
)

// Settings are the choices of a training, as one value that survives JSON. [DefaultSettings] is the
// place to start; [With] and shorter options change it. One that a training has no use for is an
// [coles.ErrSetting], unless it is 0 or as settings to start with have it.
type Settings struct {
	// Network makes embeddings of features, and Objective is the loss it is trained for.
	Network   Network   `json:"network"`
	Objective Objective `json:"objective"`
	// Preparation comes first, then X is multiplied by FeatureScale.
	Preparation  coles.Preparation `json:"preparation"`
	FeatureScale float64           `json:"feature_scale"`
	// Negatives, Kappa (κ) and Eta (η′) make ΔW for [COLES]: see [coles.Contrast]. FreshNegatives
	// draws them, and the nodes of the pairwise objectives, anew in every epoch, as blocks always do.
	Negatives      coles.NegativeSampler `json:"negatives"`
	Kappa          int                   `json:"kappa"`
	Eta            float64               `json:"eta"`
	FreshNegatives bool                  `json:"fresh_negatives"`
	// Augmentation makes the views of the graph that the objective sees.
	Augmentation Augmentation `json:"augmentation"`
	// Optimizer makes one step for each batch, Schedule its rate.
	Optimizer Optimizer `json:"optimizer"`
	Schedule  Schedule  `json:"schedule"`
	// Epochs is how often all nodes are gone through, at most.
	Epochs int `json:"epochs"`
	// StopRank ends the training after the first epoch in which the effective rank of the centred
	// output H is at most that: the participation ratio
	//
	//	(Σ λ_j)²/Σ λ_j²,  λ the eigenvalues of the covariance of the rows of H,
	//
	// d′ where all directions have the same energy and 1 where one has all. An objective that nothing
	// bounds pours the energy of H into the leading directions of ΔW, one by one; this early stop asks
	// for no labels. It costs n·d′²/2 multiplications an epoch. 0 is no such rule.
	StopRank float64 `json:"stop_rank"`
	// Patience ends the training once that many epochs in a row have brought no lower loss, and goes
	// back to the parameters of the lowest, before the step of that epoch: for losses that depend
	// little on what is drawn. Of several phases the first one's loss counts. [TrainClassifier] takes
	// the loss of the nodes that it is stopped by, after the step. 0 is no such rule.
	Patience int `json:"patience"`
	// BatchSize is the number of nodes of a step; 0 takes all. Steps take blocks of at most that many
	// well-connected nodes, others in every epoch. The output of a block equals the whole graph's for its
	// nodes; ΔW belongs to the graph induced on the block, W⁺ and negatives normalised within it, so that
	// it still lacks the trivial direction. Memory of the steps grows with the surroundings of a block, not
	// with the graph; the embedding at the end, and every validation, takes one forward pass over all of it,
	// unless the network does not look at the graph. [TrainClassifier] takes blocks of labelled nodes,
	// drawn at random.
	BatchSize int `json:"batch_size"`
	// Sampler draws the part of the graph that every step sees. The embedding at the end, and every
	// validation, takes one forward pass over all of it. With [coles.PrepareNone], features times 1 and
	// no filter that the network begins with, a *[coles.Dense32] is not copied: of a file that is mapped
	// into memory a step reads the rows of its sample alone.
	Sampler Sampler `json:"sampler"`
	// Norm is r, the mean norm of the centred rows of the embedding (one factor for all); 0 leaves
	// the output of the network as it is.
	Norm float64 `json:"norm"`
	// Precision is the type of the numbers that are computed with; automatic is float32.
	Precision coles.Precision `json:"precision"`
	// Seed decides all random draws.
	Seed uint64 `json:"seed"`
}

// UnmarshalJSON reads settings. Members that are not there leave what s has, so that a file may
// hold only what differs from [DefaultSettings]; those that no setting has are refused.
//
// Errors: [coles.ErrSetting], saying what is wrong.
func (s *Settings) UnmarshalJSON(text []byte) error {
	type plain Settings
	read := plain(*s)
	read.Network = nil // of which nothing may be kept, or written to
	if err := setting.UnmarshalJSON(text, &read); err != nil {
		return fmt.Errorf("gnn: settings: %w", err)
	}
	if read.Network == nil {
		read.Network = s.Network
	}
	*s = Settings(read)
	return nil
}

// clone is a copy that shares nothing with s.
func (s Settings) clone() Settings {
	s.Network = slices.Clone(s.Network)
	return s
}

// check refuses settings that make no sense, alone or together.
func (s Settings) check() error {
	shared := coles.DefaultSettings()
	shared.Preparation, shared.Precision = s.Preparation, s.Precision
	shared.Negatives, shared.Kappa, shared.Eta = s.Negatives, s.Kappa, s.Eta
	errs := []error{
		shared.Check(), s.Network.check(), s.Objective.check(), s.Augmentation.check(), s.Sampler.check(), s.Optimizer.check(), s.Schedule.check(),
	}
	wrong := func(is bool, field string, value any, want string) {
		if is {
			errs = append(errs, bad(field, value, "%s", want))
		}
	}
	wrong(!(s.FeatureScale > 0 && matrix.Finite(s.FeatureScale)), "FeatureScale", s.FeatureScale, "more than 0 and finite, as gnn.DefaultSettings has it")
	wrong(s.Epochs < 1, "Epochs", s.Epochs, "at least 1")
	wrong(!(s.StopRank >= 0 && matrix.Finite(s.StopRank)), "StopRank", s.StopRank, "0 or more and finite")
	wrong(s.BatchSize < 0, "BatchSize", s.BatchSize, "0 or more")
	wrong(!(s.Norm >= 0 && matrix.Finite(s.Norm)), "Norm", s.Norm, "0 or more and finite")
	wrong(s.Patience < 0, "Patience", s.Patience, "0 or more")
	wrong(s.BatchSize > 0 && s.Augmentation.some(), "Augmentation", s.Augmentation, "none in batches")
	wrong(s.Sampler.some() && (s.BatchSize > 0 || s.Augmentation.some()), "Sampler", s.Sampler, "none with batches or augmentation")
	if s.Sampler.some() {
		errs = append(errs, s.Network.checkSampled())
	}
	wrong(s.Augmentation.edges != [2]float64{} && s.Network.lead() > 0, "Augmentation", s.Augmentation, "no edges dropped behind a filter, which sees all of them")
	return errors.Join(errs...)
}

// known refuses settings of which there is only a name.
func (s Settings) known() error {
	switch o, a := s.Objective, s.Augmentation; {
	case o.loss32 == nil || o.loss64 == nil:
		return bad("Objective", o, setAnew)
	case a.some() && a.views == nil:
		return bad("Augmentation", a, setAnew)
	case s.Sampler.some() && s.Sampler.start == nil:
		return bad("Sampler", s.Sampler, setAnew)
	}
	return s.Network.known()
}

// checkRead refuses settings from a file that no training with d features has.
func (s Settings) checkRead(d int) error {
	if d < 1 || s.Precision == 0 {
		return fmt.Errorf("%d features in precision %v", d, s.Precision)
	}
	return s.check()
}

// parameters are the shapes of the parameters of the network for d features, and how many numbers
// each has.
func (s Settings) parameters(d int) (shapes []shape, lengths []int, err error) {
	shapes, err = s.Network.shapes(1, d)
	for _, p := range shapes {
		lengths = append(lengths, p.Rows*p.Cols)
	}
	return shapes, lengths, err
}
