package distributed

import (
	"context"
	"errors"
	"fmt"
	"time"

	"coles"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// there returns the key of a step, a hash of all that its output depends on, and the manifest of the output if it is whole.
func (r *run) there(ctx context.Context, name, folder string, of []any) (m *Manifest, key string, err error) {
	if key, err = keyOf(of...); err == nil {
		if m = r.whole(ctx, folder, key); m != nil {
			r.report.Steps = append(r.report.Steps, Step{Name: name, Skipped: true, Counters: m.Counters})
		}
	}
	return m, key, err
}

// whole is the manifest of a folder with this key that is not known to be damaged.
func (r *run) whole(ctx context.Context, folder, key string) *Manifest {
	damaged := r.folders[folder]
	m := whole(ctx, folder, key)
	if m != nil && !damaged && folder == r.Out { // no later step would read its shards
		damaged = errors.Is(m.Check(ctx, folder), coles.ErrChecksum)
	}
	r.folders[folder] = damaged
	if damaged {
		return nil
	}
	return m
}

// step runs a pipeline that writes a folder, unless the folder is whole. The pipeline writes to the folder of an
// attempt within it.
func (r *run) step(ctx context.Context, name, folder string, of []any, build func(s beam.Scope, at string)) (*Manifest, error) {
	m, key, err := r.there(ctx, name, folder, of)
	if m != nil || err != nil {
		return m, err
	}
	start := time.Now()
	p, s := beam.NewPipelineWithRoot()
	at := within(folder, attemptOf(key))
	build(s, at)
	for _, f := range []string{r.Out, r.Work} {
		if f != "" && !r.probed {
			if err := probe(ctx, f); err != nil {
				return nil, err
			}
		}
	}
	r.probed = true
	remove(ctx, within(at, listName), func(string) bool { return true })
	if err := writeShards(ctx, at, r.shards); err != nil {
		return nil, err
	}
	counters, err := r.engine.run(ctx, name, p, func(c Counters) { r.tell(name, c) })
	if err != nil {
		return nil, err
	}
	r.report.Steps = append(r.report.Steps, Step{Name: name, Seconds: time.Since(start).Seconds(), Counters: counters})
	m = &Manifest{
		Key: key, Step: name, Nodes: r.plan.Nodes, Columns: r.plan.Columns, Grid: r.plan.Grid, Settings: r.plan.Settings,
		Counters: counters, Inputs: r.inputs,
	}
	if err := m.swap(ctx, folder); err != nil {
		return nil, err
	}
	r.folders[folder] = false
	return m, nil
}

// tell reports progress from counters: of the last stage that has begun.
func (r *run) tell(step string, c Counters) {
	blocks, hops := int(r.plan.blocks()), r.plan.hops()
	switch done := int(c["block_hops"] + r.before); {
	case step == "choose":
		r.Progress(step, min(done, hops*blocks), hops*blocks)
	case c["blocks_embedded"] > 0 || step == "embed" && done == 0:
		r.Progress("embed", int(c["blocks_embedded"]), blocks)
	case done > 0 || step == "hops":
		hop := min(done/blocks, max(hops-1, 0))
		r.Progress(fmt.Sprintf("hop %d/%d", hop+1, hops), min(done-hop*blocks, blocks), blocks)
	default:
		r.Progress("prepare", int(c["shards_read"]), len(r.shards["features"])+len(r.shards["edges"]))
	}
}
