package gnn

import (
	"slices"

	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/setting"
	"coles/internal/stream"
	"coles/internal/tape"
)

// An Objective is what a network is trained for. In the formulas H is its output, n × d′ with rows
// h_i, the embedding before it is scaled. The zero value is no objective. The text form, in JSON
// too, is
//
//	coles:10         COLES(10)
//	sampled-nce:5,1  SampledNCE(5, 1)
//	power-mean:0,5   PowerMean(0, 5)
//	cross-entropy    that of TrainClassifier
type Objective struct {
	kind      objectiveKind
	beta      float64
	negatives int
	eta       float64
	power     float64
}

type objectiveKind int

const (
	noObjective objectiveKind = iota
	contrastive
	sampledNCE
	powerMean
	crossEntropy
)

var objectiveNames = []string{"none", "coles", "sampled-nce", "power-mean", "cross-entropy"}

// maxNegatives bounds the nodes that are drawn for each edge.
const maxNegatives = 10_000

// COLES is the problem of the paper for a network, its "soft orthogonality" relaxation: the loss
//
//	−Tr(HᵀΔWH)/n + β·‖HᵀH/n − I‖²_F/d′.
//
// β = 0 leaves the penalty out: for a network whose weights are bounded otherwise (see
// [Layer.Orthonormal]), or for so few steps that it does not matter.
func COLES(beta float64) Objective { return Objective{kind: contrastive, beta: beta} }

// SampledNCE is the rival of the paper with the same networks: the loss is the mean of −log
// σ(h_u·h_v) over the edges plus η times that of −log σ(−h_u·h_w) over the given number of nodes w
// drawn uniformly for each edge.
func SampledNCE(negatives int, eta float64) Objective {
	return Objective{kind: sampledNCE, negatives: negatives, eta: eta}
}

// PowerMean is the pairwise loss of the paper with a generalised mean: the sum of
//
//	−log(e^{h_u·h_v} / M_p(e^{h_u·h_w₁}, …, e^{h_u·h_wN}))
//
// over the edges, each with its share in Σ W⁺, with N nodes w drawn uniformly for it. The mean
// M_p(x) = ((1/N)·Σ x_iᵖ)^{1/p} is arithmetic for p = 1, harmonic for −1, quadratic for 2 and, for
// p = 0, geometric. The last is, in expectation, COLES with uniform negatives.
func PowerMean(p float64, negatives int) Objective {
	return Objective{kind: powerMean, power: p, negatives: negatives}
}

// pairwise reports whether the loss is one of edges and of nodes drawn for them.
func (o Objective) pairwise() bool { return o.kind == sampledNCE || o.kind == powerMean }

func (o Objective) check() error {
	switch {
	case o.kind == noObjective:
		return bad("no objective")
	case !(o.beta >= 0 && o.eta >= 0 && matrix.Finite(o.beta) && matrix.Finite(o.eta) && matrix.Finite(o.power)):
		return bad("objective %v: want finite numbers, β and η at least 0", o)
	case o.pairwise() && (o.negatives < 1 || o.negatives > maxNegatives):
		return bad("objective: %d negatives for each edge, want 1 to %d", o.negatives, maxNegatives)
	}
	return nil
}

// String is the text form.
func (o Objective) String() string {
	var args []any
	switch o.kind {
	case contrastive:
		args = []any{o.beta}
	case sampledNCE:
		args = []any{o.negatives, o.eta}
	case powerMean:
		args = []any{o.power, o.negatives}
	}
	return setting.Text(objectiveNames[o.kind], args...)
}

// MarshalText gives the text form.
func (o Objective) MarshalText() ([]byte, error) { return []byte(o.String()), o.check() }

// UnmarshalText reads the text form, or fails with [coles.ErrSetting].
func (o *Objective) UnmarshalText(text []byte) error {
	f := setting.Parse(text)
	var read Objective
	switch at := objectiveKind(slices.Index(objectiveNames, f.Name)); at {
	case contrastive:
		read = COLES(f.Float())
	case sampledNCE:
		read = SampledNCE(f.Int(), f.Float())
	case powerMean:
		read = PowerMean(f.Float(), f.Int())
	case crossEntropy:
		read.kind = at
	default:
		return f.Unknown(objectiveNames[1:])
	}
	return accept(o, read, f)
}

// loss records the loss of an objective for the output h of a batch.
func loss[T kernel.Float](t *tape.Tape[T], o Objective, b *batch[T], h *tape.Value[T]) *tape.Value[T] {
	switch {
	case o.kind == crossEntropy:
		return t.SoftmaxCrossEntropy(h, b.targets.rows, b.targets.classes)
	case o.kind == contrastive && o.beta == 0:
		return t.Scale(t.TraceQuadratic(b.contrast, h), -1/float64(b.n))
	case o.kind == contrastive:
		trace := t.Scale(t.TraceQuadratic(b.contrast, h), -1/float64(b.n))
		return t.Add(trace, t.Scale(t.SoftOrthogonality(h), o.beta))
	case len(b.us) == 0: // a block without edges
		return t.Scale(t.Sum(h), 0)
	}
	us, ws := drawnFor(b, o.negatives)
	near, far := t.GatherDots(h, b.us, h, b.vs), t.GatherDots(h, us, h, ws)
	if o.kind == sampledNCE {
		return t.Add(t.Scale(t.Mean(t.LogSigmoid(near)), -1), t.Scale(t.Mean(t.LogSigmoid(t.Scale(far, -1))), -o.eta))
	}
	// Σ c_uv·(log M_p(e^{h_u·h_w}) − h_u·h_v), c the shares of the edges.
	shares := t.Constant(b.shares)
	means := t.LogPowerMeanRows(t.Reshape(far, len(b.us), o.negatives), o.power)
	return t.Add(t.MatMul(shares, means), t.Scale(t.MatMul(shares, near), -1))
}

// drawnFor draws count nodes for every edge uniformly, each with the end of the edge that it is
// compared to.
func drawnFor[T kernel.Float](b *batch[T], count int) (us, ws []int) {
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
