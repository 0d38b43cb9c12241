package coles

import (
	"errors"
	"fmt"
	"math"

	"coles/internal/strict"
)

// Settings are the choices [Fit] makes, as one value that survives JSON.
// [DefaultSettings] is the place to start; the options change one field each.
type Settings struct {
	// Dim is d′, the length of an embedding vector; 0 means 128, or the number of
	// features where that is smaller. Without features it is 128 or a sixteenth of
	// the nodes, at least 2: with more columns a small graph has an almost complete
	// basis, in which all nodes are equally far apart.
	Dim int `json:"dim"`
	// Seed is where all randomness comes from.
	Seed uint64 `json:"seed"`
	// Features says how X is prepared.
	Features Preparation `json:"features"`
	// Filter is F.
	Filter Filter `json:"filter"`
	// Negatives, Kappa (κ) and Eta (η′) make ΔW: see [Contrast].
	Negatives NegativeSampler `json:"negatives"`
	Kappa     int             `json:"kappa"`
	Eta       float64         `json:"eta"`
	// Share is c in M = (FX)ᵀ(ΔW + c·I)(FX); AutoShare chooses it by [Smoothness].
	Share     float64 `json:"share"`
	AutoShare bool    `json:"auto_share"`
	// Scaling turns P into embeddings: see [SpectralScaling].
	Scaling ScalingRule `json:"scaling"`
	// Truncate drops eigenvectors of negative eigenvalues.
	Truncate bool `json:"truncate"`
	// Solver finds the eigenvectors.
	Solver Solver `json:"solver"`
	// Precision is the type of the numbers that X, W and ΔW are held in.
	Precision Precision `json:"precision"`
}

// A ScalingRule says how the columns of an embedding are weighted by their
// eigenvalues; see [SpectralScaling] for the formula.
type ScalingRule struct {
	// FixedPower uses Power as γ. Otherwise γ is the smallest in [0, 3] at
	// which the effective rank is at most max(Rank·2^−γ, Floor).
	FixedPower bool    `json:"fixed_power"`
	Power      float64 `json:"power"`
	Rank       float64 `json:"rank"`
	Floor      float64 `json:"floor"`
	// Norm is r, the mean norm of the centred rows.
	Norm float64 `json:"norm"`
}

// DefaultSettings is one setting for every graph, chosen without labels:
//
//	Dim        0    that is 128, or d where that is smaller: more changes
//	                nothing once the columns are weighted by λ
//	Seed       1
//	Features   PrepareAuto
//	Filter     S2GCSum(8), the paper's S²GC in its authors' form
//	Negatives  ExpectedDegreeNegatives: deterministic, no trivial direction left
//	Kappa      1 (a closed form has no κ)
//	Eta        1, at which that direction goes exactly
//	Share      0
//	Scaling    effective rank 20 at γ = 0, half of it per unit of γ, at least 8:
//	           a fixed γ does not travel between graphs; row norm 4, because the
//	           scale of an embedding and a classifier's C are one knob
//	Truncate   false
//	Solver     SolverAuto
//	Precision  PrecisionAuto: float32 where it saves time, accuracy being the same
func DefaultSettings() Settings {
	return Settings{
		Seed:      1,
		Features:  PrepareAuto,
		Filter:    S2GCSum(8),
		Negatives: ExpectedDegreeNegatives(),
		Kappa:     1,
		Eta:       1,
		Scaling:   ScalingRule{Rank: 20, Floor: 8, Norm: 4},
	}
}

// UnmarshalJSON reads settings. Members that are not there leave what s has, so that
// a file may hold only what differs from [DefaultSettings]; those that no setting has
// are refused.
//
// Errors: [ErrSetting], saying what is wrong.
func (s *Settings) UnmarshalJSON(text []byte) error {
	type plain Settings
	read := plain(*s)
	if err := strict.Unmarshal(text, &read, ErrSetting); err != nil {
		return fmt.Errorf("coles: settings: %w", err)
	}
	*s = Settings(read)
	return nil
}

// defaultDim is d′ where the features allow it.
const defaultDim = 128

// freeDim is d′ for n nodes without features, of which limit columns can be had.
func freeDim(n, limit int) int { return max(1, min(defaultDim, max(2, n/16), limit)) }

// maxKappa bounds the number of negative graphs.
const maxKappa = 10_000

func (s Settings) check() error {
	var errs []error
	wrong := func(bad bool, format string, args ...any) {
		if bad {
			errs = append(errs, fmt.Errorf("coles: %w: "+format, append([]any{ErrSetting}, args...)...))
		}
	}
	if s.Dim < 0 {
		errs = append(errs, badDim(s.Dim))
	}
	wrong(s.Kappa < 0 || s.Kappa > maxKappa, "κ = %d, want 0 to %d", s.Kappa, maxKappa)
	wrong(!(s.Eta >= 0 && s.Eta <= 1), "η′ = %v, want 0 to 1", s.Eta)
	wrong(!finite(s.Share) || s.Share < 0, "covariance share c = %v, want 0 or more", s.Share)
	wrong(s.AutoShare && s.Share != 0, "covariance share both fixed (%v) and automatic", s.Share)
	wrong(s.Features < 0 || int(s.Features) >= len(preparationNames), "%v", s.Features)
	wrong(s.Solver < 0 || int(s.Solver) >= len(solverNames), "%v", s.Solver)
	wrong(s.Precision < 0 || int(s.Precision) >= len(precisionNames), "%v", s.Precision)
	errs = append(errs, s.Filter.check(), s.Negatives.check(), s.Scaling.check())
	return errors.Join(errs...)
}

