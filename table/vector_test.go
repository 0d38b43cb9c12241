package table

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"coles"
	"coles/internal/testkit"
)

// Vectors come in JSON's and NumPy's form and as slices; their features are centred, and of length 1 on average.
func TestVectors(t *testing.T) {
	x := New("price", "photo", "kind")
	x.Add("a", 1, []float32{1, 2, 4}, "red")
	x.Add("b", 2, "[3, -2, 1e0]", "red")
	x.Add("c", 4, "[5 3\n 1.]", "blue")
	x.Add("d", 8, nil, "blue")
	x.Add("e", 9, []float64{}, "blue")
	e := testkit.Must(Fit(t.Context(), x))
	testkit.WantSame(t, "kind", e.Variables()[1].String(), "vector, 3 numbers, 2 holes, 3 features")
	testkit.WantSame(t, "names", e.Names(), []string{"price", "photo:0", "photo:1", "photo:2", "kind=blue", "kind=red"})
	y := testkit.DenseOf(testkit.Must(e.Encode(t.Context(), x)))
	unit := math.Sqrt((8 + 14 + 6) / 3.) // the means are 3, 1 and 2
	for i, want := range [][]float64{{-2, 1, 2}, {0, -3, -1}, {2, 2, -1}, {0, 0, 0}, {0, 0, 0}} {
		for k, v := range want {
			if got := y.At(i, 1+k); math.Abs(got-v/unit) > 1e-12 {
				t.Errorf("row %d: %v at %d, want %v", i, got, k, v/unit)
			}
		}
	}
	var file bytes.Buffer
	testkit.Must(e.WriteTo(&file))
	back := testkit.Must(ReadEncoder(&file))
	late := New("photo")
	late.Add("", "[1,2,4]")
	testkit.WantSame(t, "a newcomer", testkit.DenseOf(testkit.Must(back.Encode(t.Context(), late))).RawRowView(0)[1:4], y.RawRowView(0)[1:4])
}

func TestBadVectors(t *testing.T) {
	for name, c := range map[string]struct {
		cells []string
		want  error
		text  string
	}{
		"another length": {[]string{"[1,2]", "[3,4]", "[5,6,7]"}, coles.ErrShape, `v.csv:4: column "c": a vector of 3 numbers, those before have 2`},
		"text inside":    {[]string{"[1,2]", "[3,x]", "[5,6]"}, coles.ErrFormat, `v.csv:3: column "c": number 2 of the list`},
		"beyond":         {[]string{"[1,2]", "[3,1e999]"}, coles.ErrNotFinite, "v.csv:3"},
		"far apart":      {[]string{"[1.7e308,2]", "[-1.7e308,1]", "[-1.7e308,1]"}, coles.ErrNotFinite, `column "c"`},
		"all the same":   {[]string{"[1,2]", "[1,2]"}, coles.ErrShape, "no column tells rows apart"},
	} {
		t.Run(name, func(t *testing.T) {
			x := column(c.cells...)
			x.File, x.Lines = "v.csv", []int{2, 3, 4}[:len(c.cells)]
			err := testkit.Err(Fit(t.Context(), x))
			testkit.WantError(t, err, c.want)
			testkit.WantText(t, err.Error(), c.text)
		})
	}
	e := testkit.Must(Fit(t.Context(), column("[1,2]", "[3,4]")))
	for cell, want := range map[string]error{"[1,2,3]": coles.ErrShape, "1": coles.ErrFormat, "[]": coles.ErrFormat, "[1e308,-1e308]": nil} {
		err := testkit.Err(e.Encode(t.Context(), column(cell)))
		if fmt.Sprint(err) != "<nil>" || want != nil {
			testkit.WantError(t, err, want)
		}
	}
	for _, cells := range [][]string{{`["a","b"]`, `["c"]`}, {"[draft] one", "[draft] two"}, {"[[1,2]]", "[[3]]"}} {
		if kind, _ := column(cells...).Columns[0].detect(t.Context()); kind == Vector {
			t.Errorf("%q are vectors", cells)
		}
	}
}
