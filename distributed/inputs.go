package distributed

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// identify finds out the content of the inputs. The order of edges does not matter.
func (r *run) identify(ctx context.Context) error {
	known := map[string]InputFile{}
	for _, folder := range []string{r.Out, within(r.Work, "prepare")} {
		if m, err := ReadManifest(ctx, folder); err == nil {
			for _, f := range m.Inputs {
				known[f.Path] = f
			}
		}
	}
	if err := identify(ctx, r.inputs, known, func(done int) { r.Progress("inputs", done, len(r.inputs)) }); err != nil {
		return err
	}
	program, err := hashOf(ctx, r.engine.program())
	if err != nil {
		return err
	}
	r.content = []any{program}
	rest := r.inputs
	for _, kind := range kinds {
		var sums []string
		for _, f := range rest[:len(r.shards[kind])] {
			sums = append(sums, f.SHA256)
		}
		if rest = rest[len(sums):]; kind == "edges" {
			slices.Sort(sums)
		}
		r.content = append(r.content, sums)
	}
	return nil
}

// input adds the reading of all shards to a pipeline. The folder of its attempt has a list of them.
func (r *run) input(s beam.Scope, at string) input {
	read := func(kind string) beam.PCollection {
		return beam.ParDo(s.Scope(kind), &listShards{within(at, shardsName), kind}, beam.Impulse(s))
	}
	in := input{features: readShards(s, read("features"))}
	switch {
	case r.shards["edges"] == nil:
	case r.shards["names"] != nil:
		in.edges = readNaming(s, read("names"), bucketsOf(r.plan.Nodes)).readEdges(s, read("edges"))
	default:
		in.edges = readEdgeFiles(s, r.plan.Nodes, read("edges"))
	}
	return in
}

// shardsName is the file with the shards of a job. They are not in the job graph: it has a limit of bytes.
const shardsName = "shards.json"

func writeShards(ctx context.Context, at string, shards map[string][]rowShard) error {
	text, err := json.Marshal(shards)
	if err == nil {
		_, err = put(ctx, at, shardsName, text)
	}
	return err
}

// listShards lists the shards of a kind.
type listShards struct{ Path, Kind string }

func (f *listShards) ProcessElement(ctx context.Context, _ []byte, emit func(rowShard)) error {
	text, err := readFile(ctx, f.Path)
	if err != nil {
		return err
	}
	all, err := decoded[map[string][]rowShard](text)
	for _, shard := range all[f.Kind] {
		emit(shard)
	}
	return err
}
