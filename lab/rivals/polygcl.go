package rivals

import (
	"context"
	"fmt"

	"coles"
	"coles/gnn"
	"coles/gnn/autodiff"
	"coles/gnn/custom"
	"coles/gnn/optim"
	"coles/internal/inside"
	"coles/internal/matrix"

	"github.com/james-bowman/sparse"
)

// PolyGCL is graph contrastive learning by polynomial filters that are learned (Chen, Lei and Wei, ICLR
// 2024), for graphs whose neighbours may be alike or not: [DGI] whose nodes are seen through a filter of
// low frequencies and one of high ones. With L = I − D^-½AD^-½, features X of which a share of the entries is
// dropped for each filter anew, and the degree K = 10,
//
//	H_low = σ(g_low(L)·XΘ + b),  H_high = σ(g_high(L)·XΘ + b),  H = αH_high + βH_low,
//
// and g are the polynomials that at the Chebyshev nodes λ₀ < … < λ_K of [0, 2] come next to
// 2 − Σ_{i<j} ReLU(φ_i) and Σ_{i<j} ReLU(ψ_i): one falls with λ, the other rises. The loss is the mean of those
// of DGI for H_low and for H_high, both with the summary c = ReLU(mean_i h_i). The authors' settings, of their code:
//
//	             Adam for Θ and M  for φ, ψ, α and β  dropped  σ      epochs  patience
//	cora         2e-3              5e-4               0.3      ReLU   500     20
//	citeseer     5e-4              1e-4               0.2      ReLU   1000    20
//	pubmed       1e-3              1e-4               0.6      PReLU  1000    20
//	cornell      1e-3              1e-4               0.8      ReLU   500     20
//	texas        1e-3              5e-3               0.4      ReLU   500     20
//	wisconsin    1e-3              1e-4               0.1      PReLU  500     20
//	actor        1e-3              1e-2               0.3      PReLU  500     20
//	chameleon    1e-3              1e-3               0.3      PReLU  1000    50
//	squirrel     1e-3              1e-3               0.2      PReLU  500     20
//	every other  1e-3              1e-2               0.5      ReLU   500     20
//
// with 512 columns and rows of features that sum to one. The last line are the defaults of their code. They filter
// the features and not XΘ. That is the same but for a second dropout and, with PReLU, a batch normalisation of the
// filtered features. These are n × d numbers, which would take longer than all the rest. Here there is no second
// dropout and no decay of rates, and with PReLU features are standardized, which is before the filters.
//
// Their protocol has ten splits with up to 60 % of the nodes to learn from. By it, four seeds have 83.0 % in the mean
// on texas (they print 88.0) and 77.8 on cornell (82.6). Three have 87.2 on wisconsin (85.5), and one has 68.1 on
// chameleon (71.6). A program by their formulas, with the second dropout, has 82.1 on texas and 81.3 on cornell, by
// one seed. Of the epochs of the classifier that are best on the nodes to choose by, the protocol takes the best in
// the test; the first of them has 0.5 to 5 points less. On cornell the loss hardly leaves log 2 before the patience
// ends.
//
// It trains (d+1)·h + 2K + 2 + h² + 1 numbers, 996,375 on Cora. An epoch takes some 16·K·nnz(A)·h
// multiplications, or 16·K·nnz(A)·d for dense features of d < h columns; standardized ones are dense: some 8·n·d·h more.
func PolyGCL(dataset string) gnn.Settings {
	type numbers struct {
		rate, filters, dropped float64
		epochs, patience       int
		normalized             bool
	}
	n, known := map[string]numbers{
		"cora":      {2e-3, 5e-4, 0.3, 500, 20, false},
		"citeseer":  {5e-4, 1e-4, 0.2, 1000, 20, false},
		"pubmed":    {1e-3, 1e-4, 0.6, 1000, 20, true},
		"cornell":   {1e-3, 1e-4, 0.8, 500, 20, false},
		"texas":     {1e-3, 5e-3, 0.4, 500, 20, false},
		"wisconsin": {1e-3, 1e-4, 0.1, 500, 20, true},
		"actor":     {1e-3, 1e-2, 0.3, 500, 20, true},
		"chameleon": {1e-3, 1e-3, 0.3, 1000, 50, true},
		"squirrel":  {1e-3, 1e-3, 0.2, 500, 20, true},
	}[dataset]
	if !known {
		n = numbers{1e-3, 1e-2, 0.5, 500, 20, false}
	}
	objective := gnn.NewObjective("polygcl", custom.ObjectiveSpec{Parameters: polynomialParameters}, polynomialLoss[float32], polynomialLoss[float64])
	s := rival(objective, filterLayer(512, n.filters/n.rate, n.dropped), gnn.ReLU(), mixLayer(512, n.filters/n.rate))
	s.Optimizer, s.Epochs, s.Patience = optim.Adam(n.rate), n.epochs, n.patience
	if n.normalized {
		s.Network[1], s.Preparation = gnn.PReLU(), coles.PrepareStandardize
	}
	return s
}

// polynomialDegree is K.
const polynomialDegree = 10

