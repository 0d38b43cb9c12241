package dataset_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"

	"coles"
	"coles/dataset"
	"coles/dataset/parse"
	"coles/dataset/synthetic"

	"gonum.org/v1/gonum/mat"
)

// A citation graph in two text files: who cites whom, and two numbers a paper.
func ExampleReadEdgeList() {
	edges := strings.NewReader("source,target\nsmith99,jones97\nchen03,smith99\n")
	features := strings.NewReader("jones97,1,0\nsmith99,1,1\nchen03,0,1\n")
	d, err := dataset.ReadEdgeList(edges, features, parse.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(d.IDs)
	d.Adjacency.DoNonZero(func(i, j int, w float64) { fmt.Println(d.IDs[i], "→", d.IDs[j], w) })
	// Output:
	// [jones97 smith99 chen03]
	// smith99 → jones97 1
	// chen03 → smith99 1
}

// A graph from names, as a program has them. Rows are in the order in which nodes are first named.
func ExampleBuilder() {
	var b dataset.Builder
	b.AddEdge("ann", "bob", 1)
	b.AddEdge("bob", "cem", 2)
	b.AddNode("dee") // without a friend
	b.SetFeature("ann", "age", 41)
	b.SetFeature("cem", "likes tea", 1)
	b.SetLabel("ann", "chess")
	d, err := b.Build()
	if err != nil {
		log.Fatal(err)
	}
	g, err := d.Graph()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(g.IDs(), g.Report())
	fmt.Println(d.FeatureNames, d.Labels)
	fmt.Println(mat.Formatted(d.Features))
	// Output:
	// [ann bob cem dee] 4 nodes, 2 edges, 2 directed entries mirrored, 1 isolated node, weighted
	// [age likes tea] [0 -1 -1 -1]
	// ⎡41   0⎤
	// ⎢ 0   0⎥
	// ⎢ 0   1⎥
	// ⎣ 0   0⎦
}

// Who bought what: user 7 and product 7 are two nodes. The fourth column is a time, which is not
// asked for.
func ExampleReadEdgeList_bipartite() {
	sales := strings.NewReader("user,product,stars,time\n7,7,5,1082040961\n7,8,1,1082040999\n9,7,4,1082041734\n")
	d, err := dataset.ReadEdgeList(sales, nil, parse.Options{Bipartite: true, Columns: []int{1, 2, 3}})
	if err != nil {
		log.Fatal(err)
	}
	d.Adjacency.DoNonZero(func(i, j int, stars float64) { fmt.Println(d.IDs[i], d.IDs[j], stars) })
	// Output:
	// user:7 product:7 5
	// user:7 product:8 1
	// user:9 product:7 4
}

// An archive that numpy.load opens, too; the file is there whole or not at all.
func ExampleWriteNPZ() {
	dir, err := os.MkdirTemp("", "dataset")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	club, path := dataset.KarateClub(), filepath.Join(dir, "karate.npz")
	if err := dataset.WriteFile(path, func(w io.Writer) error { return dataset.WriteNPZ(w, club) }); err != nil {
		log.Fatal(err)
	}
	d, err := dataset.Open(path, dataset.ReadNPZ)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(d.Name, d.Nodes(), "members,", d.Adjacency.NNZ()/2, "ties,", d.Classes)
	// Output: karate 34 members, 78 ties, [instructor administrator]
}

// Features in a file go to a fit as they lie there, float32 and larger than memory if need be.
func ExampleMapNPY() {
	dir, err := os.MkdirTemp("", "dataset")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	g, err := coles.FromCSR(dataset.KarateClub().Adjacency)
	if err != nil {
		log.Fatal(err)
	}
	x := &coles.Dense32{Rows: 34, Cols: 3, Stride: 3, Data: make([]float32, 34*3)}
	for i, degree := range g.Degrees() {
		x.Data[i*3+i%3] = float32(degree)
	}
	path := filepath.Join(dir, "features.npy")
	if err := dataset.WriteFile(path, func(w io.Writer) error { return dataset.WriteNPY(w, x) }); err != nil {
		log.Fatal(err)
	}
	mapped, err := dataset.MapNPY(path)
	if err != nil {
		log.Fatal(err)
	}
	defer mapped.Close()
	m, err := coles.Fit(context.Background(), g, mapped.Features, coles.WithDim(2))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Embedding().Dims()) // the model keeps nothing of the file
	// Output: 34 2
}

// Vectors for gensim, in word2vec's text: its first line has the numbers of rows and columns.
func ExampleFormatNamed() {
	word2vec, _ := dataset.FormatNamed("word2vec")
	y := &dataset.Dataset{IDs: []string{"ann", "bob"}, Features: mat.NewDense(2, 1, []float64{0.5, 4})}
	if err := word2vec.Write(os.Stdout, y); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 2 1
	// ann 0.5
	// bob 4
}

// Ten splits of three nodes a class to train on and as many to choose settings with. Nodes whose
// label is a placeholder are never drawn.
func ExampleDataset_RandomSplits() {
	d := dataset.KarateClub()
	splits, err := d.RandomSplits(3, 10, 1)
	if err != nil {
		log.Fatal(err)
	}
	s := splits[0]
	fmt.Println(len(splits), "splits of", len(s.Train), "+", len(s.Val), "+", len(s.TestNodes(34)), "nodes")
	// Output: 10 splits of 6 + 6 + 22 nodes
}

// A graph of a known kind, to try a setting on before the data are there: here the share of edges
// inside a class is the one asked for.
func ExampleCommunities_Generate() {
	d, err := synthetic.Communities{Nodes: 600, Classes: 3, Homophily: 0.9, Degree: 10, Seed: 1}.Generate(context.Background())
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
