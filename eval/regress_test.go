package eval

import (
	"context"
	"math"
	"testing"

	"coles"
	"coles/dataset"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// Of exact values all is explained; of a split the errors are those of the rows asked, by hand where features say nothing.
func TestRegress(t *testing.T) {
	x := testkit.Normal(40, 3, 1, 181)
	values := make([]float64, 40)
	for i := range values {
		values[i] = 3*x.At(i, 0) - x.At(i, 2)
	}
	values[5] = math.NaN()
	r2, off, err := Protocol{}.Regress(context.Background(), x, values, []dataset.Split{{Train: testkit.UpTo(20)}})
	testkit.Check(t, err)
	testkit.WantNear(t, "R²", r2.Mean, 1, 1e-4)
	testkit.WantNear(t, "1 and the error", 1+off.Mean, 1, 1e-3)
	r2, off, err = Protocol{}.Regress(context.Background(), mat.NewDense(5, 1, nil), []float64{1, 2, 3, 4, 6}, []dataset.Split{{Train: []int{0, 1, 2}}})
	testkit.Check(t, err)
	testkit.WantNear(t, "R² of the mean", r2.Mean, 0, 1e-12)
	testkit.WantNear(t, "error of the mean", off.Mean, 3, 1e-12)
	_, _, err = Protocol{}.Regress(context.Background(), x, values, []dataset.Split{{Train: []int{99}}})
	testkit.WantError(t, err, coles.ErrIndex)
}
