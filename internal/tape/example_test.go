package tape_test

import (
	"context"
	"fmt"

	"coles/internal/kernel"
	"coles/internal/tape"
)

func ExampleTape() {
	x := kernel.Matrix[float64]{Rows: 3, Cols: 2, Stride: 2, Data: []float64{0, 1, 1, 2, 2, 3}}
	w := kernel.Matrix[float64]{Rows: 2, Cols: 1, Stride: 1, Data: []float64{0, 1}}
	grad := kernel.Dense[float64](2, 1)
	t := tape.New[float64](context.Background())
	loss := t.Mean(t.Sigmoid(t.MatMul(t.Constant(x), t.Variable(w, grad))))
	if err := t.Backward(loss); err != nil {
		fmt.Println(err)
	}
	fmt.Printf("%.4f, gradient %.4f\n", loss.Scalar(), grad.Data)
	// Output: 0.8548, gradient [0.0651 0.1807]
}
