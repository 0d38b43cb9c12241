package dataset

import (
	"testing"

	"coles"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// matrices are
//
//	0 2 0        0 2 0
//	0 0 1  and   0 0 1
//	3 0 0
//
// in the arrays that scipy.sparse.save_npz writes.
func matrices(format, shape string, rows int64) []member {
	long := func(v ...int32) []byte {
		return npyArray("<i4", map[int]string{2: "(2,)", 3: "(3,)", 4: "(4,)"}[len(v)], v)
	}
	data := func(v ...float64) []byte { return npyArray("<f8", map[int]string{2: "(2,)", 3: "(3,)"}[len(v)], v) }
	all := []member{
		{"format", npyArray("|S3", "()", []byte(format))}, {"shape", npyArray("<i8", "(2,)", []int64{rows, 3})},
	}
	switch format + shape {
	case "csrsquare":
		return append(all, member{"indptr", long(0, 1, 2, 3)}, member{"indices", long(1, 2, 0)}, member{"data", data(2, 1, 3)})
	case "cscsquare":
		return append(all, member{"indptr", long(0, 1, 2, 3)}, member{"indices", long(2, 0, 1)}, member{"data", data(3, 2, 1)})
	case "coosquare":
		return append(all, member{"row", long(2, 0, 1)}, member{"col", long(0, 1, 2)}, member{"data", data(3, 2, 1)})
	case "csrwide":
		return append(all, member{"indptr", long(0, 1, 2)}, member{"indices", long(1, 2)}, member{"data", data(2, 1)})
	case "cscwide":
		return append(all, member{"indptr", long(0, 0, 1, 2)}, member{"indices", long(0, 1)}, member{"data", data(2, 1)})
	case "coowide":
		return append(all, member{"row", long(1, 0)}, member{"col", long(2, 1)}, member{"data", data(1, 2)})
	}
	return all
}

// Matrices that SciPy saved are a graph if they are square, and else features.
func TestMatricesOfSciPy(t *testing.T) {
	square, wide := mat.NewDense(3, 3, []float64{0, 2, 0, 0, 0, 1, 3, 0, 0}), mat.NewDense(2, 3, []float64{0, 2, 0, 0, 0, 1})
	for _, format := range []string{"csr", "csc", "coo"} {
		d := testkit.Must(readBytes(zipFile(matrices(format, "square", 3))))
		testkit.WantClose(t, format, d.Adjacency, square, 0)
		d = testkit.Must(readBytes(zipFile(matrices(format, "wide", 2))))
		testkit.WantClose(t, format, d.Features, wide, 0)
		testkit.WantSame(t, "a graph of features", d.Adjacency == nil, true)
	}
	for name, c := range map[string]struct {
		members []member
		want    error
	}{
		"another format":      {matrices("bsr", "", 3), coles.ErrFormat},
		"many rows":           {matrices("coo", "square", 1<<40), coles.ErrTooLarge},
		"entries outside":     {matrices("coo", "square", 2), coles.ErrIndex},
		"rows of another":     {matrices("csr", "square", 2), coles.ErrShape},
		"fewer values":        {with(matrices("coo", "square", 3), "data", npyArray("<f8", "(1,)", []float64{1})), coles.ErrShape},
		"no values":           {without(matrices("csc", "wide", 2), "data"), ErrMissing},
		"a negative row":      {with(matrices("coo", "wide", 2), "row", npyArray("<i4", "(2,)", []int32{-1, 0})), coles.ErrIndex},
		"columns that do not": {with(matrices("csc", "wide", 2), "indices", npyArray("<i4", "(2,)", []int32{0, 9})), coles.ErrIndex},
	} {
		t.Run(name, func(t *testing.T) { testkit.WantError(t, testkit.Err(readBytes(zipFile(c.members))), c.want) })
	}
}
