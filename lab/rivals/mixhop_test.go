package rivals

import (
	"math"
	"testing"

	"coles"
	"coles/gnn"
	"coles/gnn/autodiff"
	"coles/gnn/custom"
	"coles/internal/matrix"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// The norms of columns, without the squares, against torch's: a column of zeros has no gradient.
func TestLassoEqualsTorch(t *testing.T) {
	f := readFixture("lasso")
	w := f.variable("W")
	norms := f.Add(kernelPenalty(f.Tape, w), f.Scale(f.Sum(f.Mul(w, w)), -1))
	f.check(t, f.Scale(norms, f.Number("lambda")))
}

// mixHopNetwork is the network of MixHop, narrower.
func mixHopNetwork(dropout float64, segments []int) gnn.Network {
	return gnn.Network{gnn.Dropout(dropout), mixHopLayer([]int{3, 1, 2}), batchNorm(), gnn.ReLU(), gnn.Dropout(dropout), mixHopOutput(segments)}
}

// The logits and the loss of the first step, by the formulas of the paper.
func TestMixHopByTheFormula(t *testing.T) {
	const n, lambda, classes = 30, 0.02, 2
	g, x := words(6, n, 12)
	w := testkit.DenseOf(coles.Normalize(g))
	labels, train, val := inTurn(g, classes), []int{0, 3, 4, 9, 11}, []int{1, 2}
	for name, segments := range map[string][]int{"all powers": {1, 2, 1}, "without the zeroth": {0, 1, 1}} {
		t.Run(name, func(t *testing.T) {
			var got, want float64
			probe := func(s *custom.Step[float64]) *autodiff.Value[float64] {
				first, second := dense(s.Parameter("1.weight")), dense(s.Parameter("5.weight"))
				q := s.Parameter("5.q").Data().Data
				copy(q, []float64{0.3, -0.5, 0.2, 0.7})

				h := mixedBy(w, testkit.Product(unitRows(x, 2), first), []int{3, 1, 2})
				for j := range 6 {
					column := mat.Col(nil, j, h)
					mean, variance := stat.PopMeanVariance(column, nil)
					for i, v := range column {
						h.Set(i, j, max(0, (v-mean)/math.Sqrt(variance+1e-3))) // the offset is 0 at first
					}
				}
				y := mixedBy(w, testkit.Product(h, second), []int{segments[0] * classes, segments[1] * classes, segments[2] * classes})
				logits := mat.NewDense(n, classes, nil)
				for i := range n {
					for j := range y.RawMatrix().Cols {
						share := math.Exp(q[j/classes] - floats.LogSumExp(q))
						logits.Set(i, j%classes, logits.At(i, j%classes)+share*y.At(i, j))
					}
				}
				testkit.WantClose(t, "logits", dense(s.Output(&custom.View{})), logits, 1e-12)

				for _, i := range train {
					want += (floats.LogSumExp(logits.RawRowView(i)) - logits.At(i, labels[i])) / float64(len(train))
				}
				for _, theta := range []*mat.Dense{first, second} {
					want += lambda * math.Pow(mat.Norm(theta, 2), 2)
					for j := range theta.RawMatrix().Cols {
						want += lambda * mat.Norm(theta.ColView(j), 2)
					}
				}
				want += 1e-3 * floats.Dot(q, q) / float64(len(q))
				loss := mixHopLoss(s, lambda)
				got = loss.Scalar()
				return loss
			}
			s := MixHop("")
			s.Network, s.Precision, s.Epochs = mixHopNetwork(0, segments), coles.Float64, 1
			s.Objective = objectiveOf(custom.ObjectiveSpec{Labels: true}, probe)
			testkit.Must(gnn.TrainClassifier(ctx, g, x, labels, train, val, gnn.WithSettings(s)))
			testkit.WantNear(t, "the loss", got, want, 1e-12)
		})
	}
}

// mixedBy multiplies each part of y, with columns[k] columns, by a power of w: 0, 1, and so on.
func mixedBy(w mat.Matrix, y *mat.Dense, columns []int) *mat.Dense {
	rows, _ := y.Dims()
	lo := 0
	for k, c := range columns {
		for range k {
			if c > 0 {
				part := y.Slice(0, rows, lo, lo+c).(*mat.Dense)
				part.Copy(testkit.Product(w, part))
			}
		}
		lo += c
	}
	return y
}

// denseOf is a copy of a matrix of a tape.
func denseOf(m autodiff.Matrix[float64]) *mat.Dense { return mat.DenseCopyOf(matrix.ToDense(m)) }

// unitRows are the rows of x divided by their norms of an order; rows of zeros stay.
func unitRows(x mat.Matrix, order float64) *mat.Dense {
	unit := mat.DenseCopyOf(x)
	for i := range unit.RawMatrix().Rows {
		if row := unit.RowView(i).(*mat.VecDense); mat.Norm(row, order) > 0 {
			row.ScaleVec(1/mat.Norm(row, order), row)
		}
	}
	return unit
}

// noParameters are the parameters of an objective without any.
func noParameters(_, _ int) []custom.Parameter { return nil }
