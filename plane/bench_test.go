package plane

import (
	"context"
	"testing"

	"coles/internal/testkit"
)

func BenchmarkTSNE(b *testing.B) {
	x, _ := testkit.Blobs(5000, 64, 10, 1)
	for b.Loop() {
		testkit.Must(TSNE{Seed: 1}.Places(context.Background(), x))
	}
}
