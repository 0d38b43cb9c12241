package rivals

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"coles"
	"coles/gnn"
	"coles/gnn/autodiff"
	"coles/gnn/custom"
	"coles/internal/inside"
	"coles/internal/kernel"
	"coles/internal/matrix"

	"gonum.org/v1/gonum/mat"
)

// SIGN is the scalable inception graph network (Rossi, Frasca, Chamberlain, Eynard, Bronstein and
// Monti, 2020), for [gnn.TrainClassifier] on [SIGNFeatures] with that number of hops:
//
//	y = f(σ(drop[g₀(X) | g₁(AX) | … | g_K(A^K·X)])),  A^k·X the means of means over neighbours,
//
// where every g and f is a perceptron of one hidden layer of 512 columns with PReLU σ and dropout of
// 0.5, the g of 512 outputs, and dropout of 0.1 of the features. That is its form for ogbn-arxiv in
// the examples of DGL, with K = 5: Adam(1e-3), batches of 50,000 nodes, 1,000 epochs, and the
// parameters that were best for the validation nodes, here by their loss. The graph is not looked at
// while training.
//
// It trains (K+1)·(512·d + 2·512 + 512² + 1) + 512·512·(K+1) + 512 + 512·C + C + 2 numbers for C classes,
// 3,566,128 on ogbn-arxiv. An epoch takes some 8·512·(K+1)·(d + 2·512) + 6·512·C
// multiplications for each labelled node. A step takes (K + 21)·4·512 bytes for each node of a batch,
// since the g are computed twice, and the features 4·(K+1)·d for each of all nodes.
func SIGN(hops int) gnn.Settings {
	const dropped = 0.5
	s := labelled(1e-3, 1000,
		gnn.Dropout(0.1), signLayer(hops+1, 512, dropped), gnn.PReLU(), gnn.Dropout(dropped), gnn.Linear(gnn.AutoWidth))
	s.BatchSize = 50_000
	return s
}

// SIGNHops is how many hops [SIGN] takes on ogbn-arxiv.
const SIGNHops = 5

// SIGNFeatures are [X | AX | … | A^K·X], n × (K+1)·d, of the features X (n × d) of a graph. A takes means over
// neighbours; a node without neighbours has zeros there. It costs K·2m·d multiplications for m edges.
//
// Errors: [coles.ErrSetting] for hops below 0, [coles.ErrShape], [coles.ErrNotFinite],
// [coles.ErrTooLarge], and ctx's.
func SIGNFeatures(ctx context.Context, g *coles.Graph, x mat.Matrix, hops int) (*coles.Dense32, error) {
	if hops < 0 {
		return nil, fmt.Errorf("rivals: sign: %w: %d hops", coles.ErrSetting, hops)
	}
	source, err := matrix.Read(ctx, x)
	if err != nil {
		return nil, fmt.Errorf("rivals: sign: features: %w", err)
	}
	n, d := source.Dims()
	if n != g.Nodes() || d == 0 {
		return nil, fmt.Errorf("rivals: sign: features: %w: %d × %d for %d nodes", coles.ErrShape, n, d, g.Nodes())
	}
	if float64(n)*float64(d)*(float64(hops)+1) > math.MaxInt/4 || float64(d)*(float64(hops)+1) > math.MaxInt32 {
		return nil, fmt.Errorf("rivals: sign: %w: %d × %d features of %d hops", coles.ErrTooLarge, n, d, hops)
	}
	first, err := matrix.As[float32](ctx, source)
	if err != nil {
		return nil, err
	}
	all := kernel.Dense[float32](n, d*(hops+1))
	if err := first.AddTo(ctx, kernel.Columns(all, 0, d), 1); err != nil {
		return nil, err
	}
	means, err := matrix.RowMeans[float32](ctx, inside.Adjacency(g))
	if err != nil {
		return nil, err
	}
	for k := range hops {
		from, to := kernel.Columns(all, k*d, (k+1)*d), kernel.Columns(all, (k+1)*d, (k+2)*d)
		if err := kernel.SpMM(ctx, to, means, from); err != nil {
			return nil, err
		}
	}
	return &coles.Dense32{Rows: n, Cols: all.Cols, Stride: all.Stride, Data: all.Data}, matrix.CheckOverflow(ctx, "rivals: sign", matrix.Of(all))
}

