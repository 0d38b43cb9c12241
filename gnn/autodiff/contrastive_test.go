package autodiff

import (
	"context"
	"math"
	"testing"

	"coles/internal/kernel"
	"coles/internal/matrix"
	"coles/internal/testkit"
)

// pairs are two matrices with more than one row: a single node has no contrast.
func pairs(n, d int) [][2]int { return [][2]int{{n + 1, d}, {n + 1, d}} }

// pairOperations are the losses of pairs of rows.
func pairOperations[T Float]() []operation[T] {
	anchors := func(x *Value[T]) []int { return picks(x.Rows()/2+1, x.Rows(), 3) }
	contrastive := func(name string, anchors func(x *Value[T]) []int) operation[T] {
		return binary(name, pairs, func(t *Tape[T], u, v *Value[T]) *Value[T] {
			return t.SoftmaxContrast(t.RowNormalize(u), t.RowNormalize(v), 0.4, anchors(u))
		}, func(u, v matrix64) matrix64 {
			loss, _ := contrastByHand(unitByHand(u), unitByHand(v), 0.4, anchors(&Value[T]{data: Matrix[T]{Rows: u.Rows}}))
			return scalar(loss)
		})
	}
	return []operation[T]{
		contrastive("SoftmaxContrast", func(*Value[T]) []int { return nil }),
		contrastive("SoftmaxContrast of anchors", anchors),
		binary("SoftmaxContrast of rows of any length", pairs, func(t *Tape[T], u, v *Value[T]) *Value[T] {
			return t.SoftmaxContrast(u, v, 4, nil)
		}, func(u, v matrix64) matrix64 {
			loss, _ := contrastByHand(u, v, 4, nil)
			return scalar(loss)
		}).of(func(v float64) float64 { return 0.5 * v }),
		unary("InnerProductLoss", func(t *Tape[T], z *Value[T]) *Value[T] {
			return t.InnerProductLoss(NewSparse(ringTarget[T](z.Rows(), 1), true), z)
		}, func(z matrix64) matrix64 {
			loss, _ := innerProductByHand(ringTarget[float64](z.Rows, 1), z)
			return scalar(loss)
		}).of(func(v float64) float64 { return 0.3 * v }),
		binary("GaussianKL", equal, func(t *Tape[T], mean, variance *Value[T]) *Value[T] {
			m, n := mean.Rows()+4, mean.Rows()
			return t.GaussianKL(mean, variance, picks(m, n, 1), picks(m, n, 2))
		}, func(mean, variance matrix64) matrix64 {
			m, n := mean.Rows+4, mean.Rows
			is, js := picks(m, n, 1), picks(m, n, 2)
			return build(m, 1, func(k, _ int) float64 {
				i, j := is[k], js[k]
				return sumOver(mean.Cols, func(l int) float64 {
					ratio := at(variance, j, l) / at(variance, i, l)
					return (ratio + math.Pow(at(mean, i, l)-at(mean, j, l), 2)/at(variance, i, l) - 1 - math.Log(ratio)) / 2
				})
			})
		}).of(positive),
	}
}

// unitByHand is x with its rows divided by their lengths.
func unitByHand(x matrix64) matrix64 {
	return build(x.Rows, x.Cols, func(i, j int) float64 { return at(x, i, j) / math.Sqrt(dotByHand(x.Row(i), x.Row(i))) })
}

// contrastByHand is the loss and its gradient with respect to u and, below it, v: anchor by anchor
// as the formula has it.
func contrastByHand(u, v matrix64, tau float64, anchors []int) (loss float64, gradient matrix64) {
	n := u.Rows
	w := build(2*n, u.Cols, func(i, j int) float64 {
		if i < n {
			return at(u, i, j)
		}
		return at(v, i-n, j)
	})
	if anchors == nil {
		for i := range n {
			anchors = append(anchors, i)
		}
	}
	gradient = kernel.Dense[float64](2*n, u.Cols)
	share := 1 / float64(2*len(anchors))
	for _, a := range anchors {
		for _, i := range []int{a, n + a} {
			p, partner := make([]float64, 2*n), (i+n)%(2*n)
			for k := range p {
				if k != i {
					p[k] = math.Exp(dotByHand(w.Row(i), w.Row(k)) / tau)
				}
			}
			all := sumOver(2*n, func(k int) float64 { return p[k] })
			loss += share * (math.Log(all) - dotByHand(w.Row(i), w.Row(partner))/tau)
			for k := range p {
				c := share / tau * p[k] / all
				if k == partner {
					c -= share / tau
				}
				matrix.AddScaled(gradient.Row(i), c, w.Row(k))
				matrix.AddScaled(gradient.Row(k), c, w.Row(i))
			}
		}
	}
	return loss, gradient
}

