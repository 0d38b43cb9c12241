package dataset_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"strings"

	"coles"
	"coles/dataset"
)

// A graph of a known kind, to try a setting on before the data are there: here the share of
// edges inside a class is what was asked for.
func ExampleCommunities_Generate() {
	d, err := dataset.Communities{Nodes: 600, Classes: 3, Homophily: 0.9, Degree: 10, Seed: 1}.Generate(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	inside := 0
	d.Adjacency.DoNonZero(func(u, v int, _ float64) {
		if d.Labels[u] == d.Labels[v] {
			inside++
		}
	})
	fmt.Printf("%.1f\n", float64(inside)/float64(d.Adjacency.NNZ()))
	// Output: 0.9
}

// Without a file of features the nodes are those that an edge names; one that no edge names
// is not there.
func ExampleDataset_Nodes() {
	d, err := dataset.ReadEdgeList(strings.NewReader("a b\nb d\n"), nil, dataset.EdgeListOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(d.Nodes(), d.IDs)
	// Output: 3 [a b d]
}

// A class that no node is of counts if it has a name: what a classifier needs an output for.
func ExampleDataset_NumClasses() {
	d := dataset.KarateClub()
	fmt.Println(d.NumClasses())
	d.Classes = append(d.Classes, "neither")
	fmt.Println(d.NumClasses())
	d.Classes = nil
	fmt.Println(d.NumClasses())
	// Output:
	// 2
	// 3
	// 2
}

// Features in a file go to a fit as they lie there, float32 and larger than memory if need be.
func ExampleMapped_Matrix() {
	club := dataset.KarateClub()
	g, err := coles.FromCSR(club.Adjacency)
	if err != nil {
		log.Fatal(err)
	}
	inFolder("features.npy", func(path string) error {
		x, err := coles.NewDense32(34, 3, nil)
		if err != nil {
			return err
		}
		raw := x.RawMatrix()
		for i, degree := range g.Degrees() {
			raw.Data[i*raw.Stride+i%3] = float32(degree)
		}
		if err := dataset.WriteFile(path, func(w io.Writer) error { return dataset.WriteNPY(w, x) }); err != nil {
			return err
		}
		mapped, err := dataset.MapNPY(path)
		if err != nil {
			return err
		}
		defer mapped.Close()
		m, err := coles.Fit(context.Background(), g, mapped.Matrix(), coles.WithDim(2))
		if err != nil {
			return err
		}
		fmt.Println(m.Embedding().Dims()) // the model keeps nothing of the file
		return nil
	})
	// Output: 34 2
}

// A split without test nodes reports on all that it has not looked at.
func ExampleSplit_TestNodes() {
	s := dataset.Split{Train: []int{0, 4}, Val: []int{2}}
	fmt.Println(s.TestNodes(7))
	s.Test = []int{6}
	fmt.Println(s.TestNodes(7))
	// Output:
	// [1 3 5 6]
	// [6]
}
