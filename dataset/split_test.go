package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"coles/dataset/parse"
	"coles/internal/testkit"

	"github.com/google/go-cmp/cmp"
)

const smallSplits = `{"dataset": "toy", "nodes": 6, "Nodes": 7, "train": [[0, 1], [5]], "TRAIN": [[3], [3]], "val": [[2], []], "test": [[3, 4, 5], [0]]}`

func TestReadSplits(t *testing.T) {
	got := testkit.Must(ReadSplits(strings.NewReader(smallSplits), 6))
	want := []Split{{Train: []int{0, 1}, Val: []int{2}, Test: []int{3, 4, 5}}, {Train: []int{5}, Val: []int{}, Test: []int{0}}}
	testkit.WantSame(t, "splits", got, want)
	testkit.WantSame(t, "the other nodes", (Split{Train: []int{4}, Val: []int{0}}).TestNodes(6), []int{1, 2, 3, 5})
}

// The draw of the protocol: n a class, at most a third of it, as many for validation, never a node
// without a label.
func TestRandomSplitsDrawByClass(t *testing.T) {
	labels := slices.Concat(slices.Repeat([]int{0}, 100), slices.Repeat([]int{1}, 10), slices.Repeat([]int{2}, 2), slices.Repeat([]int{-1}, 50), slices.Repeat([]int{3}, 7))
	splits := testkit.Must(RandomSplits(labels, 5, 30, 42))
	want := []int{5, 3, 0, 2}
	for s, split := range splits {
		if err := split.check(len(labels)); err != nil {
			t.Fatalf("split %d: %v", s, err)
		}
		for _, part := range [][]int{split.Train, split.Val} {
			got := make([]int, 4)
			for _, i := range part {
				got[labels[i]]++ // panics for a label of -1
			}
			testkit.WantSame(t, fmt.Sprint("nodes a class in split ", s), got, want)
		}
	}
	again, _ := RandomSplits(labels, 5, 3, 42)
	testkit.WantSame(t, "of fewer splits, the first", again, splits[:3])
	other, _ := RandomSplits(labels, 5, 3, 43)
	if cmp.Equal(again, other) {
		t.Error("another seed draws the same splits")
	}
}

// Of two classes of three nodes one each is drawn for training and one for validation, all choices alike,
// whether the seeds are one after the other or the numbers of the splits.
func TestRandomSplitsAreUniform(t *testing.T) {
	draws := testkit.Draws(5000)
	labels := []int{0, 1, 0, 1, 0, 1}
	var all []string
	for class := range 9 {
		for other := range 9 {
			choice := []int{2 * (class / 3), 2*(other/3) + 1, 2 * (class % 3), 2*(other%3) + 1}
			if choice[0] != choice[2] && choice[1] != choice[3] {
				all = append(all, fmt.Sprint(choice))
			}
		}
	}
	bySeed, byNumber := map[string]int{}, map[string]int{}
	count := func(counts map[string]int, s Split) { counts[fmt.Sprint(slices.Concat(s.Train, s.Val))]++ }
	for seed := range uint64(draws) {
		count(bySeed, testkit.Must(RandomSplits(labels, 1, 1, seed))[0])
	}
	for _, s := range testkit.Must(RandomSplits(labels, 1, draws, 7)) {
		count(byNumber, s)
	}
	testkit.WantLaw(t, "seeds", bySeed, testkit.Alike(all...))
	testkit.WantLaw(t, "numbers", byNumber, testkit.Alike(all...))
}

func FuzzSplits(f *testing.F) {
	f.Add([]byte(smallSplits), 6)
	f.Add([]byte(`{"train": [[0]], "val": [[]]}`), 1)
	f.Fuzz(func(t *testing.T, data []byte, n int) {
		splits, err := ReadSplits(bytes.NewReader(data), n)
		if err != nil {
			var place *parse.Error
			if !errors.As(err, &place) {
				t.Errorf("an error without a place: %v", err)
			}
			return
		}
		for _, s := range splits {
			if n < 1<<16 && s.Test == nil && len(s.TestNodes(n)) != n-len(s.Train)-len(s.Val) {
				t.Errorf("%d nodes are divided into %v and %v", n, s, s.TestNodes(n))
			}
		}
	})
}
