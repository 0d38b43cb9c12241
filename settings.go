package coles

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"coles/internal/linear"
	"coles/internal/matrix"
	"coles/internal/prepare"
	"coles/internal/setting"
)

// Settings are the choices [Fit] makes, as one value that survives JSON. [DefaultSettings] is the
// place to start; [With] and shorter options change it.
type Settings struct {
	// Dim is d′, the most columns of the embedding. Features, or nodes without features, bound all columns but neighbour
	// columns and columns of roles. 0 means 128, or without features a third of the nodes, at least 2.
	Dim         int             `json:"dim"`
	Seed        uint64          `json:"seed"`        // of all randomness
	Preparation Preparation     `json:"preparation"` // of X
	Filter      Filter          `json:"filter"`      // F; the zero value is S2GCSum(8), without features S2GCSum(24)
	Negatives   NegativeSampler `json:"negatives"`   // make ΔW with κ and η′: see [Contrast]
	Kappa       int             `json:"kappa"`       // κ
	Eta         float64         `json:"eta"`         // η′
	WeightSpan  float64         `json:"weight_span"` // the largest weight over the median from which w counts as log(1 + w/median); 0 for never
	Kind        Kind            `json:"kind"`        // the graph with its features, or the features alone
	Scaling     ScalingRule     `json:"scaling"`     // turns P into embeddings
	Structure   Share           `json:"structure"`   // of neighbour columns beside those of features
	Truncate    bool            `json:"truncate"`    // drops eigenvalues that are negative, or 0 but for rounding: fewer columns
	Solver      Solver          `json:"solver"`      // of the eigenvectors
	Precision   Precision       `json:"precision"`   // of X, W, ΔW and the embedding
}

// DefaultSettings is one setting for every graph. A fit sees no labels; the constants were chosen with the accuracies of 31
// graphs in view. Settings not listed here are auto:
//
//	Dim          0: more than 128 changes nothing once the columns are weighted
//	Filter       auto: 8 hops, or 24 without features, where the columns of few edges say little alone
//	Negatives    ExpectedDegreeNegatives: deterministic, and with η′ = 1 no trivial direction is left; a closed form has no κ
//	WeightSpan   100: amounts and counts over decades, such as passengers, drown all others
//	Scaling      effective rank 20 at γ = 0, half of it per unit of γ, at least 8: no fixed γ suits all graphs;
//	             row norm 4, for a classifier with C = 1
func DefaultSettings() Settings {
	return Settings{
		Seed:      1,
		Negatives: ExpectedDegreeNegatives(),
		Kappa:     1,
		Eta:       1,

		WeightSpan: 100,
		Scaling:    ScalingRule{Rank: 20, Floor: 8, Norm: 4},

		Structure: AutoShare,
	}
}

// UnmarshalJSON reads settings. Missing members leave what s has, so that a file may hold only what differs
// from [DefaultSettings]; unknown ones are an [ErrSetting]. "model" is an older name of "kind",
// and "degree_share" of earlier versions says nothing any more.
func (s *Settings) UnmarshalJSON(text []byte) error {
	type plain Settings
	read := struct {
		plain
		Older   *Kind   `json:"model"`
		Degrees float64 `json:"degree_share"`
	}{plain: plain(*s)}
	read.Older = &read.Kind
	if err := setting.UnmarshalJSON(text, &read); err != nil {
		return fmt.Errorf("coles: settings: %w", err)
	}
	*s = Settings(read.plain)
	return nil
}

// linear has the numbers of F, ΔW and the columns, where Kind is resolved.
func (s Settings) linear() linear.Terms {
	if s.Kind == UseFeatures {
		return linear.Terms{Filter: []float64{1}, Alone: true, Dim: s.Dim}
	}
	f := s.contrasting().linear()
	f.Filter, f.Dim = s.filterFor(1).coef, s.Dim // a fit without features has set F
	return f
}

func (s Settings) contrasting() contrasting {
	return contrasting{s.Negatives, s.Kappa, s.Eta, s.Seed}
}

// WithoutGraph returns the settings of [UseFeatures], else with the defaults.
func (s Settings) WithoutGraph() Settings {
	d := DefaultSettings()
	s.Kind, s.Filter, s.Negatives, s.Kappa, s.Eta = UseFeatures, d.Filter, d.Negatives, d.Kappa, d.Eta
	s.WeightSpan = d.WeightSpan
	return s
}

