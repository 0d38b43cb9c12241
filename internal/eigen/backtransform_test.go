package eigen

import (
	"testing"

	"gonum.org/v1/gonum/mat"
)

// A block of reflections is their product, also where one of them ends in zeros and later ones do
// not.
func TestBlockFactorIsThatOfTheProduct(t *testing.T) {
	for name, rows := range map[string][][]float64{
		"full":                  {{1, .5, .25, -1, 2}, {0, 1, .5, 3, -2}, {0, 0, 1, -.5, 3}},
		"zeros end the second":  {{1, .5, .25, -1, 2}, {0, 1, .5, 0, 0}, {0, 0, 1, -.5, 3}},
		"zeros end the first":   {{1, 0, 0, 0, 0}, {0, 1, .5, 3, 1}, {0, 0, 1, -.5, 3}},
		"one that does nothing": {{1, .5, .25, -1, 2}, {0, 1, .5, 3, 1}, {0, 0, 1, -.5, 3}, {0, 0, 0, 1, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			b, d := len(rows), len(rows[0])
			v, tau := mat.NewDense(b, d, nil), make([]float64, b)
			product := identityDense(d)
			for i, row := range rows {
				v.SetRow(i, row)
				if name != "one that does nothing" || i != 1 {
					square := mat.Dot(v.RowView(i), v.RowView(i))
					tau[i] = 2 / square
				}
				var reflection mat.Dense
				reflection.Outer(-tau[i], v.RowView(i), v.RowView(i))
				reflection.Add(&reflection, identityDense(d))
				product.Mul(product, &reflection)
			}
			triangle := must(BlockFactor(background, panel(v.RawMatrix()), tau))
			var got mat.Dense
			got.Product(v.T(), mat.NewDense(b, b, triangle.Data), v)
			got.Sub(identityDense(d), &got)
			if !mat.EqualApprox(&got, product, 1e-14) {
				t.Errorf("I − VᵀTV is\n%.3g\nand the product\n%.3g", mat.Formatted(&got), mat.Formatted(product))
			}
		})
	}
}

func identityDense(n int) *mat.Dense {
	e := mat.NewDense(n, n, nil)
	for i := range n {
		e.Set(i, i, 1)
	}
	return e
}
