package eval

import (
	"context"
	"fmt"
	"math"

	"coles"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// Alignment is the mean distance between the rows of positive pairs of x (n × d),
// to the power alpha > 0:
//
//	mean over pairs of ‖x_U − x_V‖^α
//
// (Wang and Isola 2020, section 4.1.1, with α = 2). Smaller is better, and of
// unit rows it is 2 − 2·u·v on average for α = 2. It takes O(d) a pair.
//
// Errors: [ErrParameter] for alpha, those of [PairScores].
func Alignment(ctx context.Context, x mat.Matrix, positive []coles.Edge, alpha float64) (float64, error) {
	if !(alpha > 0) || math.IsInf(alpha, 0) {
		return 0, fmt.Errorf("%w: alpha is %v", ErrParameter, alpha)
	}
	f, err := newFeatures(ctx, x)
	if err != nil {
		return 0, err
	}
	distances, err := f.eachPair(ctx, positive, func(u, v int) float64 {
		return math.Pow(f.squaredDistance(u, v), alpha/2)
	})
	if err != nil {
		return 0, err
	}
	return finiteMean(distances)
}

// squaredDistance is the squared distance of two rows, by their differences.
func (f *features) squaredDistance(u, v int) float64 {
	uc, uv := f.row(u)
	vc, vv := f.row(v)
	sum := 0.0
	if f.sparse == nil {
		for j, a := range uv {
			sum += (a - vv[j]) * (a - vv[j])
		}
		return sum
	}
	for p, q := 0, 0; p < len(uc) || q < len(vc); {
		takeU := q == len(vc) || p < len(uc) && uc[p] <= vc[q]
		takeV := p == len(uc) || q < len(vc) && vc[q] <= uc[p]
		difference := 0.0
		if takeU {
			difference = uv[p]
			p++
		}
		if takeV {
			difference -= vv[q]
			q++
		}
		sum += difference * difference
	}
	return sum
}

// ContrastAlignment is the alignment term of contrastive losses by scores,
//
//	−mean over pairs of x_U·x_V,
//
// minus the logarithm of the geometric mean of e^(u·v) over positive pairs of x (n × d).
// With [ContrastUniformity] it adds up to the pairwise loss of the COLES paper,
// −log(e^(u·v) / M_p(e^(u′·v), …)), on average. It takes O(d) a pair.
//
// Errors: those of [PairScores].
func ContrastAlignment(ctx context.Context, x mat.Matrix, positive []coles.Edge) (float64, error) {
	scores, err := PairScores(ctx, x, positive)
	if err != nil {
		return 0, err
	}
	mean, err := finiteMean(scores)
	return -mean, err
}

// ContrastUniformity is the uniformity term of contrastive losses by scores: the
// mean, over the nodes v that occur in negative pairs of x (n × d), of
//
//	log M_p(e^(u′₁·v), …, e^(u′_N·v)),  M_p(z) = ((1/N)·Σ z_i^p)^(1/p),
//
// where u′ are the nodes paired with v; both nodes of a pair are paired with each
// other. p = 0, the geometric mean, is the loss of COLES; p = 1 is the softmax
// contrast, the second term of Wang and Isola (2020), theorem 1, at temperature
// 1; −1 and 2 are the harmonic and the quadratic mean of the COLES paper's
// ablation. It does not fall as p grows. Smaller is better. It takes O(d) a pair.
//
// Errors: [ErrParameter] for p that is not finite, those of [PairScores].
func ContrastUniformity(ctx context.Context, x mat.Matrix, negative []coles.Edge, p float64) (float64, error) {
	if math.IsNaN(p) || math.IsInf(p, 0) {
		return 0, fmt.Errorf("%w: p is %v", ErrParameter, p)
	}
	scores, err := PairScores(ctx, x, negative)
	if err != nil {
		return 0, err
	}
	rows, _ := x.Dims()
	var means []float64
	for _, s := range scoresByNode(rows, negative, scores) {
		if len(s) > 0 {
			means = append(means, logPowerMean(s, p))
		}
	}
	return finiteMean(means)
}

// scoresByNode lists, for each of n nodes, the scores of its pairs. A node
// paired with itself has that score once.
func scoresByNode(n int, pairs []coles.Edge, scores []float64) [][]float64 {
	count := make([]int, n)
	for _, e := range pairs {
		count[e.U]++
		if e.U != e.V {
			count[e.V]++
		}
	}
	all, of := make([]float64, 2*len(pairs)), make([][]float64, n)
	for i, c := range count {
		of[i], all = all[:0:c], all[c:]
	}
	for q, e := range pairs {
		of[e.U] = append(of[e.U], scores[q])
		if e.U != e.V {
			of[e.V] = append(of[e.V], scores[q])
		}
	}
	return of
}

// logPowerMean is log M_p(e^s₁, …), relative to the exponential that weighs the
// most, so that none overflows.
func logPowerMean(s []float64, p float64) float64 {
	if p == 0 {
		return stat.Mean(s, nil)
	}
	peak := s[0]
	for _, v := range s {
		if (v-peak)*p > 0 {
			peak = v
		}
	}
	sum := 0.0
	for _, v := range s {
		sum += math.Expm1(p * (v - peak)) // which keeps the digits of a small p
	}
	return peak + math.Log1p(sum/float64(len(s)))/p
}

// finiteMean is the mean of finite numbers, if their sum is one.
func finiteMean(x []float64) (float64, error) {
	mean := stat.Mean(x, nil)
	if math.IsInf(mean, 0) || math.IsNaN(mean) {
		return 0, fmt.Errorf("%w: a mean of %d numbers overflows", ErrNotFinite, len(x))
	}
	return mean, nil
}
