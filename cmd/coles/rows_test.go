package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"coles/dataset"
	"coles/internal/testkit"

	"gonum.org/v1/gonum/mat"
)

// rowsOf are n rows about three points, and a table of them, named from a number on.
func rowsOf(seed uint64, n, first int) (x *mat.Dense, ids []string, table string) {
	x = testkit.RandomDense(testkit.Random(seed), n, 4)
	table = "id,a,b,c,d\n"
	for i := range n {
		x.Set(i, i%3, x.At(i, i%3)+6)
		ids = append(ids, fmt.Sprint("r", first+i))
		row := x.RawRowView(i)
		table += fmt.Sprintf("%s,%v,%v,%v,%v\n", ids[i], row[0], row[1], row[2], row[3])
	}
	return x, ids, table
}

func TestRowsThatAreDamaged(t *testing.T) {
	_, _, table := rowsOf(3, 12, 0)
	dir := folder(t, map[string]string{"x.csv": table})
	x := filepath.Join(dir, "x.csv")
	model := filepath.Join(dir, "m.model")
	must(t, "", "embed", "-knn", "3", "-features", x, "-o", filepath.Join(dir, "y.npy"), "-model", model)
	whole := testkit.Must(os.ReadFile(model))
	at := bytes.Index(whole, []byte("PK\x03\x04"))
	for _, cut := range []int{at + 1, at + 50, len(whole) - 30} {
		testkit.Check(t, os.WriteFile(model, whole[:cut], 0o666))
		refused(t, dir, 1, "m.model: ", "", "embed", "-with", model, "-features", x)
	}
	narrow := text(t, func(b *bytes.Buffer) error {
		return dataset.WriteNPZ(b, &dataset.Dataset{Adjacency: testkit.SparseOf(testkit.Eye(3)), Features: testkit.Eye(3)})
	})
	testkit.Check(t, os.WriteFile(model, append(bytes.Clone(whole[:at]), narrow...), 0o666))
	refused(t, dir, 1, "rows of 3 features for a model of 4", "", "embed", "-with", model, "-features", x)
}
