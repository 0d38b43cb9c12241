package gnn

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"coles"
	"coles/internal/strict"

	"gonum.org/v1/gonum/mat"
)

// Settings are the choices of a training, as one value that survives JSON.
// [DefaultSettings] is the place to start; the options change one field each.
type Settings struct {
	// Network makes embeddings of features; Objective is what it is trained for.
	Network   Network   `json:"network"`
	Objective Objective `json:"objective"`
	// Features says how X is prepared; it is then multiplied by FeatureScale.
	Features     coles.Preparation `json:"features"`
	FeatureScale float64           `json:"feature_scale"`
	// Negatives, Kappa (κ) and Eta (η′) make ΔW for [COLES]: see [coles.Contrast].
	// FreshNegatives draws them, and those of the pairwise objectives, anew in every
	// epoch.
	Negatives      coles.NegativeSampler `json:"negatives"`
	Kappa          int                   `json:"kappa"`
	Eta            float64               `json:"eta"`
	FreshNegatives bool                  `json:"fresh_negatives"`
	// Augmentation makes two views of the graph; the loss is then the mean of theirs.
	Augmentation Augmentation `json:"augmentation"`
	// Optimizer makes one step for each batch, Schedule its rate.
	Optimizer Optimizer `json:"optimizer"`
	Schedule  Schedule  `json:"schedule"`
	// Epochs is how often all nodes are gone through, at most.
	Epochs int `json:"epochs"`
	// StopRank ends the training after the first epoch in which the effective rank
	// of the output is at most that: see [WithRankStop]. 0 is no such rule.
	StopRank float64 `json:"stop_rank"`
	// BatchSize is the number of nodes of a step; 0 takes all of them.
	BatchSize int `json:"batch_size"`
	// Norm is r, the mean norm of the centred rows of the embedding (one factor
	// for all); 0 leaves the output of the network as it is.
	Norm float64 `json:"norm"`
	// Precision is the type of the numbers that are computed with; automatic is
	// float32.
	Precision coles.Precision `json:"precision"`
	// Seed is where all randomness comes from.
	Seed uint64 `json:"seed"`
}

