package distributed

import (
	"reflect"

	"coles/internal/spectral"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// Beam finds the steps of a pipeline, the types of their elements and the coders of these by name.
func init() {
	for _, step := range []any{
		&readEdges{}, &readFeatures{}, &readNames{}, &readNamedEdges{}, &numberFirst{}, &numberSecond{},
		&cutRows{}, &joinRows{}, &survey{}, &squareColumns{}, &correlate{}, &learn{}, &cutEdges{}, &makeTiles{}, &prepareBlock{}, &gatherFacts{},
		&addUp{}, &unitGram{}, &findDirections{}, &alongDirections{}, &addProducts{}, &addInfluence{}, &estimateSlopes{},
		&needCommunities{}, &hideEdges{}, &arrive{}, &addMoments{}, &centre{}, &addLikeness{}, &decide{},
		&hop{}, &loadedHop{}, &mark{}, &gram{}, &loadedGram{}, &solve{}, &project{}, &weigh{}, &lengths{}, &assemble{}, &scale{}, &narrow{}, &scaleBlock{},
		&writeState{}, &listState{}, &readState{}, &listShards{}, &writeSmall{}, &writeEmbedding{}, &listFiles{},
	} {
		beam.RegisterDoFn(reflect.TypeOf(step))
	}
	for _, element := range []any{rowShard{}, stateShard{}, File{}} {
		beam.RegisterType(reflect.TypeOf(element))
	}
	for _, element := range []any{
		edgeChunk{}, rowChunk{}, names{}, piece{}, sums{}, learned{}, facts{}, choice{}, directions{}, solution{}, spectral.Weights{},
	} {
		beam.RegisterType(reflect.TypeOf(element))
		beam.RegisterCoder(reflect.TypeOf(element), encode, decode)
	}
	beam.RegisterFunction(encode)
}
