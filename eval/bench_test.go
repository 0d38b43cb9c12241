package eval

import (
	"context"
	"fmt"
	"testing"

	"coles/dataset"
	"coles/internal/testkit"
)

func BenchmarkClassify(b *testing.B) {
	for _, c := range []struct{ n, d, classes, perClass int }{
		{2708, 512, 7, 5}, {2708, 512, 7, 20},
		{18333, 128, 15, 20}, {18333, 512, 15, 20},
	} {
		x, labels := testkit.Blobs(c.n, c.d, c.classes, 1)
		splits := testkit.Must(dataset.RandomSplits(labels, c.perClass, 50, 1))
		b.Run(fmt.Sprintf("n=%d,d=%d,classes=%d,per=%d", c.n, c.d, c.classes, c.perClass), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				testkit.Must(Protocol{}.Classify(context.Background(), x, labels, splits))
			}
		})
	}
}

// Raw bag-of-words features of a real graph, sparse.
func BenchmarkClassifySparse(b *testing.B) {
	data := testkit.Must(dataset.Open(testkit.Shared(b, "data", "npz", "coauthor_cs.npz"), dataset.ReadNPZ))
	splits := testkit.Must(dataset.RandomSplits(data.Labels, 20, 50, 1))
	for b.Loop() {
		testkit.Must(Protocol{}.Classify(context.Background(), data.Features, data.Labels, splits))
	}
}
