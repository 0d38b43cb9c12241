package gnn

import (
	"math"

	"coles/gnn/autodiff"
	"coles/gnn/custom"
	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/setting"
)

// objectiveForms are the text forms of objectives.
var objectiveForms = []setting.Way[Objective]{
	setting.WayOf(colesName, func(f *setting.Form) Objective { return COLES(f.Float()) }),
	setting.WayOf("sampled-nce", func(f *setting.Form) Objective { return SampledNCE(f.Int(), f.Float()) }),
	setting.WayOf(powerMeanName, func(f *setting.Form) Objective { return PowerMean(f.Float(), f.Int()) }),
	setting.WayOf("cross-entropy", func(*setting.Form) Objective { return crossEntropy() }),
	setting.WayOf(customName, func(f *setting.Form) Objective { return NewObjective(f.Rest(), custom.ObjectiveSpec{}, nil, nil) }),
}

// COLES is the problem of the paper for a network, its "soft orthogonality" relaxation: the loss
//
//	−Tr(HᵀΔWH)/n + β·‖HᵀH/n − I‖²_F/d′.
//
// β = 0 suits weights bounded otherwise ([Layer.Orthonormal]), or few steps.
func COLES(beta float64) Objective {
	return Objective{label: label{Name: colesName, Args: []any{beta}}, loss32: contrast[float32](beta), loss64: contrast[float64](beta)}
}

func contrast[T autodiff.Float](beta float64) custom.Loss[T] {
	return func(s *custom.Step[T]) *autodiff.Value[T] {
		dw := s.Contrast()
		return s.MeanOfViews(func(h *autodiff.Value[T]) *autodiff.Value[T] {
			var penalty *autodiff.Value[T] // first, so that the gradient begins in the memory of ΔWH
			if beta != 0 {
				penalty = s.Scale(s.SoftOrthogonality(h), beta)
			}
			trace := s.Scale(s.TraceQuadratic(dw, h), -1/float64(s.Nodes()))
			if beta == 0 {
				return trace
			}
			return s.Add(trace, penalty)
		})
	}
}

// SampledNCE is the mean of −log σ(h_u·h_v) over the edges plus η times the mean of −log σ(−h_u·h_w) over
// so many nodes w drawn uniformly for each edge.
func SampledNCE(negatives int, eta float64) Objective {
	return Objective{
		label:  label{Name: "sampled-nce", Args: []any{negatives, eta}},
		loss32: sampledNCE[float32](negatives, eta), loss64: sampledNCE[float64](negatives, eta),
	}
}

func sampledNCE[T autodiff.Float](negatives int, eta float64) custom.Loss[T] {
	return func(s *custom.Step[T]) *autodiff.Value[T] {
		return pairLoss(s, negatives, func(near, far *autodiff.Value[T], _ autodiff.Matrix[T]) *autodiff.Value[T] {
			return s.Add(s.Scale(s.Mean(s.LogSigmoid(near)), -1), s.Scale(s.Mean(s.LogSigmoid(s.Scale(far, -1))), -eta))
		})
	}
}

// PowerMean is the pairwise loss of the paper: the sum, over the edges by their shares in Σ W⁺, of
//
//	−log(e^{h_u·h_v} / M_p(e^{h_u·h_w₁}, …, e^{h_u·h_wN})),  M_p(x) = ((1/N)·Σ x_iᵖ)^{1/p},
//
// with N nodes w drawn uniformly for each. The mean is arithmetic for p = 1, harmonic for −1, quadratic
// for 2 and, for p = 0, geometric: in expectation COLES with uniform negatives.
func PowerMean(p float64, negatives int) Objective {
	return Objective{
		label:  label{Name: powerMeanName, Args: []any{p, negatives}},
		loss32: powerMean[float32](p, negatives), loss64: powerMean[float64](p, negatives),
	}
}

// powerMean is Σ c_uv·(log M_p(e^{h_u·h_w}) − h_u·h_v), c the shares of the edges.
func powerMean[T autodiff.Float](p float64, negatives int) custom.Loss[T] {
	return func(s *custom.Step[T]) *autodiff.Value[T] {
		return pairLoss(s, negatives, func(near, far *autodiff.Value[T], shares autodiff.Matrix[T]) *autodiff.Value[T] {
			c := s.Constant(shares)
			means := s.LogPowerMeanRows(s.Reshape(far, near.Rows(), negatives), p)
			return s.Add(s.MatMul(c, means), s.Scale(s.MatMul(c, near), -1))
		})
	}
}

// pairLoss is the mean of a loss over the views. The loss is of near, the products h_u·h_v of the edges, and of far,
// the products of their first ends with the nodes drawn for each.
func pairLoss[T autodiff.Float](s *custom.Step[T], negatives int, loss func(near, far *autodiff.Value[T], shares autodiff.Matrix[T]) *autodiff.Value[T]) *autodiff.Value[T] {
	us, vs, shares := s.Edges()
	firsts, drawn := s.Negatives(negatives)
	return s.MeanOfViews(func(h *autodiff.Value[T]) *autodiff.Value[T] {
		if len(us) == 0 || s.Err() != nil { // a block without edges
			return s.Scale(s.Sum(h), 0)
		}
		return loss(s.GatherDots(h, us, h, vs), s.GatherDots(h, firsts, h, drawn), shares)
	})
}

// crossEntropy is the mean of −log softmax(h_i)[y_i] over the labelled nodes, or the sum of these
// times the weights of a sample.
func crossEntropy() Objective {
	return Objective{
		label: label{Name: "cross-entropy"}, spec: custom.ObjectiveSpec{Labels: true},
		loss32: crossEntropyLoss[float32], loss64: crossEntropyLoss[float64],
	}
}

func crossEntropyLoss[T autodiff.Float](s *custom.Step[T]) *autodiff.Value[T] {
	rows, classes := s.Labels()
	return s.MeanOfViews(func(h *autodiff.Value[T]) *autodiff.Value[T] {
		switch weights := s.LabelWeights(); {
		case len(rows) == 0: // in this sample
			return s.Scale(s.Sum(h), 0)
		case weights != nil:
			return weightedCrossEntropy(s, h, rows, classes, weights)
		}
		return s.SoftmaxCrossEntropy(h, rows, classes)
	})
}

// weightedCrossEntropy is Σ_k w_k·(log Σ_c e^(z_kc) − z_kc at the class of k), z_k the row of k in h.
// LogPowerMeanRows takes the logarithm of a mean over c, not of a sum: their difference is the logarithm of the
// number of classes.
func weightedCrossEntropy[T autodiff.Float](s *custom.Step[T], h *autodiff.Value[T], rows, classes []int, weights []float64) *autodiff.Value[T] {
	w, units := kernel.Dense[T](1, len(rows)), kernel.Dense[T](h.Cols(), h.Cols())
	total := 0.0
	for k, v := range weights {
		w.Data[k] = T(v)
		total += v
	}
	for c := range h.Cols() {
		units.Data[c*units.Stride+c] = 1
	}
	shift := kernel.Dense[T](1, 1)
	shift.Data[0] = T(total * math.Log(float64(h.Cols())))
	z := s.Gather(h, rows)
	own := s.GatherDots(z, matrix.UpTo(len(rows)), s.Constant(units), classes)
	losses := s.Add(s.LogPowerMeanRows(z, 1), s.Scale(own, -1))
	return s.Add(s.MatMul(s.Constant(w), losses), s.Constant(shift))
}

// UnmarshalText reads the text form, or fails with [coles.ErrSetting].
func (o *Objective) UnmarshalText(text []byte) error {
	return setting.ReadText(o, text, objectiveForms, Objective.check)
}
