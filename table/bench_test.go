package table

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"coles/internal/testkit"
)

// BenchmarkShop learns from and encodes 20,000 rows of seven columns, two of them texts of 5 to 14 words.
func BenchmarkShop(b *testing.B) {
	rng := testkit.Random(1)
	words := func() string {
		all := make([]string, 5+rng.IntN(10))
		for k := range all {
			all[k] = fmt.Sprintf("word%d", rng.IntN(2000))
		}
		return strings.Join(all, " ")
	}
	t := New("brand", "colour", "price", "weight", "added", "title", "description")
	for i := range 20000 {
		t.Add(fmt.Sprint(i), fmt.Sprint("Brand ", rng.IntN(40)), []string{"red", "blue", ""}[rng.IntN(3)], rng.ExpFloat64(), rng.NormFloat64(),
			fmt.Sprintf("2024-%02d-01", 1+rng.IntN(12)), words(), words())
	}
	for b.Loop() {
		e := testkit.Must(Learn(context.Background(), t))
		testkit.Must(e.Encode(context.Background(), t))
	}
}