// Check reports every setting that is outside its range, an [ErrSetting].
func (s Settings) Check() error {
	var errs []error
	wrong := func(bad bool, field string, value any, want string) {
		if bad {
			errs = append(errs, fmt.Errorf("coles: %w", setting.Bad(field, value, "%s", want)))
		}
	}
	wrong(s.Dim < 0 || s.Dim >= math.MaxInt32, "Dim", s.Dim, "1 to 2147483646, or 0 for the default")
	wrong(!(s.WeightSpan == 0 || s.WeightSpan >= 1 && s.WeightSpan <= math.MaxFloat64), "WeightSpan", s.WeightSpan, "1 or more, or 0 for never")
	wrong(!s.Structure.valid(), "Structure", s.Structure, "auto, or 0 or more and less than 1")
	wrong(s.Preparation < 0 || int(s.Preparation) >= len(prepare.Names), "Preparation", s.Preparation, strings.Join(prepare.Names, ", "))
	wrong(s.Kind < 0 || int(s.Kind) >= len(kindNames), "Kind", s.Kind, strings.Join(kindNames, ", "))
	wrong(s.Solver < 0 || int(s.Solver) >= len(solverNames), "Solver", s.Solver, strings.Join(solverNames, ", "))
	wrong(s.Precision < 0 || int(s.Precision) >= len(precisionNames), "Precision", s.Precision, strings.Join(precisionNames, ", "))
	errs = append(errs, s.Filter.checkSetting(), s.contrasting().check(), s.Scaling.check())
	return errors.Join(errs...)
}

// An Option changes one choice of [Fit].
type Option func(*config)

type config struct {
	Settings
	progress Progress
	scratch  string // a folder, or ""
	budget   int64  // of memory, in bytes
}

// newConfig applies options to the default settings and checks the result.
func newConfig(opts []Option) (config, error) {
	c := config{Settings: DefaultSettings(), progress: func(string, int, int) {}}
	for _, o := range opts {
		if o == nil {
			panic("coles: a nil Option")
		}
		o(&c)
	}
	return c, c.Check()
}

// WithSettings replaces all settings; later options change them.
func WithSettings(s Settings) Option { return func(c *config) { c.Settings = s } }

// With changes settings as the earlier options left them:
//
//	coles.With(func(s *coles.Settings) { s.Kind, s.Solver = coles.UseGraph, coles.SolverKrylov })
func With(change func(s *Settings)) Option {
	if change == nil {
		panic("coles: With of a nil function")
	}
	return func(c *config) { change(&c.Settings) }
}

// WithDim sets d′, the most columns of the embedding, 0 for the default.
func WithDim(dim int) Option { return func(c *config) { c.Dim = dim } }

// WithSeed sets the seed of all random draws (1).
func WithSeed(seed uint64) Option { return func(c *config) { c.Seed = seed } }

// WithFilter sets the filter F.
func WithFilter(f Filter) Option { return func(c *config) { c.Filter = f } }

// WithPrecision sets the type of the numbers of [Fit] and [Model.Embed].
func WithPrecision(p Precision) Option { return func(c *config) { c.Precision = p } }

// Progress is called as long work proceeds: with the stage, and how much of it is done, 0 at its start.
// The total is an estimate.
type Progress func(stage string, done, total int)

// WithProgress calls f from the calling goroutine in the stages "prepare", "filter", "solve" and "embed".
func WithProgress(f Progress) Option {
	if f == nil {
		panic("coles: a nil Progress")
	}
	return func(c *config) { c.progress = f }
}

// WithScratch lets [Fit] work on data larger than memory: the prepared features, FX and the embedding lie in unnamed files of
// a folder, best on an SSD, until [Model.Close]. The fit takes memory bytes, besides a graph and features in memory; read by
// [coles/dataset.OpenCSR] and [coles/dataset.MapNPY] they take none. With less the graph is read more often, at most once a
// hop for 64 bytes of a row. A [Structure] is in memory. Errors: [ErrTooLarge] for too little memory, [syscall.ENOSPC],
// [ErrSetting] for another solver than [SolverDirect], [errors.ErrUnsupported] but on Linux.
func WithScratch(dir string, memory int64) Option {
	return func(c *config) { c.scratch, c.budget = dir, memory }
}

// A Kind chooses whether a model embeds nodes by the graph and their features, or by their
// features alone. The zero value, "auto", follows the [Alignment].
type Kind int

const (
	// UseGraph is COLES: FXPᵀ with the top eigenvectors P of XᵀFᵀΔWFX.
	UseGraph Kind = iota + 1
	// UseFeatures is COLES with F = I and ΔW = I: XPᵀ with the top eigenvectors P of XᵀX − ½diag(XᵀX), not centred, scaled in
	// the same way. Half of a column's own square is left out. Else the part that it shares with no column, its unique
	// variance, would come before what many say together. It is for graphs whose neighbours differ.
	UseFeatures
)

var kindNames = []string{"auto", "graph", "features"}

func (k Kind) String() string               { return setting.Name(k, kindNames) }
func (k Kind) MarshalText() ([]byte, error) { return setting.Marshal(k, kindNames) }
func (k *Kind) UnmarshalText(text []byte) error {
	return setting.Unmarshal(k, text, kindNames)
}

// ClusteringSettings are for k-means on rows of length 1, for these numbers of nodes and features, 0 for none. All columns weigh
// alike there, and what clusters share is in the first few: d′ = 32, K = 20 hops, effective rank 12, at least 10, and
// [PrepareUndamped]; without features rank 20 throughout, and S²GC with α = 0.
func ClusteringSettings(nodes, features int) Settings {
	s := DefaultSettings()
	s.Dim = dimFor(32, nodes, features)
	if features == 0 {
		s.Filter, s.Scaling = S2GC(20, 0), ScalingRule{Rank: 20, Floor: 20, Norm: 4}
		return s
	}
	s.Preparation, s.Filter, s.Scaling = PrepareUndamped, S2GCSum(20), ScalingRule{Rank: 12, Floor: 10, Norm: 4}
	return s
}