func badDim(dim int) error { return fmt.Errorf("coles: %w: d′ = %d, want at least 1", ErrDim, dim) }

func (r ScalingRule) check() error {
	switch {
	case r.FixedPower && !(finite(r.Power) && r.Power >= 0):
		return fmt.Errorf("coles: %w: γ = %v, want 0 or more", ErrSetting, r.Power)
	case !r.FixedPower && !(finite(r.Rank) && r.Rank >= 1 && r.Floor >= 1 && r.Floor <= r.Rank):
		return fmt.Errorf("coles: %w: effective rank %v with floor %v, want 1 ≤ floor ≤ rank", ErrSetting, r.Rank, r.Floor)
	case !(finite(r.Norm) && r.Norm > 0):
		return fmt.Errorf("coles: %w: row norm r = %v, want more than 0", ErrSetting, r.Norm)
	}
	return nil
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// An Option changes one choice of [Fit], [Contrast], [Solve], [SolveImplicit],
// [Eigenmaps] or [SpectralScaling]. A function reads the options that concern
// it and validates all of them. A nil Option changes nothing.
type Option func(*config)

type config struct {
	Settings
	progress func(Progress)
	// skipComponents leaves component vectors out of an eigenmap.
	skipComponents bool
	err            error // of an option that its setting cannot hold
}

// newConfig applies options to the default settings and checks the result.
func newConfig(opts []Option) (config, error) {
	c := config{Settings: DefaultSettings()}
	for _, o := range opts {
		if o != nil {
			o(&c)
		}
	}
	return c, errors.Join(c.err, c.check())
}

// WithSettings replaces all settings at once; later options change them further.
func WithSettings(s Settings) Option { return func(c *config) { c.Settings, c.err = s, nil } }

// WithDim sets d′, the length of an embedding vector: at least 1, at most the
// number of features (see [Settings] for what it is otherwise).
func WithDim(dim int) Option {
	return func(c *config) {
		if c.Dim, c.err = dim, nil; dim < 1 {
			c.Dim, c.err = 0, badDim(dim)
		}
	}
}

// WithSeed sets the seed of all random draws (1).
func WithSeed(seed uint64) Option { return func(c *config) { c.Seed = seed } }

// WithFeatures sets how features are prepared ([PrepareAuto]).
func WithFeatures(p Preparation) Option { return func(c *config) { c.Features = p } }

// WithFilter sets the filter F ([S2GCSum] of 8 hops).
func WithFilter(f Filter) Option { return func(c *config) { c.Filter = f } }

// WithNegatives sets where negatives come from ([ExpectedDegreeNegatives]).
func WithNegatives(s NegativeSampler) Option { return func(c *config) { c.Negatives = s } }

// WithKappa sets κ, the number of negative graphs (1); 0 is no contrast: LPP.
func WithKappa(kappa int) Option { return func(c *config) { c.Kappa = kappa } }

// WithEta sets η′, the weight of the negatives, in [0, 1] (1).
func WithEta(eta float64) Option { return func(c *config) { c.Eta = eta } }

// WithCovarianceShare sets c in M = (FX)ᵀ(ΔW + c·I)(FX) (0).
func WithCovarianceShare(share float64) Option {
	return func(c *config) { c.Share, c.AutoShare = share, false }
}

// WithAutoCovarianceShare sets c = min(2ρ², 0.4), with ρ the [Smoothness] of the
// graph. It guards graphs on which a node's degree tells its class; on
// graphs that are dense and not homophilous it costs accuracy.
func WithAutoCovarianceShare() Option {
	return func(c *config) { c.Share, c.AutoShare = 0, true }
}

// WithPower fixes the spectral power γ; 0 is the paper's letter, FXPᵀ.
func WithPower(gamma float64) Option {
	return func(c *config) { c.Scaling.FixedPower, c.Scaling.Power = true, gamma }
}

// WithRank chooses γ by the effective rank: the smallest γ in [0, 3] at which it
// is at most max(rank·2^−γ, floor) (20 and 8).
func WithRank(rank, floor float64) Option {
	return func(c *config) {
		c.Scaling.FixedPower, c.Scaling.Power, c.Scaling.Rank, c.Scaling.Floor = false, 0, rank, floor
	}
}

// WithNorm sets r, the mean norm of the centred embedding rows (4).
func WithNorm(r float64) Option { return func(c *config) { c.Scaling.Norm = r } }

// WithTruncation drops eigenvectors whose eigenvalues are negative: the
// embedding may then have fewer than d′ columns.
func WithTruncation() Option { return func(c *config) { c.Truncate = true } }

// WithSolver sets how eigenvectors are found ([SolverAuto]).
func WithSolver(s Solver) Option { return func(c *config) { c.Solver = s } }

// WithPrecision sets the type of the numbers in which [Fit] and [Model.Embed] hold
// and multiply X, W and ΔW ([PrecisionAuto]).
func WithPrecision(p Precision) Option { return func(c *config) { c.Precision = p } }

// WithProgress calls f, from the calling goroutine, as work proceeds.
func WithProgress(f func(Progress)) Option { return func(c *config) { c.progress = f } }

// Progress says how far a long call is.
type Progress struct {
	Stage       string // "prepare", "filter", "solve" or "embed"
	Done, Total int    // of that stage; Total is an estimate
}

func (c config) report(stage string, done, total int) {
	if c.progress != nil {
		c.progress(Progress{stage, done, total})
	}
}
