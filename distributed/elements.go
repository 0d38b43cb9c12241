package distributed

import (
	"fmt"
	"reflect"

	"coles"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// Beam finds the steps of a pipeline, the types of their elements and the coders of these by name.
func init() {
	for _, step := range []any{
		&readEdges{}, &readFeatures{}, &readNames{}, &readNamedEdges{}, &numberFirst{}, &numberSecond{},
		&cutRows{}, &joinRows{}, &survey{}, &squareColumns{}, &learn{}, &cutEdges{}, &makeTiles{}, &prepareBlock{}, &gatherFacts{},
		&addUp{}, &knownChoice{}, &drawSigns{}, &spread{}, &alongBasis{}, &multiply{}, &estimateAlignment{},
		&needCommunities{}, &hideEdges{}, &arrive{}, &addMoments{}, &addLikeness{}, &decide{},
		&hop{}, &mark{}, &gram{}, &solve{}, &project{}, &weigh{}, &lengths{}, &assemble{}, &scale{}, &narrow{}, &scaleBlock{},
		&writeState{}, &listState{}, &readState{}, &listShards{}, &writeSmall{}, &writeEmbedding{}, &listFiles{},
	} {
		beam.RegisterDoFn(reflect.TypeOf(step))
	}
	for _, element := range []any{rowShard{}, stateShard{}, File{}} {
		beam.RegisterType(reflect.TypeOf(element))
	}
	beam.RegisterFunction(encodeFacts)
	beam.RegisterFunction(encodeChoice)
	registerFrames(encodeEdges, decodeEdges)
	registerFrames(encodeRows, decodeRows)
	registerFrames(encodeNames, decodeNames)
	registerFrames(encodeCells, decodeCells)
	registerFrames(encodePiece, decodePiece)
	registerFrames(encodeSums, decodeSums)
	registerFrames(encodeLearned, decodeLearned)
	registerFrames(encodeFacts, decodeFacts)
	registerFrames(encodeChoice, decodeChoice)
	registerFrames(encodeSolution, decodeSolution)
	registerFrames(encodeWeights, decodeWeights)
}

func encodeEdges(c EdgeChunk) []byte { return framed(c) }

func decodeEdges(b []byte) (EdgeChunk, error) { return unframed[EdgeChunk](b) }

// check compares the lengths.
func (c EdgeChunk) check() error { return checkEdges(len(c.U), len(c.V), c.Weight) }

// checkEdges compares the numbers of first ends, second ends and weights, if there are any.
func checkEdges(u, v int, weight []float64) error {
	if u != v || weight != nil && len(weight) != u {
		return fmt.Errorf("%w: edges of %d and %d nodes with %d weights", coles.ErrShape, u, v, len(weight))
	}
	return nil
}

func encodeRows(r Rows) []byte { return framed(r) }

func decodeRows(b []byte) (Rows, error) { return unframed[Rows](b) }

func (r Rows) check() error {
	if r.Columns == 0 && len(r.Data) == 0 { // truncation may leave no columns
		return nil
	}
	return checkPanel(len(r.Data), r.Columns)
}

// cells are edges of a block: between its rows U and the nodes V.
type cells struct {
	U      []int32
	V      []int64
	Weight []float64 // nil where all are 1
}

func encodeCells(c cells) []byte { return framed(c) }

func decodeCells(b []byte) (cells, error) { return unframed[cells](b) }

func (c cells) check() error { return checkEdges(len(c.U), len(c.V), c.Weight) }

// sums are numbers of a block, or of some blocks.
type sums struct {
	Place int64     // among those that are added in one go
	Add   []float64 // add up over the blocks
	Most  []float64 // of these the largest counts
}

func encodeSums(s sums) []byte { return framed(s) }

func decodeSums(b []byte) (sums, error) { return unframed[sums](b) }

func (s sums) check() error { return nil }

// A solution is the small problem solved: the directions V of the columns, P and perhaps below it
// the direction of degrees.
type solution struct {
	Columns    int
	Lambda     []float64
	Directions []float64
	Mean       []float64 // of the columns of FXVᵀ
}

func encodeSolution(s solution) []byte { return framed(s) }

func decodeSolution(b []byte) (solution, error) { return unframed[solution](b) }

func (s solution) check() error {
	rows, pairs := len(s.Mean), len(s.Lambda)
	if err := checkPanel(len(s.Directions), s.Columns); err != nil || len(s.Directions) != rows*s.Columns || rows < pairs || rows > pairs+1 {
		return fmt.Errorf("%d eigenvalues, %d numbers and %d means of directions among %d", pairs, len(s.Directions), rows, s.Columns)
	}
	return nil
}