// polynomialParameters are M and b, which start as PyTorch's bilinear forms do.
func polynomialParameters(_, h int) []custom.Parameter {
	return []custom.Parameter{within(h, custom.Weight("discriminator", h, h)), within(h, custom.Bias("bias", 1))}
}

func polynomialLoss[T autodiff.Float](s *custom.Step[T]) *autodiff.Value[T] {
	halves := func(v *custom.View) (high, low, h *autodiff.Value[T]) {
		outputs := s.Encode(v)
		both := outputs[len(outputs)-2]
		return s.Columns(both, 0, both.Cols()/2), s.Columns(both, both.Cols()/2, both.Cols()), outputs[len(outputs)-1]
	}
	high, low, h := halves(&custom.View{})
	shuffledHigh, shuffledLow, _ := halves(&custom.View{Rows: s.Rand().Perm(s.Nodes())})
	c := s.ReLU(s.MatMul(constant(s.Tape, 1, h.Rows(), 1/float64(h.Rows())), h))
	m, b := s.Parameter("discriminator"), s.Parameter("bias")
	return s.Scale(s.Add(discriminate(s.Tape, high, shuffledHigh, m, b, c), discriminate(s.Tape, low, shuffledLow, m, b, c)), 0.5)
}

// filterLayer is [g_high(L)·HΘ + b | g_low(L)·HΘ + b], width columns each; each filter drops other entries of H.
// Its parameters are "weight", "bias", and "high" and "low": ψ and φ over factor, which Adam so moves at factor times its rate.
func filterLayer(width int, factor, dropped float64) gnn.Layer {
	parameters := func(in, both int) []custom.Parameter {
		start := 2 / (polynomialDegree * factor)
		steps := func(name string) custom.Parameter {
			return custom.Parameter{Name: name, Rows: 1, Cols: polynomialDegree, Start: start}
		}
		return []custom.Parameter{within(in, custom.Weight("weight", in, both/2)), within(in, custom.Bias("bias", both/2)), steps("high"), steps("low")}
	}
	return gnn.NewLayer(fmt.Sprint("polynomial filters ", factor, " ", dropped), custom.LayerSpec{Width: 2 * width, Hops: polynomialDegree, Parameters: parameters},
		filters[float32](factor, dropped), filters[float64](factor, dropped))
}

func filters[T autodiff.Float](factor, dropped float64) func(p *custom.Pass[T], h *autodiff.Value[T]) *autodiff.Value[T] {
	return func(p *custom.Pass[T], h *autodiff.Value[T]) *autodiff.Value[T] {
		w := p.Operator("twice the neighbours", twiceNeighbours).Matrix()
		rising := func(name string) *autodiff.Value[T] {
			return p.MatMul(p.Scale(p.ReLU(p.Parameter(name)), factor), p.Constant(risingBasis[T]()))
		}
		two := autodiff.NewMatrix[T](1, polynomialDegree+1) // the coefficients of 2
		two.Data[0] = 2
		high, low := rising("high"), p.Add(p.Constant(two), p.Scale(rising("low"), -1))
		filtered := func(c *autodiff.Value[T]) *autodiff.Value[T] {
			x, theta := p.Dropout(h, dropped, p.Rand()), p.Parameter("weight")
			var z *autodiff.Value[T]
			if x.Data().Data != nil && x.Cols() < theta.Cols() { // fewer columns of dense features are filtered sooner
				z = p.MatMul(chebyshev(p.Tape, w, x, c), theta)
			} else {
				z = chebyshev(p.Tape, w, p.MatMul(x, theta), c)
			}
			return p.Bias(z, p.Parameter("bias"))
		}
		return p.Concat(filtered(high), filtered(low))
	}
}

// twiceNeighbours is 2·D^-½AD^-½.
func twiceNeighbours(ctx context.Context, g *coles.Graph) (*sparse.CSR, error) {
	w, err := matrix.Normalized(ctx, inside.Adjacency(g), false)
	if err == nil {
		matrix.Scale(w.Val, 2)
	}
	return exported(ctx, w, err)
}

// mixLayer is αH_high + βH_low, of the two sides of H. Its parameters are "alpha" and "beta", over factor.
func mixLayer(width int, factor float64) gnn.Layer {
	parameters := func(_, _ int) []custom.Parameter {
		return []custom.Parameter{{Name: "alpha", Rows: 1, Cols: 1, Start: 0.5 / factor}, {Name: "beta", Rows: 1, Cols: 1, Start: 0.5 / factor}}
	}
	return gnn.NewLayer(fmt.Sprint("mix ", factor), custom.LayerSpec{Width: width, Parameters: parameters}, mix[float32](factor), mix[float64](factor))
}

func mix[T autodiff.Float](factor float64) func(p *custom.Pass[T], h *autodiff.Value[T]) *autodiff.Value[T] {
	return func(p *custom.Pass[T], h *autodiff.Value[T]) *autodiff.Value[T] {
		high, low := p.Columns(h, 0, h.Cols()/2), p.Columns(h, h.Cols()/2, h.Cols())
		return p.Scale(p.Add(p.Mul(high, p.Parameter("alpha")), p.Mul(low, p.Parameter("beta"))), factor)
	}
}
