package coles

import "coles/internal/setting"

// A Purpose is what vectors are for. What helps a classifier, which weighs columns itself, can harm
// a cosine or a distance, which do not.
type Purpose int

const (
	// ForClassification is what [DefaultSettings] are for: a classifier with an L2 penalty learns
	// classes from the vectors of a few nodes.
	ForClassification Purpose = iota
	// ForClustering is for k-means on rows scaled to length 1. What clusters share is in the first
	// few eigenvectors, and k-means weighs all columns alike: d′ = 32, K = 20 hops, effective rank
	// 12 and floor 10, no column of degrees, and PrepareUndamped.
	ForClustering
	// ForLinks is for cosines that tell which nodes will be joined. A cosine weighs the columns as
	// they are, so that no power of the eigenvalues may flatten them, and what is two edges away
	// says more than what is eight away: d′ = 256, the S²GC of the paper with K = 3 and α = 0.05, γ
	// = 0, no column of degrees. The graph is always used: without it links are guesses.
	ForLinks
)

var purposeNames = []string{"classification", "clustering", "links"}

// String is the name that UnmarshalText reads.
func (p Purpose) String() string { return setting.Name(p, purposeNames) }

// MarshalText gives the name that UnmarshalText reads.
func (p Purpose) MarshalText() ([]byte, error) { return setting.Marshal(p, purposeNames) }

// UnmarshalText reads a name such as "links".
func (p *Purpose) UnmarshalText(text []byte) error { return setting.Unmarshal(p, text, purposeNames) }

// Settings are those for a purpose, of a graph of so many nodes with so many features, 0 for none.
// They are [DefaultSettings] but for what the purpose says.
func (p Purpose) Settings(nodes, features int) Settings {
	s := DefaultSettings()
	switch p {
	case ForClustering:
		s.Dim = dimFor(32, nodes, features)
		s.Preparation, s.Filter, s.DegreeShare = PrepareUndamped, S2GCSum(20), 0
		s.Scaling = ScalingRule{Rank: 12, Floor: 10, Norm: 4}
	case ForLinks:
		s.Dim = dimFor(256, nodes, features)
		s.Model, s.Filter, s.DegreeShare = GraphModel, S2GC(3, 0.05), 0
		s.Scaling = ScalingRule{Norm: 4}
	}
	return s
}

// dimFor is d′ where that is possible, or the default for graphs of their size.
func dimFor(dim, nodes, features int) int {
	switch {
	case features > 0:
		return min(dim, features)
	case nodes > 16*dim:
		return dim
	}
	return 0
}