// LinkSettings are for cosines that predict links, for a size as in [ClusteringSettings]. No power of the eigenvalues may
// flatten a cosine, and two hops matter more than eight: d′ = 256, the S²GC of the paper with K = 3 and α = 0.05, γ = 0;
// without features K = 2, α = 0 and effective rank 0.55·d′: change Rank and Floor with Dim. The graph is
// always used: without it links are guesses.
func LinkSettings(nodes, features int) Settings {
	s := DefaultSettings()
	s.Kind = UseGraph
	s.Dim, s.Filter, s.Scaling = dimFor(256, nodes, features), S2GC(3, 0.05), ScalingRule{Norm: 4}
	if features == 0 {
		rank := max(1, 0.55*float64(s.madeColumns(nodes)))
		s.Filter, s.Scaling = S2GC(2, 0), ScalingRule{Rank: rank, Floor: rank, Norm: 4}
	} else if features <= linear.DefaultDim {
		s.Dim = 0 // all of them, and room for neighbour columns
	}
	return s
}

// dimFor is d′ where that is possible, or the default for graphs of their size.
func dimFor(dim, nodes, features int) int {
	switch {
	case features > 0:
		return min(dim, features)
	case nodes > 3*dim:
		return dim
	}
	return 0
}

// A Share is the part of the vectors' energy, below 1, that is in neighbour columns. These tell who the neighbours are,
// whatever features they have. A fit without features makes them, with γ = 0, and with 24 hops where the features have
// S2GCSum(8). The number of the features' columns falls with the share: at ½ a quarter of d′ stays, or the rank aimed at if
// that is more, but at most half.
//
// [AutoShare] is 0 in a feature model, [WithScratch], and in package distributed. It is also 0 unless d′ is twice the Rank, 20
// for a fixed γ, and at most half of the nodes. Else it is
//
//	share = g·min(½, max(0, 1 − c·min(1, e/b)/(6·(1 + f)), 1 − s/max(0.8·f, 3r²))),  g = min(1, max(0, s/0.8, r/3σ)).
//
// It grows with the part f of d′ that features leave free, which is all if they are noise, the fewer entries c a prepared row
// has in the mean, and the smaller the effective rank e of the features' columns is, beside the bound b that γ keeps it to. It
// grows the less neighbours are alike, by s of [Alignment], the larger the communities are: their r has the deviation σ. Where
// none are found, g is small. From s = 0.8 on r is not measured: what depends on it is left out, and g = 1. So is e for a
// fixed γ.
type Share float64

// AutoShare is the share that is chosen without labels.
const AutoShare Share = -1

func (s Share) String() string {
	if s == AutoShare {
		return "auto"
	}
	return strconv.FormatFloat(float64(s), 'g', -1, 64)
}

func (s Share) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

func (s *Share) UnmarshalText(text []byte) error {
	if string(text) == "auto" {
		*s = AutoShare
		return nil
	}
	v, err := strconv.ParseFloat(string(text), 64)
	*s = Share(v)
	if err != nil || !s.valid() {
		return setting.Bad("Structure", string(text), "auto, or 0 or more and less than 1")
	}
	return nil
}

func (s Share) valid() bool { return s == AutoShare || s >= 0 && s < 1 }

// A ScalingRule weights the columns of an embedding by their eigenvalues.
type ScalingRule struct {
	Rank  float64 `json:"rank"`  // bounds the effective rank: see [ScalingRule.Fit]; 0 fixes γ at Power
	Floor float64 `json:"floor"` // of that bound
	Power float64 `json:"power"` // γ where Rank is 0; 0 is the paper's letter, FXPᵀ
	Norm  float64 `json:"norm"`  // r, the mean norm of the centred rows
}

func (r ScalingRule) check() error {
	switch {
	case !matrix.Finite(r.Power) || r.Power < 0 || r.Rank != 0 && r.Power != 0:
		return fmt.Errorf("coles: %w", setting.Bad("Scaling.Power", r.Power, "0 or more, and 0 where γ follows Rank"))
	case !matrix.Finite(r.Floor) || r.Rank != 0 && !(matrix.Finite(r.Rank) && r.Rank >= 1 && r.Floor >= 1 && r.Floor <= r.Rank):
		return fmt.Errorf("coles: %w", setting.Bad("Scaling.Rank", r.Rank, "0, or at least Floor, %v, which is at least 1", r.Floor))
	case !(matrix.Finite(r.Norm) && r.Norm > 0):
		return fmt.Errorf("coles: %w", setting.Bad("Scaling.Norm", r.Norm, "more than 0 and finite, as coles.DefaultSettings has it"))
	}
	return nil
}

// A Scaling weights the columns of an embedding by their eigenvalues. An orthonormal P alone adds nothing to
// a classifier with an L2 penalty.
type Scaling struct {
	Power         float64   // γ
	EffectiveRank float64   // of the centred, scaled embedding
	Factors       []float64 // what each column is multiplied by
}
