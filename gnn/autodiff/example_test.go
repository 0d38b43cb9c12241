package autodiff_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"coles/gnn/autodiff"
)

type (
	matrix = autodiff.Matrix[float64]
	tape   = autodiff.Tape[float64]
	value  = autodiff.Value[float64]
)

func matrixOf(rows, cols int, data ...float64) matrix {
	return matrix{Rows: rows, Cols: cols, Stride: cols, Data: data}
}

func ExampleTape() {
	x, w := matrixOf(3, 2, 0, 1, 1, 2, 2, 3), matrixOf(2, 1, 0, 1)
	gradient := autodiff.NewMatrix[float64](2, 1)
	t := autodiff.New[float64](context.Background())
	loss := t.Mean(t.Sigmoid(t.MatMul(t.Constant(x), t.Variable(w, gradient))))
	if err := t.Backward(loss); err != nil {
		fmt.Println(err)
	}
	fmt.Printf("%.4f, gradient %.4f\n", loss.Scalar(), gradient.Data)
	// Output: 0.8548, gradient [0.0651 0.1807]
}

func ExampleTape_SoftmaxContrast() {
	t := autodiff.New[float64](context.Background())
	// Two nodes, whose rows are orthogonal and the same in both views.
	u := t.Constant(matrixOf(2, 2, 1, 0, 0, 1))
	fmt.Printf("log(1 + e + 1) − 1 = %.4f\n", t.SoftmaxContrast(u, u, 1, nil).Scalar())
	// Output: log(1 + e + 1) − 1 = 0.5514
}

func at(m matrix, i, j int) *float64 { return &m.Data[i*m.Stride+j] }

// sine is y = sin x by entry, with g_x = g∘cos x.
func sine(t *tape, x *value) *value {
	return t.Operation(x.Rows(), x.Cols(), func(y matrix) {
		for i := range y.Rows {
			for j := range y.Cols {
				*at(y, i, j) = math.Sin(*at(x.Data(), i, j))
			}
		}
	}, func(_, g matrix, gradients []matrix) {
		for i := range g.Rows {
			for j := range g.Cols {
				*at(gradients[0], i, j) += *at(g, i, j) * math.Cos(*at(x.Data(), i, j))
			}
		}
	}, x)
}

// An operation that the package does not have, and its gradient checked by a difference.
func ExampleTape_Operation() {
	loss := func(x float64, gradient matrix) float64 {
		t := autodiff.New[float64](context.Background())
		y := t.Sum(sine(t, t.Variable(matrixOf(1, 2, x, 2), gradient)))
		if err := t.Backward(y); err != nil {
			fmt.Println(err)
		}
		return y.Scalar()
	}
	const h = 1e-5
	gradient, unused := autodiff.NewMatrix[float64](1, 2), autodiff.NewMatrix[float64](1, 2)
	loss(1, gradient)
	fmt.Printf("%.6f, by a difference %.6f\n", gradient.Data[0], (loss(1+h, unused)-loss(1-h, unused))/(2*h))
	// Output: 0.540302, by a difference 0.540302
}

// A network of two layers for the nodes of two triangles joined by an edge, from what the package
// exports alone. Its two classes are the triangles, of which one node each is labelled.
func TestANetworkFromOutside(t *testing.T) {
	graph := &autodiff.CSR[float64]{Rows: 6, Cols: 6, Ptr: []int64{0, 2, 4, 7, 10, 12, 14}, Col: []int32{1, 2, 0, 2, 0, 1, 3, 2, 4, 5, 3, 5, 3, 4}}
	for i := range graph.Rows {
		degree := graph.Ptr[i+1] - graph.Ptr[i]
		for range degree {
			graph.Val = append(graph.Val, 1/float64(degree))
		}
	}
	// One word for each node, and none for the last: rows without entries are fine.
	words := &autodiff.CSR[float64]{Rows: 6, Cols: 5, Ptr: []int64{0, 1, 2, 3, 4, 5, 5}, Col: []int32{0, 1, 2, 3, 4}, Val: []float64{1, 1, 1, 1, 1}}
	neighbours, features := autodiff.NewSparse(graph, false), autodiff.NewSparse(words, false)
	both := matrixOf(5, 4)
	for k := range 20 {
		both.Data = append(both.Data, math.Cos(float64(3*k)))
	}
	first := matrix{Rows: 5, Cols: 2, Stride: 4, Data: both.Data} // the left half
	weights := []matrix{first, matrixOf(1, 2, 0.1, -0.1), matrixOf(2, 2, 0.5, -0.3, 0.2, 0.4)}
	var gradients []matrix
	for _, w := range weights {
		gradients = append(gradients, autodiff.NewMatrix[float64](w.Rows, w.Cols))
	}
	record := autodiff.New[float64](context.Background())
	var logits *value
	loss := func() float64 {
		record.Reset(context.Background())
		p := make([]*value, len(weights))
		for k, w := range weights {
			clear(gradients[k].Data)
			p[k] = record.Variable(w, gradients[k])
		}
		h := sine(record, record.Bias(record.SpMM(neighbours, record.MatMul(record.SparseConstant(features), p[0])), p[1]))
		logits = record.SpMM(neighbours, record.MatMul(h, p[2]))
		y := record.SoftmaxCrossEntropy(logits, []int{0, 5}, []int{0, 1})
		if err := record.Backward(y); err != nil {
			t.Fatal(err)
		}
		return y.Scalar()
	}
	each := func(do func(w, g *float64)) {
		for k, w := range weights {
			for i := range w.Rows {
				for j := range w.Cols {
					do(at(w, i, j), at(gradients[k], i, j))
				}
			}
		}
	}
	each(func(w, g *float64) {
		const h = 1e-5 // whose square, and 1e-16/h, are below the tolerance
		*w += h
		up := loss()
		*w -= 2 * h
		down := loss()
		*w += h
		if loss(); math.Abs(*g-(up-down)/(2*h)) > 1e-8 {
			t.Errorf("gradient %g, by differences %g", *g, (up-down)/(2*h))
		}
	})
	before := loss()
	for range 200 {
		each(func(w, g *float64) { *w -= 0.5 * *g })
		loss()
	}
	if after := loss(); !(after < before/10) {
		t.Errorf("the loss is %g after the training, before it was %g", after, before)
	}
	for i := range 6 {
		if *at(logits.Data(), i, 0) > *at(logits.Data(), i, 1) != (i < 3) {
			t.Errorf("node %d is in the wrong class", i)
		}
	}
}