// UnmarshalJSON reads settings. Members that are not there leave what s has, so that
// a file may hold only what differs from [DefaultSettings]; those that no setting has
// are refused.
//
// Errors: [coles.ErrSetting], saying what is wrong.
func (s *Settings) UnmarshalJSON(text []byte) error {
	type plain Settings
	read := plain(s.clone())
	if err := strict.Unmarshal(text, &read, coles.ErrSetting); err != nil {
		return fmt.Errorf("gnn: settings: %w", err)
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
	var errs []error
	wrong := func(bad bool, format string, args ...any) {
		if bad {
			errs = append(errs, fmt.Errorf("gnn: %w: "+format, append([]any{coles.ErrSetting}, args...)...))
		}
	}
	finite := func(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
	wrong(!(s.FeatureScale > 0 && finite(s.FeatureScale)), "features times %v, want more than 0", s.FeatureScale)
	wrong(s.Epochs < 1, "%d epochs, want at least 1", s.Epochs)
	wrong(!(s.StopRank >= 0 && finite(s.StopRank)), "stop at rank %v, want 0 or more", s.StopRank)
	wrong(s.BatchSize < 0, "batches of %d nodes", s.BatchSize)
	wrong(!(s.Norm >= 0 && finite(s.Norm)), "row norm r = %v, want 0 or more", s.Norm)
	wrong(s.Precision < coles.PrecisionAuto || s.Precision > coles.Float32, "%v", s.Precision)
	wrong(s.BatchSize > 0 && !s.Augmentation.none(), "augmentation in batches")
	wrong(s.Augmentation.DropEdges != [2]float64{} && s.Network.lead() > 0, "edges dropped behind a filter that sees all of them")
	wrong(s.Kappa < 0, "κ = %d, want 0 or more", s.Kappa)
	wrong(!(s.Eta >= 0 && s.Eta <= 1), "η′ = %v, want 0 to 1", s.Eta)
	_, unknown := s.Features.MarshalText()
	_, sampler := s.Negatives.MarshalJSON() // which a file needs, be there a contrast or not
	errs = append(errs, unknown, sampler, s.Network.check(), s.Objective.check(), s.Augmentation.check(), s.Optimizer.check(), s.Schedule.check())
	return errors.Join(errs...)
}

// An Option changes one choice of [Train], [Resume] or [TrainClassifier]; a nil one
// changes nothing.
type Option func(*config)

type config struct {
	Settings
	progress   func(Progress)
	validation validation
	checkpoint checkpoints
}

// newConfig applies options to settings and checks the result.
func newConfig(s Settings, opts []Option) (config, error) {
	c := config{Settings: s}
	for _, o := range opts {
		if o != nil {
			o(&c)
		}
	}
	return c, errors.Join(c.check(), c.validation.check(), c.checkpoint.check())
}

// WithSettings replaces all settings at once; later options change them further.
func WithSettings(s Settings) Option { return func(c *config) { c.Settings = s } }

// WithNetwork sets the layers.
func WithNetwork(layers ...Layer) Option { return func(c *config) { c.Network = layers } }

// WithObjective sets what the network is trained for.
func WithObjective(o Objective) Option { return func(c *config) { c.Objective = o } }

// WithFeatures sets how features are prepared, and what they are multiplied by then.
func WithFeatures(p coles.Preparation, scale float64) Option {
	return func(c *config) { c.Features, c.FeatureScale = p, scale }
}

// WithNegatives sets where the negatives of ΔW come from.
func WithNegatives(s coles.NegativeSampler) Option { return func(c *config) { c.Negatives = s } }

// WithKappa sets κ, the number of negative graphs; 0 is no contrast.
func WithKappa(kappa int) Option { return func(c *config) { c.Kappa = kappa } }

// WithEta sets η′, the weight of the negatives in ΔW, in [0, 1].
func WithEta(eta float64) Option { return func(c *config) { c.Eta = eta } }

// WithFreshNegatives draws negatives anew in every epoch, or once. Blocks
// ([WithBatchSize]) are others in every epoch, and so are their negatives.
func WithFreshNegatives(fresh bool) Option { return func(c *config) { c.FreshNegatives = fresh } }

// WithAugmentation trains on two augmented views of the graph.
func WithAugmentation(a Augmentation) Option { return func(c *config) { c.Augmentation = a } }

// WithOptimizer sets the rule of the steps.
func WithOptimizer(o Optimizer) Option { return func(c *config) { c.Optimizer = o } }

// WithSchedule sets how the learning rate changes.
func WithSchedule(s Schedule) Option { return func(c *config) { c.Schedule = s } }

// WithEpochs sets how often all nodes are gone through.
func WithEpochs(epochs int) Option { return func(c *config) { c.Epochs = epochs } }

// WithRankStop ends the training after the first epoch in which the effective rank of
// the centred output H is at most rank: the participation ratio
//
//	(Σ λ_j)²/Σ λ_j²,  λ the eigenvalues of the covariance of the rows of H,
//
// d′ where all directions have the same energy and 1 where one has all. An objective
// that nothing bounds pours the energy of H into the leading directions of ΔW, one
// by one; this is an early stop that asks for no labels. It costs n·d′²/2
// multiplications an epoch.
func WithRankStop(rank float64) Option { return func(c *config) { c.StopRank = rank } }

// WithBatchSize trains on blocks of at most so many nodes that hold together, one
// after the other. The output of a block is exactly what the whole graph gives for
// its nodes; ΔW is that of the graph induced on the block, W⁺ and negatives
// normalised within it, so that it still lacks the trivial direction. Memory
// of the steps then grows with the surroundings of a block, not with the graph; the
// embedding at the end, and every validation, takes one forward pass over all of it.
func WithBatchSize(nodes int) Option { return func(c *config) { c.BatchSize = nodes } }

// WithNorm sets r, the mean norm of the centred rows of the embedding.
func WithNorm(r float64) Option { return func(c *config) { c.Norm = r } }

// WithPrecision sets the type of the numbers that are computed with.
func WithPrecision(p coles.Precision) Option { return func(c *config) { c.Precision = p } }

// WithSeed sets the seed of all random draws (1).
func WithSeed(seed uint64) Option { return func(c *config) { c.Seed = seed } }

// WithProgress calls f, from the calling goroutine, after every epoch.
func WithProgress(f func(Progress)) Option { return func(c *config) { c.progress = f } }

// A Score judges an embedding, rows in the order of the graph's: the higher, the
// better. It may keep the matrix.
type Score func(ctx context.Context, epoch int, y *mat.Dense) (float64, error)

// WithValidation judges the embedding after every so many epochs, stops once
// patience judgements in a row have brought no better one than before, and
// goes back to the parameters of the best. It is the place for labels of
// validation nodes.
func WithValidation(score Score, every, patience int) Option {
	return func(c *config) { c.validation = validation{score, every, patience} }
}

// WithCheckpoints calls save after every so many epochs. What it returns ends the
// training.
func WithCheckpoints(every int, save func(*Checkpoint) error) Option {
	return func(c *config) { c.checkpoint = checkpoints{every, save} }
}

// validation is what WithValidation sets.
type validation struct {
	score           Score
	every, patience int
}

func (v validation) check() error {
	if v.score != nil && (v.every < 1 || v.patience < 1) {
		return fmt.Errorf("gnn: validation: %w: every %d epochs with a patience of %d, want at least 1", coles.ErrSetting, v.every, v.patience)
	}
	return nil
}

// checkpoints is what WithCheckpoints sets.
type checkpoints struct {
	every int
	save  func(*Checkpoint) error
}

func (c checkpoints) check() error {
	if c.save != nil && c.every < 1 {
		return fmt.Errorf("gnn: checkpoints: %w: every %d epochs, want at least 1", coles.ErrSetting, c.every)
	}
	return nil
}

// Progress says how far a training is.
type Progress struct {
	Epoch, Epochs int     // done, and at most to be done
	Loss          float64 // the mean over the steps of the epoch, before each step
	GradientNorm  float64 // of all parameters together, in the last step
	Orthogonality float64 // ‖HᵀH/n − I‖²_F/d′ of the last step
	Rank          float64 // effective rank of H in the last step: see [WithRankStop]
	Score         float64 // of WithValidation, the newest; NaN before the first
	Best          float64 // the best of them
	Seconds       float64 // since the start
}