// Several blocks of rows, the last of them incomplete, against the formulas pair by pair.
func TestPairsOfManyBlocks(t *testing.T) {
	const n, d, tau = 2*pairBlock + 70, 6, 0.3
	in := inputsOf(operation[float64]{sizes: equal}, n, d, testkit.Random(53))
	check := func(name string, loss float64, want matrix64, apply func(t *Tape[float64], in []*Value[float64]) *Value[float64], in ...matrix64) {
		y, grads := gradientOf(t, apply, in...)
		var all []float64
		for _, g := range grads {
			all = append(all, g.Data...)
		}
		got := matrix64{Rows: want.Rows, Cols: d, Stride: d, Data: all}
		// 1,164² terms of about 1/1,164² in another order.
		testkit.WantClose(t, name, dense(y), dense(scalar(loss)), 1e-13*loss)
		testkit.WantClose(t, "gradient of "+name, dense(got), dense(want), 1e-12*size(want))
	}
	u, v := unitByHand(in[0]), unitByHand(in[1])
	for name, anchors := range map[string][]int{"contrast": nil, "contrast of some": picks(pairBlock+9, n, 5), "contrast of one": {n - 1}} {
		loss, want := contrastByHand(u, v, tau, anchors)
		check(name, loss, want, func(t *Tape[float64], in []*Value[float64]) *Value[float64] {
			return t.SoftmaxContrast(in[0], in[1], tau, anchors)
		}, u, v)
	}
	target := ringTarget[float64](n, 3)
	loss, want := innerProductByHand(target, in[0])
	check("inner products", loss, want, func(t *Tape[float64], in []*Value[float64]) *Value[float64] {
		return t.InnerProductLoss(NewSparse(target, true), in[0])
	}, in[0])
}

// The mean of the losses of single anchors, and of their gradients, is the loss of all and its gradient.
func TestAnchorsAreUnbiased(t *testing.T) {
	const n, h, tau = 40, 5, 0.5
	in := inputsOf(operation[float64]{sizes: equal}, n, h, testkit.Random(54))
	of := func(anchors []int, gradient matrix64) float64 {
		tape := New[float64](context.Background())
		y := tape.SoftmaxContrast(tape.RowNormalize(tape.Variable(in[0], gradient)), tape.RowNormalize(tape.Constant(in[1])), tau, anchors)
		testkit.Check(t, tape.Backward(tape.Scale(y, 1/float64(max(1, n*len(anchors))))))
		return y.Scalar()
	}
	all, parts := kernel.Dense[float64](n, h), kernel.Dense[float64](n, h)
	want := of(nil, all)
	got := sumOver(n, func(i int) float64 { return of([]int{i}, parts) / n })
	testkit.WantClose(t, "loss", dense(scalar(got)), dense(scalar(want)), 1e-14*want)
	testkit.WantClose(t, "gradient", dense(parts), dense(all), 1e-14*size(all))
}

// Exponents far above the limits of float32 and float64, in which the one large term of a row
// decides: rows of length 100 in two opposite directions, τ = 1.
func TestContrastOfLongRows(t *testing.T) {
	u := build(4, 1, func(i, _ int) float64 { return 100 * float64(1-i%2*2) })
	checkLong(t, New[float64](context.Background()), u)
	checkLong(t, New[float32](context.Background()), rounded[float32](u))
}

func checkLong[T Float](t *testing.T, tape *Tape[T], u Matrix[T]) {
	t.Helper()
	grad := kernel.Dense[T](4, 1)
	x := tape.Variable(u, grad)
	y := tape.SoftmaxContrast(x, x, 1, nil)
	testkit.Check(t, tape.Backward(y))
	// Every row has three others with the same product as with its partner: log 3. The gradient
	// of such a row is Σ_j K_ij·w_j − 2·w_i = 0.
	if math.Abs(y.Scalar()-math.Log(3)) > 1e-3 || math.Abs(at(grad, 0, 0)) > 1e-3 {
		t.Errorf("%T: loss %g and gradient %g, want %g and 0", u, y.Scalar(), at(grad, 0, 0), math.Log(3))
	}
	// One node, whose views are opposite: log e^−49 + 49, of terms that all are small.
	seven := kernel.Dense[T](1, 1)
	seven.Data[0] = 7
	x = tape.Constant(seven)
	if y := tape.SoftmaxContrast(x, tape.Scale(x, -1), 1, nil).Scalar(); math.Abs(y) > 1e-5 {
		t.Errorf("%T: loss %g of opposite views, want 0", u, y)
	}
}
