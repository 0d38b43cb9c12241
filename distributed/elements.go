package distributed

import (
	"fmt"
	"reflect"

	"coles"
	"coles/internal/spectral"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// Beam finds the steps of a pipeline, the types of their elements and the coders of these by name.
func init() {
	for _, step := range []any{
		&readEdges{}, &readFeatures{}, &readNames{}, &readNamedEdges{}, &numberFirst{}, &numberSecond{},
		&cutRows{}, &joinRows{}, &survey{}, &squareColumns{}, &learn{}, &cutEdges{}, &makeTiles{}, &prepareBlock{}, &gatherFacts{},
		&addUp{}, &knownChoice{}, &drawSigns{}, &spread{}, &alongBasis{}, &multiply{}, &estimateAlignment{},
		&needCommunities{}, &hideEdges{}, &arrive{}, &addMoments{}, &addLikeness{}, &decide{},
		&hop{}, &loadedHop{}, &mark{}, &gram{}, &loadedGram{}, &solve{}, &project{}, &weigh{}, &lengths{}, &assemble{}, &scale{}, &narrow{}, &scaleBlock{},
		&writeState{}, &listState{}, &readState{}, &listShards{}, &writeSmall{}, &writeEmbedding{}, &listFiles{},
	} {
		beam.RegisterDoFn(reflect.TypeOf(step))
	}
	for _, element := range []any{rowShard{}, stateShard{}, File{}} {
		beam.RegisterType(reflect.TypeOf(element))
	}
	for _, element := range []any{
		EdgeChunk{}, Rows{}, names{}, piece{}, sums{}, learned{}, facts{}, choice{}, solution{}, spectral.Weights{},
	} {
		beam.RegisterType(reflect.TypeOf(element))
		beam.RegisterCoder(reflect.TypeOf(element), encode, decode)
	}
	beam.RegisterFunction(encode)
}

// check compares the lengths.
func (c EdgeChunk) check() error {
	if len(c.U) != len(c.V) || c.Weight != nil && len(c.Weight) != len(c.U) {
		return fmt.Errorf("%w: edges of %d and %d nodes with %d weights", coles.ErrShape, len(c.U), len(c.V), len(c.Weight))
	}
	return nil
}

func (c *EdgeChunk) add(u, v int64, w float64) {
	c.Weight = appendWeight(c.Weight, len(c.U), w)
	c.U, c.V = append(c.U, u), append(c.V, v)
}

func (r Rows) check() error {
	if r.Columns == 0 && len(r.Data) == 0 { // truncation may leave no columns
		return nil
	}
	return checkPanel(len(r.Data), r.Columns)
}

// sums are numbers of a block, or of some blocks.
type sums struct {
	Place int64     // among those that are added in one go
	Add   []float64 // add up over the blocks
	Most  []float64 // of these the largest counts
	Seen  *seen     // of survey
}

func (s sums) check() error { return nil }

// A solution is the small problem solved: the directions V of the columns, P and perhaps below it
// the direction of degrees.
type solution struct {
	Columns    int
	Lambda     []float64
	Directions []float64
	Mean       []float64 // of the columns of FXVᵀ
}

func (s solution) check() error {
	rows, pairs := len(s.Mean), len(s.Lambda)
	if err := checkPanel(len(s.Directions), s.Columns); err != nil || len(s.Directions) != rows*s.Columns || rows < pairs || rows > pairs+1 {
		return fmt.Errorf("%d eigenvalues, %d numbers and %d means of directions among %d", pairs, len(s.Directions), rows, s.Columns)
	}
	return nil
}
