package gnn

import (
	"encoding"
	"errors"
	"fmt"
	"slices"

	"coles"
	"coles/gnn/custom"
	"coles/gnn/optim"
	"coles/internal/matrix"
	"coles/internal/setting"
)

// Settings are the choices of a training, as one value that survives JSON. Begin with [DefaultSettings] and change it
// by [With]. A choice that a training has no use for is a [coles.ErrSetting], unless it is 0 or as at the start.
type Settings struct {
	Network   Network   `json:"network"`   // from features to embeddings
	Objective Objective `json:"objective"` // the loss
	// Preparation comes first, then X is multiplied by FeatureScale.
	Preparation  coles.Preparation `json:"preparation"`
	FeatureScale float64           `json:"feature_scale"`
	// Negatives, Kappa (κ) and Eta (η′) make ΔW for [COLES]: see [coles.Contrast]. FreshNegatives
	// draws them, and the nodes of the pairwise objectives, anew in every epoch, as blocks always do.
	Negatives      coles.NegativeSampler `json:"negatives"`
	Kappa          int                   `json:"kappa"`
	Eta            float64               `json:"eta"`
	FreshNegatives bool                  `json:"fresh_negatives"`
	Augmentation   Augmentation          `json:"augmentation"` // the views that the objective sees
	Optimizer      optim.Optimizer       `json:"optimizer"`    // one step for each batch
	Schedule       optim.Schedule        `json:"schedule"`     // of its rate
	Epochs         int                   `json:"epochs"`       // how often all nodes are gone through, at most
	// StopRank ends the training after the first epoch in which the effective rank of the output H is at most that.
	// The rank is (Σ λ_j)²/Σ λ_j², from 1 to d′, with λ the eigenvalues of the covariance of H: without a penalty H
	// pours into few directions. It costs n·d′²/2 multiplications an epoch; 0 is no rule.
	StopRank float64 `json:"stop_rank"`
	// Patience ends the training once that many epochs have brought no lower loss, and goes back to the parameters of
	// the lowest. The loss is that of the first phase, before the step of an epoch; of a classifier it is the loss of
	// val, after it. 0 is no rule.
	Patience int `json:"patience"`
	// BatchSize is the number of nodes of a step; 0 takes all. Steps take blocks of at most that many well-connected
	// nodes, others in every epoch, of a classifier random rows of train. The output of a block equals the output of
	// the whole graph; ΔW, W⁺ and negatives are of the graph induced on the block. Memory of the steps grows with the
	// surroundings of a block. The embedding at the end and every validation take a forward pass over the whole
	// graph, unless the network does not look at it.
	BatchSize int `json:"batch_size"`
	// Sampler draws the part of the graph that every step sees; the embedding is as with blocks. With
	// [coles.PrepareNone], features times 1 and no filter first, a *[coles.Dense32] is not copied: of
	// a mapped file a step reads the rows of its sample alone.
	Sampler   custom.Sampler  `json:"sampler"`
	Norm      float64         `json:"norm"`      // r, the mean norm of the centred rows of the embedding; 0 scales nothing
	Precision coles.Precision `json:"precision"` // of the computation; automatic is float32
	Seed      uint64          `json:"seed"`      // of all random draws
}

// UnmarshalJSON reads settings. Members that are not there stay as they are in s; those that no setting
// has are a [coles.ErrSetting].
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
		shared.Check(), s.Network.check(), s.Objective.check(), s.Augmentation.check(), checked(s.Sampler), checked(s.Optimizer), checked(s.Schedule),
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
	wrong(s.BatchSize > 0 && s.Augmentation.Some(), "Augmentation", s.Augmentation, "none in batches")
	wrong(s.Sampler.Some() && (s.BatchSize > 0 || s.Augmentation.Some()), "Sampler", s.Sampler, "none with batches or augmentation")
	if s.Sampler.Some() {
		errs = append(errs, s.Network.checkSampled())
	}
	wrong(s.Augmentation.edges != [2]float64{} && s.Network.lead() > 0, "Augmentation", s.Augmentation, "no edges dropped behind a filter, which sees all of them")
	return errors.Join(errs...)
}

// checked is what is wrong with a choice, which has no text then.
func checked(choice encoding.TextMarshaler) error {
	_, err := choice.MarshalText()
	return err
}

// known refuses settings of which there is only a name.
func (s Settings) known() error {
	switch o, a := s.Objective, s.Augmentation; {
	case o.loss32 == nil || o.loss64 == nil:
		return bad("Objective", o, setAnew)
	case a.Some() && a.views == nil:
		return bad("Augmentation", a, setAnew)
	case s.Sampler.Some() && s.Sampler.Start == nil:
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
