package distributed

import (
	"cmp"
	"fmt"
	"slices"

	"coles"
	"coles/internal/matrix"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// fanIn is how many sums are added in one go: few enough to be held, at d = 2,000 a gigabyte of them.
const fanIn = 32

// total adds up the sums of all blocks, a collection of KV<int64, sums> with keys by [partOf]. Sums of floating-point numbers
// depend on their order. A CombineFn adds in any order; here a tree of block numbers, which depends only on how many there
// are, gives the order. The result is a collection of one sums.
func total(s beam.Scope, parts beam.PCollection, blocks int64) beam.PCollection {
	for {
		blocks = (blocks + fanIn - 1) / fanIn
		parts = beam.ParDo(s, &addUp{}, beam.GroupByKey(s, parts))
		if blocks == 1 {
			return beam.DropKey(s, parts)
		}
	}
}

// partOf is the key under which the sums of a block are added, and the sums.
func partOf(block int64, add, most []float64) (int64, sums) {
	return block / fanIn, sums{Place: block, Add: add, Most: most}
}

type addUp struct{}

func (*addUp) ProcessElement(key int64, next func(*sums) bool) (int64, sums, error) {
	var parts []sums
	for p := (sums{}); next(&p); p = (sums{}) {
		parts = append(parts, p)
	}
	slices.SortFunc(parts, func(a, b sums) int { return cmp.Compare(a.Place, b.Place) })
	all := sums{Add: slices.Clone(parts[0].Add), Most: slices.Clone(parts[0].Most), Seen: parts[0].Seen}
	for k, p := range parts[1:] {
		if p.Place == parts[k].Place || len(p.Add) != len(all.Add) || len(p.Most) != len(all.Most) {
			return 0, sums{}, fmt.Errorf("distributed: %w: sums of block %d and of block %d do not go together", coles.ErrShape, parts[k].Place, p.Place)
		}
		if p.Seen != nil {
			all.Seen.merge(p.Seen)
		}
		for q, v := range p.Add {
			all.Add[q] += v
		}
		for q, v := range p.Most {
			all.Most[q] = max(all.Most[q], v)
		}
	}
	all.Place = key
	return key / fanIn, all, nil
}

// sums are numbers of a block, or of some blocks.
type sums struct {
	Place int64     // among those that are added in one go
	Add   []float64 // add up over the blocks
	Most  []float64 // of these the largest counts
	Seen  *seen     // of survey
}

func (s sums) check() error { return nil }

// seen is the survey of some blocks.
type seen struct {
	Tally   matrix.Tally
	Roots   []matrix.RootSums
	Columns matrix.ColumnSums
}

func (v *seen) merge(part *seen) {
	v.Tally.Merge(&part.Tally)
	matrix.MergeRoots(v.Roots, part.Roots)
	v.Columns.Merge(part.Columns)
}
