package gnn

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"coles"
	"coles/internal/matrix"
	"coles/internal/setting"

	"gonum.org/v1/gonum/mat"
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

// DefaultSettings is COLES-GCN with soft orthogonality. Like those below it is one setting for
// every graph:
//
//	Network       GCN(512), ReLU, GCN of 512 columns, or 256 up to 512 features: the paper's
//	Objective     COLES(10): with β = 1 one direction takes most of the energy
//	Preparation   PrepareRowL2, times 5: Adam undoes the weights of TF-IDF
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
		Preparation:  coles.PrepareRowL2,
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

// StiefelSettings is COLES-GCN (Stiefel): the last weight has orthonormal columns instead of
// the penalty. The hidden layer is bounded by decay 1e-2 and an early stop at effective rank 3,
// after 30 epochs at most.
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

// LinearSettings is the linear encoder of COLES by Adam, as the paper's authors train it on small
// graphs: S²GC, one linear layer, no penalty, and few steps, here until the effective rank is 9.
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

// AugmentedSettings is COLES-GCN (+Aug): the default on two augmented views, at the lower ends of
// the rates that GRACE tries.
func AugmentedSettings() Settings {
	s := DefaultSettings()
	s.Augmentation = Drop([2]float64{0.1, 0.2}, [2]float64{0.1, 0.2})
	return s
}

// ClassifierSettings is the semi-supervised GCN of Kipf and Welling: 16 hidden columns with dropout
// 0.5, unit rows, Adam(0.02) with decay 1e-2, and at most 200 epochs. Dropout of the words as well
// costs a point where labels are few.
func ClassifierSettings() Settings {
	s := DefaultSettings()
	s.Network = Network{GCN(16), ReLU(), Dropout(0.5), GCN(AutoWidth)}
	s.Objective = crossEntropy()
	s.FeatureScale = 1
	s.Optimizer = Adam(0.02).WithDecay(1e-2)
	s.Epochs = 200
	s.Patience = 20
	s.Norm = 0
	return s
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
	wrong(!(s.FeatureScale > 0 && matrix.Finite(s.FeatureScale)), "FeatureScale", s.FeatureScale, "more than 0 and finite")
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

// checkUsed refuses a setting that a training has no use for, as [Settings] says. A program's own objective may
// use all that a [Step] has.
func (s Settings) checkUsed() error {
	o, sampler := s.Objective, s.Negatives
	contrasts, none := !o.custom && o.name == colesName, sampler == coles.NegativeSampler{}
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
		{"Negatives", !o.custom && !contrasts, func(s Settings) any { return s.Negatives }},
		{"Kappa", !o.custom && !(contrasts && drawn), func(s Settings) any { return s.Kappa }},
		{"Eta", !o.custom && (!contrasts || none), func(s Settings) any { return s.Eta }},
		{"FreshNegatives", !o.custom && (o.spec.Labels || contrasts && !drawn), func(s Settings) any { return s.FreshNegatives }},
		{"Norm", o.spec.Labels, func(s Settings) any { return s.Norm }},
	} {
		value := field.value(s)
		if field.unused && !slices.ContainsFunc(usual, func(s Settings) bool { return field.value(s) == value }) {
			return bad(field.name, value, "%v, since %s has no use for it", field.value(usual[0]), user)
		}
	}
	if !o.custom && s.Augmentation.edges != [2]float64{} && s.Network.hops() == 0 {
		return bad("Augmentation", s.Augmentation, "no edges dropped, since no layer looks at them")
	}
	return nil
}

// An Option changes one choice of [Train], [Resume] or [TrainClassifier].
type Option func(*config)

type config struct {
	Settings
	progress                   coles.Progress
	watch                      func(EpochReport)
	every, patience, saveEvery int
	score                      func(ctx context.Context, epoch int, y *mat.Dense) (float64, error)
	save                       func(*Checkpoint) error
}

// newConfig applies options to settings and checks the result.
func newConfig(s Settings, opts []Option) (config, error) {
	c := config{Settings: s, progress: func(string, int, int) {}}
	for _, o := range opts {
		o(&c)
	}
	err := c.check()
	if c.score != nil && (c.every < 1 || c.patience < 1) {
		err = errors.Join(err, bad("every, patience", [2]int{c.every, c.patience}, "at least 1 epoch for a validation"))
	}
	if c.save != nil && c.saveEvery < 1 {
		err = errors.Join(err, bad("every", c.saveEvery, "at least 1 epoch for checkpoints"))
	}
	if c.score != nil && c.Patience > 0 {
		err = errors.Join(err, bad("Patience", c.Patience, "0 with a validation, which has its own"))
	}
	return c, err
}

// WithSettings replaces all settings at once; later options change them further.
func WithSettings(s Settings) Option { return func(c *config) { c.Settings = s } }

// With changes settings as the earlier options left them.
func With(change func(s *Settings)) Option {
	return func(c *config) {
		c.Settings = c.clone()
		change(&c.Settings)
	}
}

// WithNetwork sets the layers.
func WithNetwork(layers ...Layer) Option { return func(c *config) { c.Network = layers } }

// WithObjective sets what the network is trained for.
func WithObjective(o Objective) Option { return func(c *config) { c.Objective = o } }

// WithEpochs sets how often all nodes are gone through.
func WithEpochs(epochs int) Option { return func(c *config) { c.Epochs = epochs } }

// WithSeed sets the seed of all random draws (1).
func WithSeed(seed uint64) Option { return func(c *config) { c.Seed = seed } }

// WithProgress calls f from the calling goroutine with the stage "train" and the number of epochs, before
// the first and after each.
func WithProgress(f coles.Progress) Option { return func(c *config) { c.progress = f } }

// An EpochReport has the losses of an epoch of a training.
type EpochReport struct {
	Epoch, Epochs int     // done, and at most to be done
	Loss          float64 // the mean over the steps of the epoch, of the first phase, before each step
	GradientNorm  float64 // of all parameters together, in the last step
	Orthogonality float64 // ‖HᵀH/n − I‖²_F/d′ in the last step, H the first output it encoded
	Rank          float64 // effective rank of that H: see [Settings].StopRank
	Score         float64 // of WithValidation, the newest; NaN before the first
	Best          float64 // the best of them
	Seconds       float64 // since the start
}

// WithEpochReport calls f, from the calling goroutine, after every epoch.
func WithEpochReport(f func(EpochReport)) Option { return func(c *config) { c.watch = f } }

// WithValidation judges the embedding at that interval of epochs, stops once patience judgements in
// a row have brought no better one than before, and goes back to the parameters of the best. It is
// the place for labels of validation nodes.
//
// A score is the better the higher it is; rows of y are in the order of the graph's. score may keep
// the matrix.
func WithValidation(every, patience int, score func(ctx context.Context, epoch int, y *mat.Dense) (float64, error)) Option {
	return func(c *config) { c.every, c.patience, c.score = every, patience, score }
}

// WithCheckpoints calls save at that interval of epochs. An error of save ends the training.
func WithCheckpoints(every int, save func(*Checkpoint) error) Option {
	return func(c *config) { c.saveEvery, c.save = every, save }
}
