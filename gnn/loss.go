package gnn

import (
	"coles/internal/kernel"
	"coles/internal/stream"
	"coles/internal/tape"
)

// loss records the loss of an objective for the output h of a batch.
func loss[T kernel.Float](t *tape.Tape[T], o Objective, b *batch[T], h *tape.Value[T]) *tape.Value[T] {
	switch o.kind {
	case nceObjective:
		return sampledNCE(t, o, b, h)
	case meanObjective:
		return powerMean(t, o, b, h)
	}
	trace := t.Scale(t.TraceQuadratic(b.contrast, h), -1/float64(b.n))
	if o.beta == 0 {
		return trace
	}
	return t.Add(trace, t.Scale(t.SoftOrthogonality(h), o.beta))
}

// sampledNCE is −mean log σ(h_u·h_v) − η·mean log σ(−h_u·h_w).
func sampledNCE[T kernel.Float](t *tape.Tape[T], o Objective, b *batch[T], h *tape.Value[T]) *tape.Value[T] {
	if len(b.us) == 0 {
		return t.Scale(t.Sum(h), 0) // a block without edges
	}
	us, ws := drawnBeside(b, o.negatives)
	near := t.Mean(t.LogSigmoid(t.GatherDots(h, b.us, h, b.vs)))
	far := t.Mean(t.LogSigmoid(t.Scale(t.GatherDots(h, us, h, ws), -1)))
	return t.Add(t.Scale(near, -1), t.Scale(far, -o.eta))
}

// powerMean is Σ c_uv·(log M_p(e^{h_u·h_w}) − h_u·h_v), c the shares of the edges.
func powerMean[T kernel.Float](t *tape.Tape[T], o Objective, b *batch[T], h *tape.Value[T]) *tape.Value[T] {
	if len(b.us) == 0 {
		return t.Scale(t.Sum(h), 0)
	}
	us, ws := drawnBeside(b, o.negatives)
	shares := t.Constant(b.shares)
	near := t.MatMul(shares, t.GatherDots(h, b.us, h, b.vs))
	far := t.Reshape(t.GatherDots(h, us, h, ws), len(b.us), o.negatives)
	return t.Add(t.MatMul(shares, t.LogPowerMeanRows(far, o.power)), t.Scale(near, -1))
}

// drawnBeside draws count nodes for every edge uniformly, each with the end of the edge
// that it is compared to.
func drawnBeside[T kernel.Float](b *batch[T], count int) (us, ws []int) {
	us, ws = make([]int, len(b.us)*count), make([]int, len(b.us)*count)
	rnd := stream.New()
	for k, u := range b.us {
		rnd.Reseed(b.seed, uint64(k))
		for q := k * count; q < (k+1)*count; q++ {
			us[q], ws[q] = u, rnd.IntN(b.n)
		}
	}
	return us, ws
}
