package tape

import "testing"

func TestSlabsAreOfMatricesWithManyEntriesInAColumn(t *testing.T) {
	for _, c := range []struct{ rows, cols, want int }{
		{slabRows, 3, 1},
		{slabRows + 1, 3, 2},
		{5 * slabRows, 3, 5},
		{5 * slabRows, 3000, 1}, // one entry in 153: 3 in each row of a slab
		{0, 3, 1},
		{3, 0, 1},
	} {
		slabs := slabsOf(sparseOf(c.rows, c.cols))
		rows := 0
		for _, s := range slabs {
			if s.first != rows {
				t.Errorf("%d×%d: a slab begins at %d, the one before ends at %d", c.rows, c.cols, s.first, rows)
			}
			rows += s.matrix.Cols
		}
		if len(slabs) != c.want || rows != c.rows {
			t.Errorf("%d×%d: %d slabs of together %d columns, want %d", c.rows, c.cols, len(slabs), rows, c.want)
		}
	}
}
