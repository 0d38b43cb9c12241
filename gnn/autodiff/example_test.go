package autodiff_test

import (
	"context"
	"fmt"
	"math"

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
