package coles

import (
	"strconv"

	"coles/internal/setting"
)

// A Share is how much of the energy of the vectors, below 1, is in columns that tell who the neighbours are,
// whatever features these have: the columns of a fit without features, by their [Structure], with γ = 0, and with the
// filter of the features where that is another than S2GCSum(8). Those of the features come first: a quarter of d′, or
// the effective rank that is aimed at, but at most half.
//
// [AutoShare] is 0 in a feature model, [WithScratch], in package distributed, where Rank, or 20 for a fixed γ, is more
// than d′/2, and where d′ is more than half of the nodes. Elsewhere it is ½ where the graph was taken for its
// communities, or a row of features as prepared has 5 entries at most in the mean, as of a few columns of a table: what
// such features tell of a node may be of no use, and what its neighbours tell is not in them. It is measured with less
// than 8 entries, and where a Rank leads to γ = 0 and there are fewer features than d′. Let R be as in [Alignment], T =
// R_B·R_Bᵀ for half B of its columns, K_N = ZZᵀ for Z = F°R_A with the other half and F without its term k = 0, K_L =
// LLᵀ for the columns L in question, and a(K) = ⟨K, T⟩/‖K‖ off the diagonal, over both halves. Then
//
//	share = min(½, max(0, 1 − a(K_N)/a(K_L))).
//
// A share costs a fit without features, and in the file of the model as much as its Structure.
type Share float64

// AutoShare is the share that is chosen without labels.
const AutoShare Share = -1

// few is the mean number of entries of rows below which features, as of a few columns of a table, may tell little of a
// node. Up to fewest they do. The words of a film (actor), which come to 5.4, still do better alone, and those of what a
// package is (packages), to 5.9, without columns of the structure.
const (
	few    = 8
	fewest = 5
)

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
