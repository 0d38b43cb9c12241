package matrix

import (
	"context"
	"fmt"
	"math"

	"coles/internal/kernel"
	"coles/internal/parallel"
)

// Hash identifies a matrix by 64 bits, in 16 hexadecimal digits. Other matrices have other hashes
// unless by a chance of 2⁻⁶⁴; it is no guard against malice. The same matrix has the same hash in
// whatever type it comes. It takes one pass.
//
// It takes the numbers of rows and columns and, row by row, column and value of every entry that is
// not zero:
//
//	h ← mix(h, v) = y ⊕ ⌊y/2³²⌋,  y = (h ⊕ v)·0x9e3779b97f4a7c15 mod 2⁶⁴
//
// with h = 0 at the beginning of a row and v the 64 bits of the value, ⊕ its column, from 1, times
// 0xd6e8feb86659fd93. The hash of the matrix is mixed of both sizes and the hashes of the rows in
// their order.
func Hash(ctx context.Context, s *Source) (string, error) {
	rows, err := RowHashes(ctx, s)
	return HashOf(rows, s.Cols()), err
}

// HashCSR is Hash of a sparse matrix, which may be a pattern.
func HashCSR(ctx context.Context, a *kernel.CSR[float64]) (string, error) {
	if a.Val != nil {
		return Hash(ctx, &Source{sparse: a})
	}
	hashes := make([]uint64, a.Rows)
	err := EachRow(ctx, a, func(i int) {
		cols, _ := a.Row(i)
		for _, j := range cols {
			hashes[i] = entered(hashes[i], columnBits(int(j)), 1)
		}
	})
	return HashOf(hashes, a.Cols), err
}

// RowHashes are the hashes of the rows.
func RowHashes(ctx context.Context, s *Source) ([]uint64, error) {
	hashes := make([]uint64, s.Rows())
	return hashes, parallel.Rows(ctx, len(hashes), func(lo, hi int) {
		s.Each(lo, hi, func(i int, cols []int32, vals []float64) { hashes[i] = HashRow(cols, vals) })
	})
}

// HashOf is the hash of a matrix with rows of these hashes.
func HashOf(rows []uint64, cols int) string {
	h := mix(mix(0, uint64(len(rows))), uint64(cols))
	for _, r := range rows {
		h = mix(h, r)
	}
	return fmt.Sprintf("%016x", h)
}

// HashRow is the hash of one row.
func HashRow(cols []int32, vals []float64) uint64 {
	h := uint64(0)
	for q, v := range vals {
		h = entered(h, columnBits(Column(cols, q)), v)
	}
	return h
}

func columnBits(j int) uint64 { return uint64(j+1) * 0xd6e8feb86659fd93 }

// entered is the hash of a row with one more entry; a stored zero is none.
func entered(h, column uint64, v float64) uint64 {
	if v == 0 {
		return h
	}
	return mix(h, math.Float64bits(v)^column)
}

func mix(h, v uint64) uint64 {
	y := (h ^ v) * 0x9e3779b97f4a7c15
	return y ^ y>>32
}
