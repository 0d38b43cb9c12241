package dataset_test

import (
	"bytes"
	"fmt"
	"log"
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