// signLayer is the g of [SIGN] and the first matrix of f, whose rows are shared out to the g so that
// nothing as wide as all of them is held. Its parameters are "0.first", "0.firstbias", "0.slope",
// "0.second", "0.secondbias" and "0.joint", and so on, and "slope" and "bias".
func signLayer(branches, width int, dropped float64) gnn.Layer {
	slope := func(name string) custom.Parameter { return custom.Parameter{Name: name, Rows: 1, Cols: 1, Start: 0.25} }
	parameters := func(in, _ int) (all []custom.Parameter) {
		for k := range branches {
			name := func(what string) string { return fmt.Sprintf("%d.%s", k, what) }
			joint := custom.Weight(name("joint"), branches*width, width)
			joint.Rows = width
			all = append(all, custom.Weight(name("first"), max(1, in/branches), width), custom.Bias(name("firstbias"), width), slope(name("slope")),
				custom.Weight(name("second"), width, width), custom.Bias(name("secondbias"), width), joint)
		}
		return append(all, slope("slope"), custom.Bias("bias", width))
	}
	spec := custom.LayerSpec{Width: width, Parameters: parameters}
	name := fmt.Sprintf("sign %d×%d dropout %v", branches, width, dropped)
	return gnn.NewLayer(name, spec, signOf[float32](branches, width, dropped), signOf[float64](branches, width, dropped))
}

func signOf[T autodiff.Float](branches, width int, dropped float64) func(p *custom.Pass[T], x *autodiff.Value[T]) *autodiff.Value[T] {
	return func(p *custom.Pass[T], x *autodiff.Value[T]) *autodiff.Value[T] {
		d := x.Cols() / branches
		if d*branches != x.Cols() || len(x.Data().Data) == 0 && x.Rows() > 0 {
			p.Fail(fmt.Errorf("rivals: sign: %w: %d columns for %d parts, or sparse: those of SIGNFeatures are wanted", coles.ErrShape, x.Cols(), branches))
			return constant[T](p.Tape, x.Rows(), width, 0)
		}
		sum := constant[T](p.Tape, x.Rows(), width, 0)
		for k := range branches {
			inputs := []*autodiff.Value[T]{x, sum, p.Parameter("slope")}
			for _, what := range []string{"first", "firstbias", "slope", "second", "secondbias", "joint"} {
				inputs = append(inputs, p.Parameter(fmt.Sprintf("%d.%s", k, what)))
			}
			inner, outer := drawsOf(p), drawsOf(p)
			sum = p.Recomputed(func(t *autodiff.Tape[T], in []*autodiff.Value[T]) *autodiff.Value[T] {
				h := t.Bias(t.MatMul(t.Columns(in[0], k*d, (k+1)*d), in[3]), in[4])
				h = t.Bias(t.MatMul(t.Dropout(t.PReLU(h, in[5]), dropped, inner()), in[6]), in[7])
				return t.Add(in[1], t.MatMul(t.Dropout(t.PReLU(h, in[2]), dropped, outer()), in[8]))
			}, inputs...)
		}
		return p.Bias(sum, p.Parameter("bias"))
	}
}

// drawsOf is a source of the same draws every time it is asked for, nil in evaluation: for what is
// recomputed.
func drawsOf[T autodiff.Float](p *custom.Pass[T]) func() *rand.Rand {
	if p.Rand() == nil {
		return func() *rand.Rand { return nil }
	}
	seed := p.Rand().Uint64()
	return func() *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }
}
