package dataset_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"
	"testing/fstest"

	"coles"
	"coles/dataset"

	"gonum.org/v1/gonum/mat"
)

func ExampleReadMatrixMarket() {
	m, err := dataset.ReadMatrixMarket(strings.NewReader("%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%T\n%v\n", m, mat.Formatted(m))
	// Output:
	// *sparse.CSR
	// ⎡0  1  0⎤
	// ⎢1  0  1⎥
	// ⎣0  1  0⎦
}

func ExampleWriteMatrixMarket() {
	var b bytes.Buffer
	if err := dataset.WriteMatrixMarket(&b, mat.NewDense(1, 2, []float64{0.5, 2})); err != nil {
		log.Fatal(err)
	}
	fmt.Print(b.String())
	// Output:
	// %%MatrixMarket matrix array real general
	// 1 2
	// 0.5
	// 2
}

// A folder that ogb's downloader has filled is read by OpenOGB, a file system of any
// kind by ReadOGB.
func ExampleReadOGB() {
	folder := fstest.MapFS{
		"raw/num-node-list.csv": {Data: []byte("3\n")},
		"raw/edge.csv":          {Data: []byte("0,1\n1,2\n")},
		"raw/node-label.csv":    {Data: []byte("0\n1\n1\n")},
		"split/time/train.csv":  {Data: []byte("0\n")},
		"split/time/valid.csv":  {Data: []byte("1\n")},
		"split/time/test.csv":   {Data: []byte("2\n")},
	}
	d, err := dataset.ReadOGB(folder)
	if err != nil {
		log.Fatal(err)
	}
	g, err := coles.FromCSR(d.Adjacency, coles.WithSymmetrization())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(g.Report(), d.Labels, d.Splits)
	// Output: 3 nodes, 2 edges, 2 directed entries mirrored [0 1 1] [{[0] [1] [2]}]
}

func ExampleOpenOGB() {
	_, err := dataset.OpenOGB("nowhere/ogbn_arxiv")
	fmt.Println(err)
	// Output: dataset: stat nowhere/ogbn_arxiv: no such file or directory
}

func ExampleReadWord2Vec() {
	ids, vectors, err := dataset.ReadWord2Vec(strings.NewReader("2 3\nking 1 0 2\nqueen 1 1 2\n"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(ids, vectors.RawRowView(1))
	// Output: [king queen] [1 1 2]
}

func ExampleWriteWord2VecBinary() {
	var b bytes.Buffer
	if err := dataset.WriteWord2VecBinary(&b, []string{"king", "queen"}, mat.NewDense(2, 1, []float64{1, 2})); err != nil {
		log.Fatal(err)
	}
	ids, vectors, err := dataset.ReadWord2VecBinary(&b)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(ids, vectors.RawMatrix().Data)
	// Output: [king queen] [1 2]
}

// Archives as numpy.savez writes them.
func ExampleReadMatrices() {
	var b bytes.Buffer
	if err := dataset.WriteMatrices(&b, map[string]mat.Matrix{"Y": mat.NewDense(1, 2, []float64{1, 2}), "lambda": mat.NewDense(1, 1, []float64{0.9})}); err != nil {
		log.Fatal(err)
	}
	all, err := dataset.ReadMatrices(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(all["Y"].RawMatrix().Data, all["lambda"].At(0, 0))
	// Output: [1 2] 0.9
}

// A word2vec file as gensim writes it.
func ExampleReadWord2VecBinary() {
	file := "1 2\nking \x00\x00\x80\x3f\x00\x00\x00\x40"
	ids, vectors, err := dataset.ReadWord2VecBinary(strings.NewReader(file))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(ids, vectors.RawRowView(0))
	// Output: [king] [1 2]
}

// Features and an embedding beside each other, for numpy.load.
func ExampleWriteMatrices() {
	var file bytes.Buffer
	err := dataset.WriteMatrices(&file, map[string]mat.Matrix{"X": mat.NewDense(2, 1, []float64{1, 2}), "Y": mat.NewDense(2, 2, nil)})
	fmt.Println(err, file.Len() > 0)
	// Output: <nil> true
}

// inFolder writes a file and hands its path to open.
func inFolder(name, text string, open func(path string)) {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, name)
	if err := dataset.WriteFile(path, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}); err != nil {
		log.Fatal(err)
	}
	open(path)
}

func ExampleOpenMatrices() {
	var archive strings.Builder
	if err := dataset.WriteMatrices(&archive, map[string]mat.Matrix{"Y": mat.NewDense(1, 2, []float64{1, 2})}); err != nil {
		log.Fatal(err)
	}
	inFolder("y.npz", archive.String(), func(path string) {
		all, err := dataset.OpenMatrices(path)
		fmt.Println(all["Y"].RawRowView(0), err)
	})
	// Output: [1 2] <nil>
}

func ExampleOpenMatrixMarket() {
	inFolder("a.mtx", "%%MatrixMarket matrix array real general\n1 2\n3\n4\n", func(path string) {
		m, err := dataset.OpenMatrixMarket(path)
		fmt.Println(m.At(0, 1), err)
	})
	// Output: 4 <nil>
}

func ExampleOpenWord2Vec() {
	inFolder("words.txt", "1 2\nking 1 2\n", func(path string) {
		ids, vectors, err := dataset.OpenWord2Vec(path)
		fmt.Println(ids, vectors.RawRowView(0), err)
	})
	// Output: [king] [1 2] <nil>
}

func ExampleOpenWord2VecBinary() {
	inFolder("words.bin", "1 1\nking \x00\x00\x80\x3f", func(path string) {
		ids, vectors, err := dataset.OpenWord2VecBinary(path)
		fmt.Println(ids, vectors.RawRowView(0), err)
	})
	// Output: [king] [1] <nil>
}

// Twelve nodes in two communities.
func ExampleCommunities_Generate() {
	d, err := dataset.Communities{Nodes: 12, Classes: 2, Degree: 4, Features: 8, Seed: 1}.Generate(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(d.Nodes(), d.NumClasses())
	// Output: 12 2
}

func ExampleDataset_Nodes() {
	fmt.Println(dataset.KarateClub().Nodes())
	// Output: 34
}

func ExampleDataset_NumClasses() {
	fmt.Println(dataset.KarateClub().NumClasses(), dataset.KarateClub().Classes)
	// Output: 2 [instructor administrator]
}

// Without a list every node that is not learned from is asked about.
func ExampleSplit_TestNodes() {
	fmt.Println(dataset.Split{Train: []int{0, 3}, Val: []int{1}}.TestNodes(6))
	// Output: [2 4 5]
}

// Features that lie in a file, read where they lie.
func ExampleMapped_Matrix() {
	x, err := coles.NewDense32(2, 2, []float32{1, 2, 3, 4})
	if err != nil {
		log.Fatal(err)
	}
	var file strings.Builder
	if err := dataset.WriteNPY(&file, x); err != nil {
		log.Fatal(err)
	}
	inFolder("x.npy", file.String(), func(path string) {
		mapped, err := dataset.MapNPY(path)
		if err != nil {
			log.Fatal(err)
		}
		defer mapped.Close()
		fmt.Println(mapped.Matrix().At(1, 0))
	})
	// Output: 3
}
