package dataset_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing/fstest"

	"coles"
	"coles/dataset"

	"gonum.org/v1/gonum/mat"
)

// A citation graph in two text files: who cites whom, and two numbers a paper.
func ExampleReadEdgeList() {
	edges := strings.NewReader("source,target\nsmith99,jones97\nchen03,smith99\n")
	features := strings.NewReader("jones97,1,0\nsmith99,1,1\nchen03,0,1\n")
	d, err := dataset.ReadEdgeList(edges, features, dataset.EdgeListOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(d.IDs)
	d.Adjacency.DoNonZero(func(i, j int, w float64) { fmt.Println(d.IDs[i], "→", d.IDs[j], w) })
	// Output:
	// [jones97 smith99 chen03]
	// smith99 → jones97 1
	// chen03 → smith99 1
}

// An edge that names a node without features is an error that says where.
func ExampleParseError() {
	edges := strings.NewReader("a,b\na,zoe\n")
	features := strings.NewReader("a,1\nb,2\n")
	_, err := dataset.ReadEdgeList(edges, features, dataset.EdgeListOptions{EdgesName: "links.csv"})
	fmt.Println(err)
	fmt.Println(errors.Is(err, dataset.ErrUnknownNode))
	var place *dataset.ParseError
	if errors.As(err, &place) {
		fmt.Println("line", place.Line)
	}
	// Output:
	// dataset: links.csv:2:3: unknown node "zoe"
	// true
	// line 2
}

func ExampleOpenEdgeList() {
	dir, err := os.MkdirTemp("", "dataset")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	edges, labels := filepath.Join(dir, "links.tsv"), filepath.Join(dir, "topics.tsv")
	os.WriteFile(edges, []byte("a\tb\t0.5\nb\tc\t2\n"), 0o666)
	os.WriteFile(labels, []byte("a\tsports\nc\tmusic\n"), 0o666)
	d, err := dataset.OpenEdgeList(edges, "", labels)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(d.Name, d.Nodes(), "nodes", d.Classes, d.Labels)
	// Output: links 3 nodes [music sports] [1 -1 0]
}

func ExampleOpenNPZ() {
	_, err := dataset.OpenNPZ("no-such-graph.npz")
	fmt.Println(errors.Is(err, os.ErrNotExist))
	// Output: true
}

func ExampleReadNPZ() {
	file := []byte("this is not an archive")
	_, err := dataset.ReadNPZ(bytes.NewReader(file), int64(len(file)))
	fmt.Println(err)
	// Output: dataset: npz: malformed input: not a zip archive
}

func ExampleOpenPlanetoid() {
	_, err := dataset.OpenPlanetoid("no-such-folder", "cora")
	fmt.Println(errors.Is(err, os.ErrNotExist))
	// Output: true
}

// A pickle can ask Python to run anything; here it can ask for arrays, CSR
// matrices, dicts and lists.
func ExampleReadPlanetoid() {
	fsys := fstest.MapFS{"ind.cora.allx": {Data: []byte("\x80\x02cos\nsystem\nU\x02ls\x85R.")}}
	_, err := dataset.ReadPlanetoid(fsys, "cora")
	fmt.Println(err)
	// Output: dataset: ind.cora.allx: byte 2: pickled object refused: class "system" of module "os"
}

func ExampleReadSplits() {
	splits, err := dataset.ReadSplits(strings.NewReader(`{"train": [[0, 2]], "val": [[3]]}`), 5)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(splits[0].Train, splits[0].Val, splits[0].TestNodes(5))
	// Output: [0 2] [3] [1 4]
}

func ExampleOpenSplits() {
	_, err := dataset.OpenSplits("no-such-splits.json", 5)
	fmt.Println(errors.Is(err, os.ErrNotExist))
	// Output: true
}

func ExampleWriteSplits() {
	splits := []dataset.Split{{Train: []int{0, 2}, Val: []int{3}}}
	if err := dataset.WriteSplits(os.Stdout, 5, splits); err != nil {
		fmt.Println(err)
	}
	// Output: {"nodes":5,"train":[[0,2]],"val":[[3]]}
}

func ExampleRandomSplits() {
	labels := dataset.KarateClub().Labels
	splits, err := dataset.RandomSplits(labels, 3, 10, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	s := splits[0]
	fmt.Println(len(splits), "splits of", len(s.Train), "+", len(s.Val), "+", len(s.TestNodes(34)), "nodes")
	// Output: 10 splits of 6 + 6 + 22 nodes
}

// The method never draws the nodes whose label is a placeholder.
func ExampleDataset_RandomSplits() {
	d := &dataset.Dataset{Labels: []int{0, 0, 0, 0}, Unlabeled: []int{3}}
	splits, err := d.RandomSplits(5, 1, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(splits[0].Train), len(splits[0].Val)) // a third of the three at most
	// Output: 1 1
}

func ExampleDataset_Validate() {
	d := dataset.KarateClub()
	fmt.Println(d.Validate())
	d.Labels = d.Labels[:10]
	fmt.Println(d.Validate())
	// Output:
	// <nil>
	// dataset: "karate": 10 labels for 34 nodes: sizes disagree
}

func ExampleKarateClub() {
	d := dataset.KarateClub()
	fmt.Println(d.Nodes(), "members,", d.Adjacency.NNZ()/2, "ties,", d.Classes)
	// Output: 34 members, 78 ties, [instructor administrator]
}

func ExampleCommunities() {
	d, err := dataset.Communities{Nodes: 1000, Classes: 4, Seed: 1}.Generate(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	_, words := d.Features.Dims()
	fmt.Println(d.Nodes(), "nodes,", d.NumClasses(), "classes,", words, "words")
	// Output: 1000 nodes, 4 classes, 1000 words
}

// Numbers in place of words, as float32.
func ExampleCommunities_dense() {
	d, err := dataset.Communities{Nodes: 1000, Features: 128, Dense: true, Seed: 1}.Generate(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	rows, columns := d.Features.Dims()
	fmt.Printf("%d × %d, %T\n", rows, columns, d.Features)
	// Output: 1000 × 128, *coles.Dense32
}

func ExampleWriteNPY() {
	var file bytes.Buffer
	if err := dataset.WriteNPY(&file, mat.NewDense(1, 2, []float64{1, 2})); err != nil {
		fmt.Println(err)
		return
	}
	m, err := dataset.ReadNPY(&file)
	fmt.Println(mat.Formatted(m), err)
	// Output: [1  2] <nil>
}

func ExampleReadNPY() {
	_, err := dataset.ReadNPY(strings.NewReader("\x93NUMPY\x01\x00"))
	fmt.Println(err)
	// Output: dataset: npy: byte 8: truncated input
}

func ExampleOpenNPY() {
	_, err := dataset.OpenNPY("no-such-matrix.npy")
	fmt.Println(errors.Is(err, os.ErrNotExist))
	// Output: true
}

// Features of float32 are written as such, and used where they lie.
func ExampleMapNPY() {
	dir, err := os.MkdirTemp("", "dataset")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	x, err := coles.NewDense32(2, 2, []float32{1, 2, 3, 4})
	if err != nil {
		fmt.Println(err)
		return
	}
	path := filepath.Join(dir, "features.npy")
	err = dataset.WriteFile(path, func(w io.Writer) error { return dataset.WriteNPY(w, x) })
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := dataset.MapNPY(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer m.Close()
	fmt.Println(mat.Formatted(m.Matrix()))
	// Output:
	// ⎡1  2⎤
	// ⎣3  4⎦
}

func ExampleWriteTSV() {
	m := mat.NewDense(2, 2, []float64{1, 0.5, -2, 1e-9})
	if err := dataset.WriteTSV(os.Stdout, []string{"a", "b"}, m); err != nil {
		fmt.Println(err)
	}
	// Output:
	// a	1	0.5
	// b	-2	1e-09
}

func ExampleWriteWord2Vec() {
	m := mat.NewDense(2, 2, []float64{1, 0.5, -2, 1e-9})
	if err := dataset.WriteWord2Vec(os.Stdout, []string{"a", "b"}, m); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 2 2
	// a 1 0.5
	// b -2 1e-09
}

// A file is there whole or not at all.
func ExampleWriteFile() {
	dir, err := os.MkdirTemp("", "dataset")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	err = dataset.WriteFile(filepath.Join(dir, "vectors.txt"), func(w io.Writer) error {
		fmt.Fprintln(w, "half of it")
		return errors.New("something goes wrong")
	})
	left, _ := os.ReadDir(dir)
	fmt.Println(err != nil, len(left), "files")
	// Output: true 0 files
}

// Any file behind a URL, as long as its SHA-256 is known.
func ExampleFetch() {
	_, err := dataset.Fetch(context.Background(), dataset.Source{Name: "graph.npz", URL: "https://example.org/graph.npz"}, "cache")
	fmt.Println(errors.Is(err, dataset.ErrOption)) // no SHA-256
	// Output: true
}

func ExampleFetchPlanetoid() {
	_, err := dataset.FetchPlanetoid(context.Background(), "nell", "cache")
	fmt.Println(err)
	// Output: dataset: no Planetoid dataset "nell", there are citeseer, cora, pubmed: option out of range
}
