package near

import (
	"context"
	"fmt"
	"testing"

	"coles/internal/testkit"
)

// The ten most similar of 200,000 rows of 128 columns, to one row at a time and to a hundred.
func BenchmarkIndex(b *testing.B) {
	const n, d, k = 200_000, 128, 10
	x, _ := testkit.Blobs(n, d, 40, 1)
	b.Run("new", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			testkit.Must(NewIndex(context.Background(), x, Cosine))
		}
	})
	for _, by := range []Similarity{Cosine, DotProduct} {
		index := testkit.Must(NewIndex(context.Background(), x, by))
		for _, batch := range []int{1, 10, 100, 1000} {
			b.Run(fmt.Sprintf("%v,batch=%d", by, batch), func(b *testing.B) {
				rows := make([]int, batch)
				next := 0
				for b.Loop() {
					for q := range rows {
						rows[q] = next % n
						next += 7919
					}
					testkit.Must(index.Rows(context.Background(), rows, k))
				}
				b.ReportMetric(float64(batch*b.N)/b.Elapsed().Seconds(), "queries/s")
			})
		}
	}
}
